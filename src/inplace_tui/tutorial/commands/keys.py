"""The command `keys`: what the terminal sends, and what it would do here."""

from __future__ import annotations

from inplace_tui.common.command.parser import CommandError, localized_command
from inplace_tui.common.system import PORTABLE
from inplace_tui.common.texts.command import ErrorTexts, HelpTexts
from inplace_tui.tutorial.settings import Settings


@localized_command("keys", HelpTexts.keys)
def keys_command(settings: Settings) -> int:
    if PORTABLE:  # what reads them there is Textual's own
        raise CommandError(ErrorTexts.no_keyboard)
    from inplace_tui.tutorial.commands.terminal_keys import show_keys  # noqa: PLC0415  # brings Textual

    return show_keys(settings)
