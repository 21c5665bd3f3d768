"""The command `review`: on the screen, else as lines of text."""

from __future__ import annotations

from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.parser import localized_command
from inplace_tui.settings import Settings
from inplace_tui.texts.command import HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("review", HelpTexts.review)
def command(settings: Settings) -> int:
    worker = start_worker(settings)
    if is_plain(settings):
        from inplace_tui.commands.plain.quiz import review  # noqa: PLC0415  # only this needs it

        return review(settings)
    return open_screen(settings, Opening(screen="review"), worker)
