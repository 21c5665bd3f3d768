"""Boxes with rows in them, each where its page says."""

from __future__ import annotations

from collections.abc import Mapping

from textual.geometry import Offset, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from inplace_tui.tutorial.ui.textual_private.compositor import rearrange
from inplace_tui.tutorial.ui.widgets.lines import FRAME_STYLES, Lines


class Box(Lines):
    """Rows in a frame, whose title says what they are."""

    DEFAULT_CSS = f"""
    Box {{ padding: 0 1; scrollbar-gutter: auto; {FRAME_STYLES} }}
    """


EDGES = 5
"""Cells of a box that are no room for its rows: frame, padding and a scroll bar."""


class _Arranged(Layout):
    name = "arranged"

    def arrange(
        self,
        parent: Widget,
        children: list[Widget],
        size: Size,
        greedy: bool = True,  # noqa: ARG002  (each has its region)
    ) -> ArrangeResult:
        assert isinstance(parent, Boxes)
        regions, nowhere = parent.regions_in(size), Spacing()
        return [
            WidgetPlacement(regions[child.id], Offset(), nowhere, child)
            for child in children
            if child.id is not None and child.id in regions
        ]


class Boxes(Widget):
    """Shows those of its children that have a region."""

    DEFAULT_CSS = """
    Boxes { width: 1fr; height: 1fr; overflow: hidden; }
    """

    def __init__(self, *children: Widget, id: str | None = None) -> None:  # noqa: A002
        super().__init__(*children, id=id)
        self._arranged = _Arranged()
        self._shown: Mapping[str, Region] = {}

    @property
    def layout(self) -> Layout:
        return self._arranged

    def regions_in(self, size: Size) -> Mapping[str, Region]:  # noqa: ARG002  (who places them knows it)
        """Return where each child is in an area of this size, by its id."""
        return self._shown

    def place(self, regions: Mapping[str, Region]) -> None:
        before, self._shown = self._shown, regions
        if regions != before:
            for child in self.children:
                child.display = child.id in regions
            rearrange(self)
