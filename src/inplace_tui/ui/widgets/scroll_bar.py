"""The style of scroll bars: a thumb of whole cells, visible without colours."""

from __future__ import annotations

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBarRender

THUMB = "▐"

SCROLL_BAR_STYLES = """\
scrollbar-size: 0 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
        scrollbar-corner-color: $surface;
        scrollbar-color: $foreground 40%;
        scrollbar-color-hover: $primary 60%;
        scrollbar-color-active: $primary;"""


class ThumbRender(ScrollBarRender):
    """Draws a vertical bar; a press above the thumb, on it and below it differs."""

    @classmethod
    def render_bar(  # noqa: PLR0917  (Textual calls it so)
        cls,
        size: int = 25,
        virtual_size: float = 50,
        window_size: float = 20,
        position: float = 0,
        thickness: int = 1,  # noqa: ARG003
        vertical: bool = True,  # noqa: ARG003
        back_color: Color | None = None,
        bar_color: Color | None = None,
    ) -> Segments:
        """Return one segment a row, none of them pressable where all is in view."""
        if not 0 < window_size < virtual_size:
            return Segments([Segment(" ", Style(bgcolor=back_color))] * size, new_lines=True)
        length = max(1, round(size * window_size / virtual_size))
        start = round((size - length) * min(1.0, position / (virtual_size - window_size)))

        def part(text: str, press: str) -> Segment:
            meta = {"@mouse.down": press}
            return Segment(text, Style(color=bar_color, bgcolor=back_color, meta=meta))

        rows = [part(" ", "scroll_up")] * start + [part(THUMB, "grab")] * length
        rows += [part(" ", "scroll_down")] * (size - len(rows))
        return Segments(rows, new_lines=True)
