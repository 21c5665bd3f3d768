"""The app: which screens are drawn, what goes to the terminal, faults.

Textual offers no other way to write a sequence of our own to the terminal, to know that the
app is leaving, to save drafts before a fault of ours or a page closes it, and to run a key's
binding before the focused widget's turn comes.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from contextlib import suppress

from textual import constants
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key
from textual.message_pump import MessagePump
from textual.messages import ExitApp
from textual.screen import Screen

from inplace_tui.tutorial.ui.textual_private.terminal_input import TerminalDriver


class BaseApp(App[int]):
    """An app that draws no covered screens, and keeps drafts before a crash."""

    repeats = 1
    """How often what came from the terminal is to be handled: so many alike waited."""

    @property
    def _background_screens(self) -> list[Screen[object]]:
        """The screens that are seen through the one in front.

        Textual counts what is behind an opaque screen, too, lays it out and draws for its sake.
        """
        return super()._background_screens if self.screen.styles.background.a < 1 else []

    def get_driver_class(self) -> type[Driver]:
        # Another one is asked for by who serves the app to a browser.
        return super().get_driver_class() if constants.DRIVER is not None else TerminalDriver

    @property
    @abstractmethod
    def is_typing(self) -> bool:
        """Whether printable keys are text where the learner is."""

    @abstractmethod
    def quits(self, key: str) -> bool:
        """Whether this key leaves the program."""

    @abstractmethod
    def moves(self, key: str) -> bool:
        """Whether this key moves through what is shown, and does nothing else."""

    @abstractmethod
    def handle_signals(self) -> None:
        """Have signals end the app in order."""

    @abstractmethod
    def save_all(self) -> None:
        """Save what was typed and how far the learner came."""

    @abstractmethod
    async def leave_unasked(self) -> None:
        """Keep all that was typed, and exit: its page in a browser was closed."""

    async def _on_exit_app(self, message: ExitApp) -> None:  # type: ignore[override]
        if not self._exit:
            message.prevent_default()
            self.run_worker(self.leave_unasked())

    def _handle_exception(self, error: Exception) -> None:
        # A second error while saving must not hide the first.
        with suppress(Exception):
            self.save_all()
        super()._handle_exception(error)

    def send_to_clipboard(self, text: str, sequences: str) -> None:
        """Remember a copied text, and write the sequences that copy it to the terminal."""
        self._clipboard = text
        if self._driver is not None:
            self._driver.write(sequences)

    def restore_terminal(self) -> None:
        """Do what Textual does with the terminal at the end, from another thread than the main."""
        driver = self._driver
        if isinstance(driver, LinuxDriver):
            driver._disable_mouse_support()  # the rest leaves it to the main thread
            driver.stop_application_mode()
            driver.close()


def is_exiting(app: App[int] | App[object]) -> bool:
    """Whether the app is leaving: nothing is to be mounted or run any more."""
    return app._exit


async def run_binding(app: App[int] | App[object], key: str) -> bool:
    """Run what a key is bound to, from the focused widget up; return whether it is bound."""
    return await app._check_bindings(key)


def is_stopped(event: Key) -> bool:
    return event._stop_propagation


async def until_idle(pump: MessagePump) -> bool:
    """Wait until a widget has handled all its messages; False if it handles none any more."""
    done = asyncio.get_running_loop().create_future()

    def finish(*_: object) -> None:
        if not done.done():
            done.set_result(None)

    task = pump._task
    if task is None or not pump.call_later(finish):
        return False
    task.add_done_callback(finish)
    await done
    task.remove_done_callback(finish)
    return not task.done()
