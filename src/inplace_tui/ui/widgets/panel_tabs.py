"""The tabs of panels that share one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message

from inplace_tui.ui.widgets.line_widget import SingleLine

BETWEEN = " "


@dataclass(frozen=True)
class Tab:
    """One panel: its id, the key that leads to it, its title."""

    name: str
    key: str
    title: str

    def text(self, *, short: bool) -> str:
        """The key and the title; the key alone where there is little room."""
        return f" {self.key} " if short else f" {self.key} {self.title} "


class PanelTabs(SingleLine):
    """A line of tabs."""

    DEFAULT_CSS = """
    PanelTabs { height: 1; background: $panel; color: $foreground 75%; }
    """

    @dataclass
    class TabClicked(Message):
        """A tab was clicked."""

        tabs: PanelTabs
        name: str

    tabs: tuple[Tab, ...] = ()
    seen = ""
    focused = False

    def show(self, tabs: Sequence[Tab], seen: str, *, focused: bool) -> bool:
        """Show these tabs; `seen` is the name of the visible panel.

        `focused` says whether the keys go to that panel. Return whether anything is another.
        """
        if (tuple(tabs), seen, focused) == (self.tabs, self.seen, self.focused):
            return False
        self.tabs, self.seen, self.focused = tuple(tabs), seen, focused
        self.redraw()
        return True

    def render(self) -> Content:
        """Draw the tabs; where they don't fit, only the seen one has its title."""
        style = "bold reverse $primary" if self.focused else "bold $primary"
        parts = [
            Content.styled(text, style if tab.name == self.seen else "")
            for tab, text in zip(self.tabs, self._texts(), strict=True)
        ]
        return Content(BETWEEN).join(parts)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        column = place.x
        for tab, text in zip(self.tabs, self._texts(), strict=True):
            cells = Content(text).cell_length
            if 0 <= column < cells:
                event.stop()
                self.post_message(self.TabClicked(self, tab.name))
                return
            column -= cells + len(BETWEEN)

    def _texts(self) -> list[str]:
        full = [tab.text(short=False) for tab in self.tabs]
        if Content(BETWEEN.join(full)).cell_length <= self.size.width:
            return full
        return [tab.text(short=tab.name != self.seen) for tab in self.tabs]
