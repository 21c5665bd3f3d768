"""One line with something at the left and something at the right."""

from __future__ import annotations

from textual.content import Content

from inplace_tui.tutorial.ui.widgets.line_widget import SingleLine

NOTHING = Content("")


class Bar(SingleLine):
    """Shows two texts; the left one gives way where there is no room for both."""

    DEFAULT_CSS = """
    Bar { height: 1; width: 1fr; padding: 0 1; }
    """

    left = NOTHING
    right = NOTHING

    def show(self, left: Content, right: Content = NOTHING) -> None:
        if (left, right) != (self.left, self.right):
            self.left, self.right = left, right
            self.redraw()

    @property
    def text(self) -> str:
        """What it shows, for tests and for copying."""
        return f"{self.left.plain}  {self.right.plain}".strip()

    def render(self) -> Content:
        room = self.size.width
        beside = self.right.cell_length + 2 if self.right else 0
        left = _clipped(self.left, max(0, room - beside))
        if self.right.cell_length > room:
            return _clipped(self.left, room)
        gap = " " * (room - left.cell_length - self.right.cell_length)
        return Content.assemble(left, gap, self.right)


def _clipped(text: Content, room: int) -> Content:
    """Return a text in at most `room` cells, with no gap before the mark of a cut."""
    if text.cell_length <= room:
        return text
    return text.truncate(max(0, room - 1)).rstrip() + ("…" if room else "")
