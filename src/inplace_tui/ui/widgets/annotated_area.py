"""A text area with notes on its lines and marked matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style as RichStyle
from rich.text import Text
from textual.color import Color
from textual.strip import Strip

from inplace_tui.engine.editor.search import Match
from inplace_tui.present.cells import clip_spans, spans_width
from inplace_tui.present.rows import Span, Style
from inplace_tui.ui.textual_private.text_area import DrawContext
from inplace_tui.ui.widgets.line_widget import laid_over
from inplace_tui.ui.widgets.python_area import PythonArea
from inplace_tui.ui.widgets.theme_style import theme_style

FOUND, FOUND_NOW = "editor--found", "editor--found-now"
GAP = 2
"""Free cells between a line and its note."""


@dataclass(frozen=True)
class Note:
    """A note on one line of the text."""

    mark: Span | None = None
    """One cell beside its number."""

    spans: tuple[Span, ...] = ()
    """At the right edge, if there is room behind the code."""


class AnnotatedArea(PythonArea):
    """Draws notes and matches over the text, which never moves for them."""

    DEFAULT_CSS = f"""
    AnnotatedArea {{
        & > .{FOUND} {{ background: $warning-muted; }}
        & > .{FOUND_NOW} {{ background: $warning; color: $background; text-style: bold; }}
        &:nocolor > .{FOUND} {{ text-style: underline; }}
        &:nocolor > .{FOUND_NOW} {{ text-style: reverse; }}
    }}
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {FOUND, FOUND_NOW}

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's)
        self._notes: Mapping[int, Note] = {}
        self._found: dict[int, list[tuple[Match, bool]]] = {}
        super().__init__(text, id=id)

    def annotate(self, notes: Mapping[int, Note]) -> None:
        if notes != self._notes:
            self._notes = notes
            self.refresh()

    @property
    def notes(self) -> Mapping[int, Note]:
        return self._notes

    def mark_found(self, places: Sequence[Match], now: int | None) -> None:
        found: dict[int, list[tuple[Match, bool]]] = {}
        for number, place in enumerate(places):
            found.setdefault(place.row, []).append((place, number == now))
        if found != self._found:
            self._found = found
            self.forget_lines()

    def line_key(self, row: int, context: DrawContext) -> object | None:
        key = super().line_key(row, context)
        if key is None:
            return None
        return key, self._notes.get(row), tuple(self._found.get(row, ()))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for place, now in self._found.get(line_index, ()):
            theme_style = self.get_component_rich_style(FOUND_NOW if now else FOUND, partial=True)
            line.stylize(theme_style, place.start, place.end)
        return line

    def note_of(self, row: int) -> Note | None:
        return self._notes.get(row)

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        row = y + self.scroll_offset.y
        note = self.note_of(row)
        if note is None or row >= self.document.line_count:
            return strip
        if note.mark is not None:
            at = self.gutter_width - 2
            strip = laid_over(strip, at, self.drawn((note.mark,), strip, at))
        if note.spans:
            strip = self._with_spans(strip, row, note.spans)
        return strip

    def _with_spans(self, strip: Strip, row: int, spans: tuple[Span, ...]) -> Strip:
        room = self.scrollable_content_region.width
        line = self.get_column_width(row, len(self.document[row])) - self.scroll_offset.x
        taken = self.gutter_width + line + 1
        spans = clip_spans(spans, max(0, min(spans_width(spans), room - taken - GAP)))
        needed = spans_width(spans)
        if needed < min(6, spans_width(spans)) or needed == 0:
            return strip
        at = room - needed - 1
        return laid_over(strip, at, self.drawn(spans, strip, at))

    def drawn(self, spans: Sequence[Span], on: Strip, at: int) -> Strip:
        under = next(iter(on.crop(at, at + 1)), Segment(" ")).style or RichStyle()
        under = RichStyle(bgcolor=under.bgcolor)
        segments = [Segment(span.text, self.style_on(span.style, under)) for span in spans]
        return Strip(segments, spans_width(spans))

    def style_on(self, style: Style, under: RichStyle) -> RichStyle:
        found = theme_style(style, self.app.theme_variables)
        shown = under + found.rich
        if found.color is not None and under.bgcolor is not None:
            color = Color.from_rich_color(under.bgcolor) + found.color
            shown += RichStyle(color=color.rich_color)
        return shown
