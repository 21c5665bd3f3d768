"""Widgets that draw line by line, and a compositor that paints only the cells that a step changes.

Left alone, Textual renders every widget between the topmost changed cell and the lowest,
sends whole rows of widgets, and does so after three rounds of messages and the next tick
of a 60 Hz clock, which is more than the rest of a step costs (`benches/stepping.py`). It also
arranges a widget's children anew only for a change that it knows of, draws all of a scroll view
when its content grows by a row, and can't take single keys from a base class.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from time import perf_counter, sleep
from typing import ClassVar

from rich.console import Console
from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from textual._compositor import Compositor, CompositorUpdate
from textual.color import Color
from textual.content import Content
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

FRAME = 1 / 60
"""Seconds between two paints at least: what changes faster is gathered by Textual."""

WRITER_TURN = 3e-4
"""Seconds in which the thread that writes to the terminal gets its turn.

Left to Python it comes when this one next waits for something, or after 5 ms.
"""


class LineWidget(Widget):
    """Each line is drawn by itself, and is neither tinted nor see-through.

    So a part of the content can be drawn without the general steps of Textual.
    """

    _ground: Color | None = None
    _page: Screen[object] | None = None

    @property
    def screen(self) -> Screen[object]:
        """The screen that it is on, cached: our widgets are never moved.

        Textual walks up the parents for every size and every position: 5 % of a step.
        """
        if self._page is None:
            self._page = super().screen
        return self._page

    @property
    def background_below(self) -> Color:
        """The background colour beneath, computed once: 7 % of a step."""
        if self._ground is None:
            self._ground = self.background_colors[1]
        return self._ground

    def notify_style_update(self) -> None:
        self._ground = None
        super().notify_style_update()

    def render_part(self, region: Region) -> list[Strip] | None:
        """Return a region of the widget as the terminal takes it.

        None where border or padding belong to it.
        """
        gutter, size = self.styles.gutter, self.size
        left, top = region.x - gutter.left, region.y - gutter.top
        right, bottom = left + region.width, top + region.height
        if left < 0 or top < 0 or right > size.width or bottom > size.height:
            return None
        beyond = Style.from_color(bgcolor=self.background_below.rich_color)
        filters, found = self.get_line_filters(), []
        for line in self.rendered(range(top, bottom)):
            strip = line.extend_cell_length(right, beyond).crop(left, right)
            segments = list(strip)
            for each in filters:
                segments = each.apply(segments, self.background_below)
            found.append(Strip(segments, strip.cell_length))
        return found

    def rendered(self, lines: range) -> list[Strip]:
        """Return some lines of the content, each as `render_line` has it."""
        return [self.render_line(y) for y in lines]


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


class Spots(CompositorUpdate):
    """Pieces of lines, each for its place on the screen."""

    def __init__(self, pieces: Sequence[tuple[int, int, Strip]]) -> None:
        self.pieces = pieces

    def render_segments(self, console: Console) -> str:
        return "".join(
            Control.move_to(x, y).segment.text + strip.render(console)
            for x, y, strip in self.pieces
        )


class SpotCompositor(Compositor):
    """Renders the regions that changed and no other widget."""

    def render_partial_update(self) -> Spots | None:  # type: ignore[override]
        """Return what changed since the last update; None if nothing did."""
        regions = list(_merged(self._dirty_regions))
        self._dirty_regions.clear()
        pieces: list[tuple[int, int, Strip]] = []
        for region in regions:
            for widget, seen in self._parts(region.intersection(self.size.region), 0):
                pieces += self._pieces(widget, seen)
        return Spots(pieces) if pieces else None

    def render_full_update(  # type: ignore[override]
        self, simplify: bool = False
    ) -> CompositorUpdate:
        """Return the whole screen; for a picture Textual draws it."""
        if simplify:
            return super().render_full_update(simplify=True)
        self._dirty_regions = {self.size.region}
        return self.render_partial_update() or Spots(())

    def _pieces(self, widget: Widget, seen: Region) -> Iterator[tuple[int, int, Strip]]:
        """Yield a region of a widget, and the rest of each wide character at its sides.

        Half of one can't be painted: the terminal would lose the other half, too.
        """
        whole, _ = self.visible_widgets[widget]
        content = whole.shrink(widget.styles.gutter).shrink(widget.scrollbar_gutter)
        before = after = frozenset[int]()
        if seen.x not in (whole.x, content.x):
            before = self._lines_of(widget, Region(seen.x - 1, seen.y, 1, seen.height))
        if seen.right not in (whole.right, content.right):
            after = self._lines_of(widget, Region(seen.right, seen.y, 1, seen.height))
        painted = seen.grow((0, bool(after), 0, bool(before)))
        part = painted.translate(-whole.offset)
        own = widget.render_part(part) if isinstance(widget, LineWidget) else None
        for y, strip in enumerate(own or widget.render_lines(part), seen.y):
            left = seen.x - painted.x
            right = left + seen.width
            if y in before and _parts_wide(strip, left):
                left -= 1
            if y in after and _parts_wide(strip, right):
                right += 1
            yield painted.x + left, y, strip.crop(left, right)

    def _lines_of(self, widget: Widget, column: Region) -> frozenset[int]:
        """Return the lines of a column in which this widget is seen."""
        parts = self._parts(column.intersection(self.size.region), 0)
        return frozenset(y for each, seen in parts if each is widget for y in seen.line_range)

    def _parts(self, region: Region, first: int) -> Iterator[tuple[Widget, Region]]:
        """Yield the visible widgets of a region and where, from the `first` one backwards."""
        if not region:
            return
        widgets = islice(self.visible_widgets.items(), first, None)
        for place, (widget, (whole, clip)) in enumerate(widgets, first):
            seen = region.intersection(whole).intersection(clip)
            if seen:
                yield widget, seen
                for rest in _around(region, seen):
                    yield from self._parts(rest, place + 1)
                return


def _around(region: Region, hole: Region) -> tuple[Region, Region, Region, Region]:
    """Return what is left of a region above, below, left and right of a hole; some are empty."""
    x, y, width, height = region
    return (
        Region(x, y, width, hole.y - y),
        Region(x, hole.bottom, width, y + height - hole.bottom),
        Region(x, hole.y, hole.x - x, hole.height),
        Region(hole.right, hole.y, x + width - hole.right, hole.height),
    )


def _parts_wide(strip: Strip, x: int) -> bool:
    """Whether a wide character lies on both sides of this cell's left edge."""
    for segment in strip:
        width = segment.cell_length
        if x < width:
            left, right = segment.split_cells(x)
            return left.text + right.text != segment.text
        x -= width
    return False


