"""Where a key goes: to what it is bound to, or to the widget that has the focus."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from copy import copy
from typing import TYPE_CHECKING

from textual import events

from inplace_tui.lazy import LazyModule
from inplace_tui.ui.keys import ascii_key
from inplace_tui.ui.screens.page import Page
from inplace_tui.ui.textual_private.app import is_stopped, run_binding, until_idle
from inplace_tui.ui.textual_private.screen import BaseScreen
from inplace_tui.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from inplace_tui.ui import deferred
    from inplace_tui.ui.worker_app import WorkerApp
else:
    deferred = LazyModule("inplace_tui.ui.deferred")

Forward = Callable[[events.Event], Awaitable[None]]


class KeyDispatch:
    """Hands on one key after the other, each to where the one before it led."""

    def __init__(self, app: WorkerApp) -> None:
        self._app = app

    async def dispatch(self, event: events.Event, forward: Forward) -> None:
        """Have what is pressed, clicked or pasted wait until a screen that opens can take it."""
        app = self._app
        if not isinstance(event, events.InputEvent | events.Paste) or event.is_forwarded:
            await forward(event)
            return
        repeats, app.repeats = app.repeats, 1
        if repeats > 1:
            await self._repeat(event, forward, repeats)
        else:
            await self._handle(event, forward)

    async def _repeat(
        self, event: events.InputEvent | events.Paste, forward: Forward, repeats: int
    ) -> None:
        """Handle it so often, and draw the result once.

        Each by itself: what the first of them opens, the others are meant for.
        """
        while repeats:
            await self._until_open()
            front = self._app.screen if self._app.screen_stack else None
            with self._app.batch_update():
                while repeats and front is not None and front is self._app.screen:
                    await self._handle(copy(event), forward)
                    repeats -= 1
            if front is None:
                return

    async def _handle(self, event: events.InputEvent | events.Paste, forward: Forward) -> None:
        app = self._app
        await self._until_open()
        if not app.screen_stack:  # all is closed; the key had been under way
            return
        app.presence.touched()
        if isinstance(event, events.Key | events.MouseDown) and app.page is not None:
            app.page.clear_notice()
            if isinstance(app.screen, deferred.Dialog):
                app.screen.clear_notice()
        if isinstance(event, events.Key) and not (self.is_typing and event.is_printable):
            await self._press(event, forward)
        else:
            await forward(event)

    async def _until_open(self) -> None:
        while self._app.screen_stack:
            front = self._app.screen
            if (
                not isinstance(front, BaseScreen)
                or front.can_be_pressed
                or not await until_idle(front)
            ):
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
            and not focused.takes_all_keys
        )

    @property
    def is_typing(self) -> bool:
        """Whether what has the focus takes printable keys as text."""
        focused = self._app.focused
        return isinstance(focused, deferred.Input) or (
            isinstance(focused, deferred.TextArea) and not focused.read_only
        )
