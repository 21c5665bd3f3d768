"""Opens a screen. The worker is started first: torch takes longer to load than all the rest."""

from __future__ import annotations

import gc
import os
import signal
import sys

from inplace_tui.common import console
from inplace_tui.diagnosis.runner.process import BegunProcess, begin
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.opening import Opening


def is_plain(settings: Settings) -> bool:
    """Return whether to print lines: asked for, or nobody could look at a screen."""
    return settings.plain or not has_terminal()


def has_terminal() -> bool:
    if os.environ.get("TEXTUAL_DRIVER"):  # a browser, behind pipes
        return True
    drawn = os.environ.get("TERM") != "dumb"
    return drawn and sys.stdin.isatty() and sys.stdout.isatty()


def start_worker(settings: Settings) -> BegunProcess | None:
    if is_plain(settings):
        return None
    try:
        return begin()
    except OSError:
        return None  # the screen tries again, and says why not


def open_screen(settings: Settings, opening: Opening, worker: BegunProcess | None = None) -> int:
    """Run the program on this terminal until it is left; return the exit code."""
    gc.disable()  # until the screen is there: all that is made now stays
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is to be lost before that
    with console.width_asked(console.AMBIGUOUS, console.PATIENCE) as answer:
        # The terminal answers while Textual loads, so that asking costs no time.
        from inplace_tui.tutorial.ui.launch import run_app  # noqa: PLC0415  # not for headless commands

        wide = answer() == 2
    return run_app(settings, opening, wide=wide, begun=worker)
