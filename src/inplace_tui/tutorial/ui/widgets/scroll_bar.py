"""The style of scroll bars: a thumb of whole cells, visible without colours."""

from __future__ import annotations

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBar, ScrollBarRender

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


def thumb(rows: int, total: float, seen: float, position: float) -> range | None:
    """Return the rows of a bar that its thumb has; None where all is in view."""
    if not 0 < seen < total:
        return None
    length = max(1, round(rows * seen / total))
    start = round((rows - length) * min(1.0, position / (total - seen)))
    return range(start, start + length)


def set_total(bar: ScrollBar, total: int) -> None:
    """Have a bar stand for so many rows. It is drawn again where its thumb moves, which is rare."""
    before = _thumb_of(bar)
    bar.set_reactive(ScrollBar.window_virtual_size, total)
    if _thumb_of(bar) != before:
        bar.refresh()


def _thumb_of(bar: ScrollBar) -> range | None:
    return thumb(bar.size.height, bar.window_virtual_size, bar.window_size, bar.position)


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
        grip = thumb(size, virtual_size, window_size, position)
        if grip is None:
            return Segments([Segment(" ", Style(bgcolor=back_color))] * size, new_lines=True)

        def part(text: str, press: str) -> Segment:
            meta = {"@mouse.down": press}
            return Segment(text, Style(color=bar_color, bgcolor=back_color, meta=meta))

        rows = [part(" ", "scroll_up")] * grip.start + [part(THUMB, "grab")] * len(grip)
        rows += [part(" ", "scroll_down")] * (size - len(rows))
        return Segments(rows, new_lines=True)
