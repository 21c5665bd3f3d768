"""The command `lesson`: on the screen, else as lines of text."""

from __future__ import annotations

from pathlib import Path

import click

from inplace_tui import paths
from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.parser import localized_command, option
from inplace_tui.settings import Settings
from inplace_tui.texts.command import HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("lesson", HelpTexts.lesson)
@option("--present", text=HelpTexts.present, is_flag=True)
@click.argument("name", metavar="[ID[@STEP]]", required=False)
def command(settings: Settings, *, name: str | None, present: bool) -> int:
    worker = start_worker(settings)
    if worker is not None and (found := _file_and_step(settings, name)):
        path, number = found
        opening = Opening(screen="lesson", lesson_file=path, step=number, present=present)
        return open_screen(settings, opening, worker)
    from inplace_tui.commands.programs import lesson_and_step  # noqa: PLC0415  # the worker first

    identity, step = lesson_and_step(settings, name)
    if is_plain(settings):
        from inplace_tui.commands.plain.course import lesson  # noqa: PLC0415  # likewise

        return lesson(settings, identity, step)
    opening = Opening(screen="lesson", lesson=identity, step=step, present=present)
    return open_screen(settings, opening, worker)


def _file_and_step(settings: Settings, name: str | None) -> tuple[Path, int | None] | None:
    """Return the file of a lesson of the built-in course and the number in `ID@STEP`.

    None where that takes more than a look at the folder.
    """
    identity, _, step = (name or "").partition("@")
    if settings.lessons is not None or not (step.isdecimal() or step == ""):
        return None
    found = paths.lesson_files(paths.built_in_lessons(), identity)
    return (found[0], int(step) if step else None) if len(found) == 1 else None
