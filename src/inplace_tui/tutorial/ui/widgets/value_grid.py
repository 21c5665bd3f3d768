"""A window on the elements of a tensor: a cursor in two dimensions, and indices that stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from inplace_tui.tutorial.present.grid import Grid
from inplace_tui.tutorial.ui.widgets.lines import FRAME_STYLES, Lines

FAR = 10**18
"""More rows or columns than any tensor has."""

WHEEL = 3
"""Rows that a turn of the wheel scrolls."""


class ValueGrid(Lines, inherit_bindings=False):
    """Shows rows of a grid that somebody else computes, and says where the learner wants to go."""

    DEFAULT_CSS = f"""
    ValueGrid {{
        overflow: hidden hidden;
        scrollbar-gutter: auto;
        padding: 0 1;
        {FRAME_STYLES}
    }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "walk(-1, 0)", "Up", show=False),
        Binding("down", "walk(1, 0)", "Down", show=False),
        Binding("left", "walk(0, -1)", "Left", show=False),
        Binding("right", "walk(0, 1)", "Right", show=False),
        Binding("pageup", "walk(-1, 0, True)", "Page up", show=False),
        Binding("pagedown", "walk(1, 0, True)", "Page down", show=False),
        Binding("less_than_sign", "walk(0, -1, True)", "Page left", show=False),
        Binding("greater_than_sign", "walk(0, 1, True)", "Page right", show=False),
        Binding("home", f"walk(0, -{FAR})", "Start of the row", show=False),
        Binding("end", f"walk(0, {FAR})", "End of the row", show=False),
        Binding("ctrl+home", f"walk(-{FAR}, 0)", "First row", show=False),
        Binding("ctrl+end", f"walk({FAR}, 0)", "Last row", show=False),
    ]

    @dataclass
    class MoveRequested(Message):
        """The cursor is to move by rows and columns, or by as many windows."""

        grid: ValueGrid
        rows: int
        columns: int
        pages: bool = False

    @dataclass
    class CellClicked(Message):
        """A cell of the window was clicked."""

        row: int
        column: int

    @dataclass
    class Scrolled(Message):
        """The wheel was turned."""

        rows: int
        columns: int

    @dataclass
    class Resized(Message):
        """There is room for more, or for less."""

    shown: Grid | None = None
    gaps = 2
    """Cells between two elements: mark, gap, and the sign for a size if there is one."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def action_walk(self, rows: int, columns: int, pages: bool = False) -> None:
        self.post_message(self.MoveRequested(self, rows, columns, pages))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None or self.shown is None or place.y < 1:
            return
        column = (place.x - self.shown.head - 1) // (self.shown.cell + self.gaps)
        if 0 <= column < self.shown.columns and place.y < len(self.shown.rows):
            event.stop()
            self.post_message(self.CellClicked(place.y - 1, column))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll(event, -1)

    def _scroll(self, event: events.MouseEvent, direction: int) -> None:
        event.stop()
        event.prevent_default()
        sideways = event.shift or event.ctrl
        self.post_message(self.Scrolled(*((0, direction) if sideways else (direction * WHEEL, 0))))
