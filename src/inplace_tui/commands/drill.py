"""The command `drill`: on the screen, else as lines of text."""

from __future__ import annotations

import click

from inplace_tui.commands.launch import is_plain, open_screen, start_worker
from inplace_tui.commands.parser import localized_command, option
from inplace_tui.engine.drill.record import DrillOptions
from inplace_tui.settings import Settings
from inplace_tui.texts.command import HelpTexts
from inplace_tui.ui.opening import Opening


@localized_command("drill", HelpTexts.drill)
@option("--count", text=HelpTexts.count, type=click.IntRange(min=1), metavar="N")
@option("--level", text=HelpTexts.level, type=click.IntRange(1, 5), metavar="N")
@option("--seed", text=HelpTexts.seed, type=click.IntRange(min=0), metavar="N")
def command(settings: Settings, *, seed: int | None, level: int | None, count: int | None) -> int:
    worker = start_worker(settings)
    options = DrillOptions(seed=seed, level=level, count=count)
    if is_plain(settings):
        from inplace_tui.commands.plain.drill import drill  # noqa: PLC0415  # only this needs it

        return drill(settings, options)
    return open_screen(settings, Opening(screen="drill", drill=options), worker)
