"""What becomes of a key before any screen has it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import events

from inplace_tui.later import Later
from inplace_tui.ui.keys import ascii_key
from inplace_tui.ui.screens.base import BaseScreen
from inplace_tui.ui.screens.page import Page
from inplace_tui.ui.widgets.lines import Lines
from inplace_tui.ui.worker_app import WorkerApp

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.message_pump import MessagePump

    from inplace_tui.ui import deferred
else:
    deferred = Later("inplace_tui.ui.deferred")


class Keying(WorkerApp):
    """An app that hands keys on one by one, each to where the one before it led."""

    async def on_event(self, event: events.Event) -> None:
        """Let what is pressed, clicked or pasted wait until a screen that opens can take it."""
        if not isinstance(event, events.InputEvent | events.Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        await self._opened()
        if not self._screen_stack:  # all is closed; the key had been under way
            return
        self.presence.touched()
        if isinstance(event, events.Key | events.MouseDown) and self.page is not None:
            self.page.clear_notice()
        if isinstance(event, events.Key) and not (self._is_typing and event.is_printable):
            await self._press(event)
        else:
            await super().on_event(event)

    async def _opened(self) -> None:
        """Wait until the screen in front is there."""
        while self._screen_stack:
            front = self.screen
            if not isinstance(front, BaseScreen) or front.can_be_pressed or not await _idle(front):
                break

    async def _press(self, key: events.Key) -> None:
        """Do all that a key does which is no text, before another one is looked at.

        On their way up to the app, from widget to widget, keys would be overtaken by those
        that were typed after them.
        """
        if not self._is_typing:
            key = ascii_key(key)  # a full-width one is meant for its twin
        if not (self._is_for_the_page and await self._check_bindings(key.key)):
            taker = self.focused or self.screen
            key.bubble = False  # type: ignore[misc]  # a class's affair, but for this
            await super().on_event(key)
            if key.is_forwarded:
                await _idle(taker)
                if not key._stop_propagation:
                    await self._check_bindings(key.key)
        await asyncio.sleep(0)  # what asks a question in a task of its own has asked it then

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do nothing with a screen that is still being laid out, nor once all is closing."""
        if self._exit or (
            isinstance(default_namespace, BaseScreen) and not default_namespace.is_there
        ):
            return False
        return await super().run_action(action, default_namespace, namespaces)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Hold the cursor still where nothing is to move."""
        widget = event.widget
        if self.animation_level != "none" or isinstance(widget, Lines):
            return  # the first frame has lines alone, and does not wait for what types
        if isinstance(widget, deferred.Input | deferred.TextArea):
            widget.cursor_blink = False

    @property
    def _is_for_the_page(self) -> bool:
        """Whether what has the focus takes no key but by a binding.

        Then its page's bindings are looked at at once. Handed from widget to widget, each in
        its own turn, a key takes longer to come to them than what it does.
        """
        focused = self.focused
        return (
            self.app_focus
            and isinstance(focused, Lines)
            and isinstance(self.screen, Page)
            and not focused.takes_all_keys
        )

    @property
    def _is_typing(self) -> bool:
        return isinstance(self.focused, deferred.Input) or (
            isinstance(self.focused, deferred.TextArea) and not self.focused.read_only
        )


async def _idle(pump: MessagePump) -> bool:
    """Wait until all is done that it was told until now; False where it does nothing any more."""
    done = asyncio.get_running_loop().create_future()

    def tell(*_: object) -> None:
        if not done.done():
            done.set_result(None)

    task = pump._task
    if task is None or not pump.call_later(tell):
        return False
    task.add_done_callback(tell)
    await done
    task.remove_done_callback(tell)
    return not task.done()
