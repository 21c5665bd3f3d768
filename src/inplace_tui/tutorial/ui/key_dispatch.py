"""Where a key goes: to what it is bound to, or to the widget that has the focus."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from copy import copy
from typing import TYPE_CHECKING

from textual import events

from inplace_tui.common.lazy import LazyModule
from inplace_tui.tutorial.ui.keys import ascii_key
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.textual_private.app import (
    BaseScreen,
    is_stopped,
    run_binding,
    until_idle,
)
from inplace_tui.tutorial.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui import deferred
    from inplace_tui.tutorial.ui.app import InplaceApp
else:
    deferred = LazyModule("inplace_tui.tutorial.ui.deferred")

Forward = Callable[[events.Event], Awaitable[None]]


Input = events.InputEvent | events.Paste

MAX_KEPT = 2_000
"""Keys that wait; those that come then are dropped."""

LOOK_AGAIN = 0.1
"""Seconds after which it is looked whether keys need not wait any more."""

_OPEN_A_LINE = ("search", "filter", "commands", "goto")
"""Actions behind whose keys a letter may be text."""


class KeyDispatch:
    """Hands on one key after the other, each to where the one before it led."""

    def __init__(self, app: InplaceApp) -> None:
        self._app = app
        self._is_open = False
        self._kept: deque[tuple[Input, Forward, int]] = deque()
        """What waits, and how often each is to be handled."""

        self._looks_again = False

    async def dispatch(self, event: events.Event, forward: Forward) -> None:
        """Have what is pressed, clicked or pasted wait until it can be done."""
        if not isinstance(event, Input) or event.is_forwarded:
            await forward(event)
            return
        repeats, self._app.repeats = self._app.repeats, 1
        if isinstance(event, events.MouseMove):
            await self._handle(event, forward)
        elif isinstance(event, events.Key) and self._goes_first(event):
            if self._kept and isinstance(self._app.screen, Page):
                self._app.screen.keys_dropped()
            self._kept.clear()
            await self._handle(event, forward)
        else:
            if len(self._kept) < MAX_KEPT:
                self._kept.append((event, forward, repeats))
            await self._hand_on()

    def open(self) -> None:
        """Hand on what comes from now on: the screen that was asked for is there."""
        self._is_open = True
        self.hand_on()

    def close(self) -> None:
        """Have what comes wait until `open`."""
        self._is_open = False

    async def until_handled(self) -> None:
        """Wait until all is done that was pressed, but for what waits for something else."""
        await asyncio.sleep(LOOK_AGAIN)  # what the thread has read is a task before it is a message
        await until_idle(self._app)
        while self._kept and not self._waits(self._kept[0][0]):  # noqa: ASYNC110
            await asyncio.sleep(LOOK_AGAIN)
        await until_idle(self._app.focused or self._app.screen)

    def hand_on(self) -> None:
        """Hand on what waited, if it need not any more."""
        if self._kept:
            self._app.call_later(self._hand_on)

    def _waits(self, event: Input) -> bool:
        if not self._is_open:
            return True
        front = self._app.screen if self._app.screen_stack else None
        key = event.key if isinstance(event, events.Key) else None
        return isinstance(front, Page) and front.has_to_wait(key)

    def _goes_first(self, key: events.Key) -> bool:
        """Whether a key does not wait: one that quits, or takes back what is waited for."""
        if self._app.quits(key.key):
            kept = (each.key for each, _, _ in self._kept if isinstance(each, events.Key))
            may_be_text = self.is_typing or self._app.keymap.keys(*_OPEN_A_LINE).intersection(kept)
            return not (key.is_printable and may_be_text)
        front = self._app.screen if self._app.screen_stack else None
        return self._is_open and isinstance(front, Page) and front.goes_first(key.key)

    async def _hand_on(self) -> None:
        """Hand on one: what a dialog was closed with is told when the app has done with a key."""
        if self._kept and not self._waits(self._kept[0][0]):
            event, forward, repeats = self._kept.popleft()
            await self._until_open()
            if self._app.screen_stack and isinstance(self._app.screen, BaseScreen):
                await self._app.screen.until_laid_out()
            if repeats > 1:
                repeats = await self._repeat(event, forward, repeats)
                if repeats:
                    self._kept.appendleft((event, forward, repeats))
            else:
                await self._handle(event, forward)
        if not self._kept or not self._waits(self._kept[0][0]):
            self.hand_on()
        elif not self._looks_again:
            self._looks_again = True
            if self._is_open and isinstance(self._app.screen, Page):
                self._app.screen.key_waits()
            self._app.set_timer(LOOK_AGAIN, self._look_again)

    async def _look_again(self) -> None:
        self._looks_again = False
        await self._hand_on()

    async def _repeat(self, event: Input, forward: Forward, repeats: int) -> int:
        """Handle it so often, and draw the result once; return how often it has to wait.

        Each by itself: what the first of them opens, the others are meant for.
        """
        while repeats and not self._waits(event):
            await self._until_open()
            front = self._app.screen if self._app.screen_stack else None
            if front is None:
                return 0
            with self._app.batch_update():
                while repeats and front is self._app.screen and not self._waits(event):
                    await self._handle(copy(event), forward)
                    repeats -= 1
        return repeats

    async def _handle(self, event: Input, forward: Forward) -> None:
        app = self._app
        await self._until_open()
        if not app.screen_stack:  # all is closed; the key had been under way
            return
        app.presence.touched()
        if isinstance(event, events.Key | events.MouseDown) and app.page is not None:
            app.page.clear_notice()
            if app.screen is not app.page and isinstance(app.screen, deferred.Dialog):
                app.screen.clear_notice()
        if isinstance(event, events.Key) and event.character == "\u3000":
            event = ascii_key(event)  # a wide space is not printable: no line would take it
        if isinstance(event, events.Key) and not (self.is_typing and event.is_printable):
            await self._press(event, forward)
        else:
            await forward(event)

    async def _until_open(self) -> None:
        while self._app.screen_stack:
            front = self._app.screen
            opens = isinstance(front, BaseScreen) and not front.can_be_pressed
            if not opens or not await until_idle(front):
                break

    async def _press(self, key: events.Key, forward: Forward) -> None:
        """Do all that a key does which is not text, before the next one is handled.

        On their way up to the app, from widget to widget, keys would be overtaken by those
        that were typed after them.
        """
        app = self._app
        if not self.is_typing:
            key = ascii_key(key)  # a full-width one is meant for its twin
        typing = self.is_typing
        origin = app.focused or app.screen
        done = self._only_bindings and await run_binding(app, key.key)
        if not done:
            front, focused = app.screen, app.focused or app.screen
            key.bubble = False  # type: ignore[misc]  # declared for classes; set on this instance only
            await forward(key)
            if key.is_forwarded:
                await until_idle(focused)
                done = is_stopped(key) or await run_binding(app, key.key)
            elif typing:
                done = True
            if not done and app.screen_stack and app.screen is front:
                if front is app.page:
                    app.page.key_unused(key.key)
                elif isinstance(front, deferred.Dialog):
                    front.key_unused(key.key)
        for node in origin.ancestors_with_self:  # what it posted is answered before the next key
            if node is not app and node.message_queue_size:
                await until_idle(node)
        await asyncio.sleep(0)  # what asks a question in a task of its own has asked it then

    @property
    def _only_bindings(self) -> bool:
        """Whether what has the focus takes no key but by a binding.

        Its bindings are run at once: passed from widget to widget, a key takes longer to reach
        them than to run.
        """
        focused = self._app.focused
        return (
            self._app.app_focus
            and isinstance(focused, Lines)
            and isinstance(self._app.screen, Page)
            and focused.typed is None
        )

    @property
    def is_typing(self) -> bool:
        """Whether what has the focus takes printable keys as text."""
        focused = self._app.focused
        if focused is None or isinstance(focused, Lines):
            return False
        return isinstance(focused, deferred.Input) or (
            isinstance(focused, deferred.TextArea) and not focused.read_only
        )
