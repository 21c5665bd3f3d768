"""The command `challenge`: on the screen, else as lines of text; or an edit is judged."""

from __future__ import annotations

from pathlib import Path

import click

from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.parser import CommandError, localized_command, option
from inplace_tui.settings import Settings
from inplace_tui.texts.command import ErrorTexts, HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("challenge", HelpTexts.challenge)
@option(
    "--grade",
    text=HelpTexts.grade,
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
)
@click.argument("name", metavar="[ID]", required=False)
def command(settings: Settings, name: str | None, grade: Path | None) -> int:
    worker = None if grade is not None else start_worker(settings)
    from inplace_tui.commands.plain import challenge  # noqa: PLC0415  # the worker first

    if grade is not None:
        if name is None:
            raise CommandError(ErrorTexts.missing, name="ID")
        return challenge.grade_file(settings, name, grade)
    if is_plain(settings):
        return challenge.print_challenge(settings, name)
    if name is not None:
        challenge.find_challenge(settings, name)
    return open_screen(settings, Opening(screen="challenge", challenge=name), worker)
