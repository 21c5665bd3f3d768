"""What becomes of a key before any screen has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import events

from inplace_tui.later import Later
from inplace_tui.ui.keys import ascii_key
from inplace_tui.ui.screens.page import Page
from inplace_tui.ui.screens.standing import Standing
from inplace_tui.ui.serving import Serving
from inplace_tui.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from inplace_tui.ui import rest
else:
    rest = Later("inplace_tui.ui.rest")


class Keying(Serving):
    """An app that hands keys to where they are meant for, and to nobody who is not there."""

    async def on_event(self, event: events.Event) -> None:
        """Take a full-width key for its ASCII twin, except where text is typed."""
        if isinstance(event, events.InputEvent):
            if not self._screen_stack:  # all is closed; the key had been under way
                return
            self.presence.touched()
        pressed = isinstance(event, events.Key | events.MouseDown) and not event.is_forwarded
        if pressed and self.page is not None:
            self.page.clear_notice()
        if isinstance(event, events.Key) and not event.is_forwarded:
            if not self._is_typing:
                event = ascii_key(event)
            if self._is_for_the_page and await self._check_bindings(event.key):
                return
        await super().on_event(event)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do nothing with a screen that is still being laid out, nor once all is closing."""
        if self._exit or (
            isinstance(default_namespace, Standing) and not default_namespace.is_there
        ):
            return False
        return await super().run_action(action, default_namespace, namespaces)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Hold the cursor still where nothing is to move."""
        widget = event.widget
        if self.animation_level != "none" or isinstance(widget, Lines):
            return  # the first frame has lines alone, and does not wait for what types
        if isinstance(widget, rest.Input | rest.TextArea):
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
        return isinstance(self.focused, rest.Input) or (
            isinstance(self.focused, rest.TextArea) and not self.focused.read_only
        )
