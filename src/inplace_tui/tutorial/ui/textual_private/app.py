"""The app and its screens: what is drawn and when, what goes to the terminal, faults.

Textual offers no other way to write a sequence of our own to the terminal, to know that the
app is leaving, to save drafts before a fault of ours or a page closes it, and to run a key's
binding before the focused widget's turn comes. It would mount what is being removed, lay a screen
out for a size that the terminal has no longer, leave undrawn what changed in a batch, and draw
twice where widgets change in turn or one screen comes in front of another, for which the work of
closing a dialog is a fifth less (`tests/ui/test_resizing.py`).
"""

from __future__ import annotations

import asyncio
import os
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual import constants, events
from textual.actions import SkipAction
from textual.app import App
from textual.await_remove import AwaitRemove
from textual.driver import Driver
from textual.events import Key
from textual.message_pump import MessagePump
from textual.messages import ExitApp
from textual.screen import Screen
from textual.widget import AwaitMount

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.system import PORTABLE
from inplace_tui.common.texts import say
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.ui import clipboard
from inplace_tui.tutorial.ui.keymap import key_of, keymap_of
from inplace_tui.tutorial.ui.keys import shown

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.app import InplaceApp


Answer = TypeVar("Answer")


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

    def _end_batch(self) -> None:
        """Have the screen in front look for what changed meanwhile: its timer may have passed."""
        super()._end_batch()
        if self.screen_stack:
            self.screen.check_idle()

    def get_driver_class(self) -> type[Driver]:
        # Another one is asked for by who serves the app to a browser.
        if PORTABLE or constants.DRIVER is not None:
            return super().get_driver_class()
        from inplace_tui.tutorial.ui.textual_private.terminal_input import TerminalDriver  # noqa: PLC0415

        return TerminalDriver

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

    def ask(self, dialog: Screen[Answer | None], taken: Callable[[Answer], object]) -> AwaitMount:
        """Open a dialog; what is chosen there is taken, and nothing where it is cancelled."""

        def closed(answer: Answer | None) -> None:
            if answer is not None:
                taken(answer)

        return self.push_screen(dialog, closed)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text: a panel's, or what is selected somewhere."""
        self._clipboard = text
        if self._driver is not None:
            self._driver.write(clipboard.sequences(text, os.environ))

    def restore_terminal(self) -> None:
        """Do what Textual does with the terminal at the end, from another thread than the main."""
        if PORTABLE:
            return  # Textual's driver is no business of another thread
        from textual.drivers.linux_driver import LinuxDriver  # noqa: PLC0415

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


class BaseScreen(MessagePump):
    """A page or a dialog.

    No node of the style sheet: as the first base it would hide that its subclasses are screens.
    """

    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [
        (0, "-narrow"),
        (60, "-medium"),
        (100, "-wide"),
        (160, "-vast"),
    ]
    VERTICAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [
        (0, "-flat"),
        (20, "-short"),
        (34, "-tall"),
        (50, "-high"),
    ]

    _pruning: bool
    """Whether it is being taken away; Textual's."""

    can_be_pressed = False
    """Whether it was in front once, with the keys where they go first."""

    _repaint_required: bool
    """Whether all of it is to be drawn anew; Textual's, too."""

    @property
    def host(self) -> InplaceApp:
        """The app, with what is ours of it."""
        return cast("InplaceApp", self.app)

    @property
    def is_there(self) -> bool:
        """Whether all of it is there to be written on: it was laid out, and is not going."""
        return self._is_mounted and self.is_attached and not self._pruning

    @property
    def language(self) -> str:
        return self.host.language

    def say(self, text: LocalText, /, **values: object) -> str:
        return say(text, self.language, keys=keymap_of(self.app).labels, **values)

    @abstractmethod
    def notice(self, text: str) -> None:
        """Show something until the next key or click."""

    def note(self, text: LocalText, /, **values: object) -> None:
        self.notice(self.say(text, **values))

    def refuse_key(self, key: str) -> None:
        """Say of a key that it does nothing here."""
        screen = cast("Screen[object]", self)
        self.note(ScreenTexts.key_unused, key=shown(key), help=key_of("help", screen))

    def key_unused(self, key: str) -> None:
        """Answer a key that nothing took: none is silent. Some screens know why it does nothing."""
        self.refuse_key(key)

    def action_other_part(self) -> None:
        """Leave Tab unused: Textual would choose the same part again, or leave a line to type."""
        raise SkipAction

    async def on_event(self, event: events.Event) -> None:
        """Ignore the mount of what is being removed, and sizes that the terminal no longer has.

        A screen that is laid out anew sends itself its size: two sizes in a row would be sent
        in turn, for ever.
        """
        if isinstance(event, events.Mount) and (self._pruning or is_exiting(self.app)):
            return
        if isinstance(event, events.Resize):
            if event.size != self.app.size:
                return
            # The same size again comes from a terminal that shows something else by now.
            cast("Screen[object]", self).refresh()
        await super().on_event(event)
        if isinstance(event, events.ScreenResume):
            self.can_be_pressed = True

    async def until_laid_out(self) -> None:
        """Wait until what is shown is where it belongs: a key may scroll or measure it."""
        this = cast("Screen[object]", self)
        waits = this._layout_required or this._callbacks
        if waits and self.is_there and self.app.screen is this:
            laid_out = asyncio.Event()
            if self.call_after_refresh(laid_out.set):
                await laid_out.wait()

    def remove(self) -> AwaitRemove:
        """Remove it; the screen that is in front then draws itself, so that the app need not."""
        return self.app._prune(cast("Screen[object]", self))

    def _compositor_refresh(self) -> None:
        """Draw, unless all of it is about to be drawn: then once, with everything in its place.

        The screen in front draws those behind it, so a change there refreshes those between.
        """
        if self._repaint_required:
            return
        super()._compositor_refresh()  # type: ignore[misc]
        this, (*behind, front) = cast("Screen[object]", self), self.app.screen_stack
        if this is not front:
            self._repaint_required = False  # Textual would ask for it again, for ever
        for each, above in pairwise(behind):
            if each is this:
                above.refresh()

    def _on_timer_update(self) -> None:
        """Lay out and draw once all messages of widgets have been handled."""
        update = super()._on_timer_update  # type: ignore[misc]
        if self.message_queue_size:
            self.call_later(update)
        else:
            update()
