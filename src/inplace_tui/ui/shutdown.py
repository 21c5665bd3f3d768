"""Ends the program when a terminal hangs up, a signal comes or an exception is not caught."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import threading
import time
from contextlib import suppress

from rich.console import RenderableType

from inplace_tui.ui.screens.page import Page
from inplace_tui.ui.themed_app import ThemedApp

PATIENCE = 3.0
"""Seconds to end in order; a terminal that is gone may let nobody do that."""


RESTORE = 1.0
"""Seconds for what a terminal gets in the end, which one that is gone never takes."""

SOON = 0.01
"""Seconds until it is looked again whether one may leave."""


class SafeExitApp(ThemedApp):
    """An app that saves everything before it exits, whatever the reason."""

    def handle_signals(self) -> None:
        """Listen for what ends a program; called before anything is asked of the terminal."""
        woken, wake = os.pipe()
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: os.write(wake, bytes([number])))
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._await_signal, args=(loop, woken), daemon=True).start()

    def save_all(self) -> None:
        # Imports nothing: a module may be half imported in another thread just now.
        for screen in self.screen_stack:
            if isinstance(screen, Page):
                screen.save_all()

    def _await_signal(self, loop: asyncio.AbstractEventLoop, woken: int) -> None:
        """Wait for a signal or for the terminal to hang up; then see to it that all this ends.

        In a thread: whoever writes to a terminal that is gone may wait for it for ever,
        and with him the loop.
        """
        waiting = select.poll()
        waiting.register(woken, select.POLLIN)
        waiting.register(0, 0)  # a hang-up is reported without being asked for
        ready = {descriptor for descriptor, _ in waiting.poll()}
        number = os.read(woken, 1)[0] if woken in ready else int(signal.SIGHUP)
        with suppress(RuntimeError):  # the loop has ended by now
            loop.call_soon_threadsafe(self._exit_on_signal, number)
        time.sleep(PATIENCE)
        with suppress(Exception):
            self.save_all()
        restoring = threading.Thread(target=self.restore_terminal, daemon=True)
        restoring.start()
        restoring.join(RESTORE)
        os._exit(128 + number)

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave, once every screen that was opened is there: half of one misses the other half."""
        if all(screen.is_mounted for screen in self.screen_stack):
            super().exit(result, return_code, message)
        else:
            # No timer of Textual's: who was sent away by a signal comes from another thread.
            loop = asyncio.get_running_loop()
            loop.call_later(SOON, self.exit, result, return_code, message)

    def _exit_on_signal(self, number: int) -> None:
        self.save_all()
        self.exit(128 + number)
