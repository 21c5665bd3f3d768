"""The tabs of panels that share one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message

from inplace_tui.tutorial.ui.widgets.line_widget import SingleLine

BETWEEN = " "


@dataclass(frozen=True)
class Tab:
    """One panel: its id, the key that leads to it, its title, and that with its note."""

    name: str
    key: str
    title: str
    noted: str

    def texts(self) -> tuple[str, str, str]:
        """What the tab says, the longest first."""
        return f" {self.key} {self.noted} ", f" {self.key} {self.title} ", f" {self.key} "


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
        """Draw the tabs; where they don't fit, only the seen one has its note, or its title."""
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
        for seen, others in ((0, 0), (0, 1), (0, 2)):
            texts = [tab.texts()[seen if tab.name == self.seen else others] for tab in self.tabs]
            if Content(BETWEEN.join(texts)).cell_length <= self.size.width:
                break
        return texts
