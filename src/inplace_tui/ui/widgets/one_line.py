"""A widget of one line of text."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip

from inplace_tui.ui.widgets.line_widget import LineWidget


class SingleLine(LineWidget):
    """Draws its `render` as it is: nothing of it is wrapped, aligned or selected."""

    ALLOW_SELECT: ClassVar[bool] = False

    @abstractmethod
    def render(self) -> Content:
        """Return the line, no wider than the widget."""

    def redraw(self) -> None:
        """Draw the line again; what is beside it stays."""
        self.refresh(self.size.region)

    def render_line(self, y: int) -> Strip:
        style, width = self.visual_style, self.size.width
        if y:
            return Strip.blank(width, style.rich_style)
        pieces = self.render().render(style, end="", parse_style=self.app.stylesheet.parse_style)
        strip = Strip([Segment(text, look.rich_style) for text, look in pieces])
        return strip.crop_extend(0, width, style.rich_style)
