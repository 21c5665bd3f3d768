"""Ends that nobody chose: a closed terminal, a signal, a fault of ours. What was typed stays."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress

from inplace_tui.ui.dressed import Dressed

PATIENCE = 3.0
"""Seconds to end in order; a terminal that is gone may let nobody do that."""


class Parting(Dressed):
    """An app that keeps everything before it goes, whoever sends it away."""

    def on_mount(self) -> None:
        """Listen for what ends a program, where there is a terminal that may go."""
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._sent_away, number)

    def keep_all(self) -> None:
        """Keep now what was typed and how far the learner came."""
        # Not for the first frame.
        from inplace_tui.ui.screens.filing import FilingScreen  # noqa: PLC0415
        from inplace_tui.ui.screens.run_screen import RunScreen  # noqa: PLC0415

        for screen in self.screen_stack:
            if isinstance(screen, FilingScreen) and screen.is_mounted:
                screen.keep()
            if isinstance(screen, RunScreen):
                screen.player.save()

    def _sent_away(self, number: signal.Signals) -> None:
        self.keep_all()
        asyncio.get_running_loop().call_later(PATIENCE, os._exit, 128 + number)
        self.exit(128 + number)

    def _handle_exception(self, error: Exception) -> None:
        # A second fault while keeping must not hide the first.
        with suppress(Exception):
            self.keep_all()
        super()._handle_exception(error)