def _merged(regions: set[Region]) -> Iterator[Region]:
    """Yield regions, those that lie right below each other as one: a tenth of a whole redraw."""
    last: Region | None = None
    for region in sorted(regions, key=lambda each: (each.x, each.width, each.y)):
        if last is not None and last.column_span == region.column_span and region.y <= last.bottom:
            last = Region(last.x, last.y, last.width, max(last.bottom, region.bottom) - last.y)
            continue
        if last is not None:
            yield last
        last = region
    if last is not None:
        yield last


class Painter:
    """Paints a screen on request, at most once a frame."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._next = 0.0
        screen._compositor = SpotCompositor()

    def paint(self) -> None:
        """Paint what changed, unless something has to find its place first."""
        screen, now = self._screen, perf_counter()
        if now < self._next or not screen.is_current or screen.app._batch_count:
            return
        if screen._layout_required or screen._scroll_required:
            return
        shown = screen._compositor.visible_widgets
        if any(each._layout_required or each._scroll_required for each in shown):
            return
        changed = {each for each in shown if each._repaint_required} | screen._dirty_widgets
        for widget in changed:
            widget._repaint_required = False
        screen._compositor.update_widgets(changed)
        screen._compositor_refresh()
        self._next = perf_counter() + FRAME
        sleep(WRITER_TURN)


def rearrange(widget: Widget) -> None:
    """Have a widget's own layout arrange its children anew."""
    widget._clear_arrangement_cache()
    widget.refresh(layout=True)


def refresh_scroll_bars(widget: Widget) -> None:
    """Show and hide the scroll bars for the widget's virtual size."""
    widget._refresh_scrollbars()


def unbind(widget: Widget, keys: Collection[str]) -> None:
    """Leave these keys to the widgets above."""
    for key in keys:
        widget._bindings.key_to_bindings.pop(key, None)
