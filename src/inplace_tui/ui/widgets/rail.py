"""A scroll bar of whole cells, drawn again only where it looks different.

Textual's is as fine as an eighth of a cell, so that with every row more all of it is
drawn, and a bar of ten cells takes as long to draw as the rows beside it.
"""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from inplace_tui.ui.widgets.own_lines import OwnLines

THUMB = "▐"
"""What is in view; above and below it there is nothing to see."""


SCROLLBARS = """\
scrollbar-size: 0 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        scrollbar-corner-color: $surface;
        scrollbar-color: $foreground 40%;
        scrollbar-color-hover: $primary 60%;
        scrollbar-color-active: $primary;"""
"""How bars look, for the styles of what is `Railed`: those of a second base do not count."""


class Rail(ScrollBar, OwnLines):
    """The scroll bar at the right of rows."""

    window_virtual_size = reactive(100, repaint=False)
    window_size = reactive(0, repaint=False)
    position = reactive[float](0, repaint=False)

    def __init__(self) -> None:
        super().__init__(vertical=True, name="vertical")
        self._seen = range(0)

    @property
    def thumb(self) -> range:
        """The cells that stand for what is in view."""
        size, whole, window = self.size.height, self.window_virtual_size, self.window_size
        if not 0 < window < whole or not size:
            return range(0)
        length = max(1, round(size * window / whole))
        start = round((size - length) * min(1.0, self.position / (whole - window)))
        return range(start, start + length)

    def turned(self) -> None:
        """Draw again if it looks different now."""
        if self.thumb != self._seen:
            self._seen = self.thumb
            self.refresh()

    def watch_window_virtual_size(self) -> None:
        """Look whether that is to be seen."""
        self.turned()

    def watch_window_size(self) -> None:
        """Look whether that is to be seen."""
        self.turned()

    def watch_position(self) -> None:
        """Look whether that is to be seen."""
        self.turned()

    def render_line(self, y: int) -> Strip:
        """Return a cell: a press of the button above the thumb, on it or below it differs."""
        assert isinstance(self.parent, Widget)
        styles, thumb = self.parent.styles, self.thumb
        if self.grabbed:
            color, back = styles.scrollbar_color_active, styles.scrollbar_background_active
        elif self.mouse_over:
            color, back = styles.scrollbar_color_hover, styles.scrollbar_background_hover
        else:
            color, back = styles.scrollbar_color, styles.scrollbar_background
        text = THUMB if y in thumb else " "
        press = "grab" if y in thumb else "scroll_up" if y < thumb.start else "scroll_down"
        return _cell(text, (back + color).rich_color, back.rich_color, press if thumb else "")


class Railed(Widget):
    """What scrolls along a rail. A base after those of the library: styles follow the first."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The bar at the right; it is made when it is asked for first."""
        known = self._vertical_scrollbar
        if known is None:
            self._vertical_scrollbar = known = Rail()
            known.display = False
            self.app._start_widget(self, known)
        return known


@lru_cache(maxsize=256)
def _cell(text: str, color: RichColor, back: RichColor, press: str) -> Strip:
    meta = {"@mouse.down": press} if press else None
    return Strip([Segment(text, Style(color=color, bgcolor=back, meta=meta))], 1)
