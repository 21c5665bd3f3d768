"""The command `sandbox`: on the screen, else as lines of text."""

from __future__ import annotations

from pathlib import Path

import click

from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.parser import Settings, localized_command, pass_settings
from inplace_tui.texts.command import HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("sandbox", HelpTexts.sandbox)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@pass_settings
def command(settings: Settings, file: Path | None) -> int:
    worker = start_worker(settings)
    if is_plain(settings):
        from inplace_tui.commands.plain.sandbox import sandbox  # noqa: PLC0415  # only this needs it

        return sandbox(settings, file)
    return open_screen(settings, Opening(screen="sandbox", file=file), worker)
