"""The command `checkpoint`: on the screen, else as lines of text."""

from __future__ import annotations

import click

from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.parser import localized_command
from inplace_tui.settings import Settings
from inplace_tui.texts.command import HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("checkpoint", HelpTexts.checkpoint)
@click.argument("name", metavar="[CHAPTER]", required=False)
def command(settings: Settings, name: str | None) -> int:
    worker = start_worker(settings)
    from inplace_tui.commands.plain import quiz  # noqa: PLC0415  # the worker first

    if is_plain(settings):
        return quiz.checkpoint(settings, name)
    slug = None if name is None else quiz.find_chapter(settings, name).slug
    return open_screen(settings, Opening(screen="checkpoint", checkpoint=slug), worker)
