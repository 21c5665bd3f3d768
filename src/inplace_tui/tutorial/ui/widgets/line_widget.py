"""Base classes of the widgets that draw line by line."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget


class LineWidget(Widget):
    """Each line is drawn by itself, and is neither tinted nor see-through.

    So a part of the content can be drawn without the general steps of Textual.
    """

    _ground: Color | None = None
    _page: Screen[object] | None = None

    @property
    def screen(self) -> Screen[object]:
        """The screen that it is on, cached: our widgets are never moved.

        Textual walks up the parents for every size and every position.
        """
        if self._page is None:
            self._page = super().screen
        return self._page

    @property
    def background_below(self) -> Color:
        """The background colour beneath, computed once."""
        if self._ground is None:
            self._ground = self.background_colors[1]
        return self._ground

    def notify_style_update(self) -> None:
        self._ground = None
        super().notify_style_update()

    def render_part(self, region: Region) -> list[Strip] | None:
        """Return a region of the widget as it goes to the terminal.

        None where border or padding belong to it.
        """
        gutter, size = self.styles.gutter, self.size
        left, top = region.x - gutter.left, region.y - gutter.top
        right, bottom = left + region.width, top + region.height
        if left < 0 or top < 0 or right > size.width or bottom > size.height:
            return None
        beyond = Style.from_color(bgcolor=self.background_below.rich_color)
        lines = (
            each.extend_cell_length(right, beyond) for each in self.rendered(range(top, bottom))
        )
        return self.filtered(strip.crop(left, right) for strip in lines)

    def rendered(self, lines: range) -> list[Strip]:
        """Return some lines of the content, each as `render_line` has it."""
        return [self.render_line(y) for y in lines]

    def filtered(self, strips: Iterable[Strip]) -> list[Strip]:
        """Return strips as the terminal takes them."""
        filters, ground = self.get_line_filters(), self.background_below
        found = []
        for strip in strips:
            segments = list(strip)
            for each in filters:
                segments = each.apply(segments, ground)
            found.append(Strip(segments, strip.cell_length))
        return found


class SingleLine(LineWidget):
    """Draws its `render` as it is: nothing of it is wrapped, aligned or selected."""

    ALLOW_SELECT: ClassVar[bool] = False

    @abstractmethod
    def render(self) -> Content:
        """Return the line, no wider than the widget."""

    def redraw(self) -> None:
        self.refresh(self.size.region)

    def render_line(self, y: int) -> Strip:
        style, width = self.visual_style, self.size.width
        if y:
            return Strip.blank(width, style.rich_style)
        pieces = self.render().render(style, end="", parse_style=self.app.stylesheet.parse_style)
        strip = Strip([Segment(text, style_of_piece.rich_style) for text, style_of_piece in pieces])
        return strip.crop_extend(0, width, style.rich_style)


def laid_over(strip: Strip, at: int, other: Strip) -> Strip:
    """Return a strip with another one on it, from this cell on."""
    width = strip.cell_length
    end = at + other.cell_length
    if at < 0 or end > width:
        return strip
    return Strip.join([strip.crop(0, at), other, strip.crop(end, width)])


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
