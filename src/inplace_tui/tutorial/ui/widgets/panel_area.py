"""The area between the bars: panels in the regions of a plan, and tabs for those that share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.widget import Widget

from inplace_tui.tutorial.ui.arrangement import Needs, Plan, plan
from inplace_tui.tutorial.ui.textual_private.compositor import SingleLine
from inplace_tui.tutorial.ui.widgets.boxes import Boxes

BETWEEN = " "


class PanelArea(Boxes):
    """Shows those of its children that the plan for its size has."""

    def __init__(self, *children: Widget, id: str | None = None) -> None:  # noqa: A002
        super().__init__(*children, id=id)
        self.needs = Needs(code_rows=1, panels=("state",))

    def regions_in(self, size: Size) -> Mapping[str, Region]:
        return plan(size.width, size.height, self.needs).regions

    @property
    def plan(self) -> Plan:
        return plan(self.size.width, self.size.height, self.needs)

    def arrange_for(self, needs: Needs) -> None:
        """Arrange anew, if that changes anything."""
        self.needs = needs
        self.place(self.plan.regions)

    def on_resize(self, _: events.Resize) -> None:
        self.place(self.plan.regions)


class Tab(NamedTuple):
    """One panel: its id, and what its tab says, the longest first."""

    name: str
    texts: tuple[str, ...]


class PanelTabs(SingleLine):
    """A line of tabs."""

    DEFAULT_CSS = """
    PanelTabs { height: 1; background: $panel; color: $foreground 75%; }
    """

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
                self.call_later(self.screen.run_action, f"tab({tab.name!r})")
                return
            column -= cells + len(BETWEEN)

    def _texts(self) -> list[str]:
        for seen, others in ((0, 0), (0, 1), (0, 2)):
            texts = [tab.texts[seen if tab.name == self.seen else others] for tab in self.tabs]
            if Content(BETWEEN.join(texts)).cell_length <= self.size.width:
                break
        return texts
