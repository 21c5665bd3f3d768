"""The command `keys`: what the terminal sends, and what it would do here."""

from __future__ import annotations

from inplace_tui.common.command.parser import localized_command
from inplace_tui.common.texts.command import HelpTexts
from inplace_tui.tutorial.settings import Settings


@localized_command("keys", HelpTexts.keys)
def keys_command(settings: Settings) -> int:
    from inplace_tui.tutorial.commands.terminal_keys import show_keys  # noqa: PLC0415  # brings Textual

    return show_keys(settings)
