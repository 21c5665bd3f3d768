"""The editor of the sandbox: notes on lines, and completion of names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import on
from textual.events import Key, MouseDown
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widgets import TextArea

from inplace_tui.common.cells import clean, clip_spans, spans_width
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.writing import OFFER_KINDS, EditorTexts
from inplace_tui.tutorial.editor.completion import (
    MIN_PREFIX,
    Completion,
    TypedName,
    beginning,
    typed_name,
)
from inplace_tui.tutorial.ui.textual_private.compositor import laid_over
from inplace_tui.tutorial.ui.textual_private.text_area import DrawContext
from inplace_tui.tutorial.ui.widgets.annotated_area import AnnotatedArea, Note
from inplace_tui.tutorial.ui.widgets.scroll_bar import SCROLL_BAR_STYLES

if TYPE_CHECKING:
    from typing_extensions import Self

MAX_COMPLETIONS = 8
"""Rows of the list."""

ENOUGH = 4
"""Rows below the cursor for which the list does not go above it."""

WIDEST = 64

CHOSEN = "▸"
NAMES = 14
"""Cells of the names, before their details; longer names push them away."""

TYPED = {"plus": "+", "minus": "-"}
"""What keys type that Textual takes for keys without a character."""

Completer = Callable[[int, TypedName], Sequence[Completion]]
"""Returns completions of what is typed in this row."""


@dataclass
class _List:
    """The completions, and which of them is chosen."""

    offers: list[Completion]
    start: int
    """The column where the name begins that is being typed."""

    chosen: int | None = None
    height: int = MAX_COMPLETIONS
    """Rows that there is room for."""

    place: tuple[object, Region | None] = (None, None)
    """Its region, and what that was computed from."""

    @property
    def top(self) -> int:
        return max(0, (self.chosen or 0) - self.height + 1)


class Editor(AnnotatedArea):
    """Edits one program. A completion is only inserted when it is chosen."""

    DEFAULT_CSS = f"""
    Editor {{
        background: $surface;
        border: none;
        padding: 0;
        {SCROLL_BAR_STYLES}
    }}
    Editor:focus {{ border: none; }}
    Editor > .text-area--gutter {{ color: $text-muted; background: $surface; }}
    Editor > .text-area--placeholder {{ color: $text-muted; }}
    Editor > .text-area--cursor-line {{ background: $foreground 6%; }}
    Editor > .text-area--cursor-gutter {{ background: $foreground 6%; color: $foreground; }}
    Editor > .editor--offer {{ background: $panel; color: $foreground; }}
    Editor > .editor--chosen {{ background: $primary; color: $background; text-style: bold; }}
    Editor:nocolor > .editor--chosen {{ text-style: reverse; }}
    Editor:nocolor > .text-area--selection {{ text-style: reverse; }}
    Editor:nocolor > .text-area--matching-bracket {{ text-style: underline; }}
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"editor--offer", "editor--chosen"}

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's)
        self.completer: Completer | None = None
        self._list: _List | None = None
        self._known: tuple[tuple[int, int, str | None], list[Completion]] | None = None
        self._was_typed = False
        super().__init__(text, id=id)

    # What is proposed.

    @property
    def completions(self) -> list[str]:
        return [] if self._list is None else [each.text for each in self._list.offers]

    def focus(self, scroll_visible: bool = True) -> Self:
        """Ask for nothing that it has: what pastes asks, and is answered behind the next key."""
        return self if self.screen.focused is self else super().focus(scroll_visible)

    def show_completions(self, *, asked: bool = False) -> None:
        """Show completions of the name before the cursor; unasked only where they are useful."""
        line, column = self.cursor_location
        what = typed_name(self.document[line][:column]) if self.selection.is_empty else None
        if what is None and asked and self.selection.is_empty:
            what = TypedName("")
        if what is None or self.completer is None:
            self.close_list()
            return
        if not asked and what.of is None and len(what.prefix) < MIN_PREFIX:
            self.close_list()
            return
        start = column - len(what.prefix)
        place = (line, start, what.of)
        if self._known is None or self._known[0] != place:
            self._known = (place, list(self.completer(line, what)))
        found = beginning(self._known[1], what.prefix)
        if not found:
            self._hide()
        else:
            self._list = _List(found, start)
            self.refresh()

    def refresh_completions(self) -> None:
        """Compute the completions again: more is known by now."""
        self._known = None
        if self._was_typed and self.has_focus:
            self.show_completions()

    def close_list(self) -> None:
        self._known = None
        self._hide()

    def _hide(self) -> None:
        if self._list is not None:
            self._list = None
            self.refresh()

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Type every key that has a character."""
        return super().check_consume_key(key, character or TYPED.get(key))

    async def on_key(self, event: Key) -> None:
        self._was_typed = event.is_printable or event.key == "backspace"
        shown = self._list
        if shown is None:
            return
        match event.key:
            case "down" | "up":
                self._choose(1 if event.key == "down" else -1)
            case "enter" | "tab" if shown.chosen is not None:
                self._accept(shown.offers[shown.chosen])
            case "escape":
                self.close_list()
            case _:
                return
        event.prevent_default()
        event.stop()

    def _choose(self, by: int) -> None:
        assert self._list is not None, "there is a list"
        count = len(self._list.offers)
        before = self._list.chosen
        self._list.chosen = (0 if by > 0 else count - 1) if before is None else before + by
        self._list.chosen %= count
        self.refresh()

    def _accept(self, offer: Completion) -> None:
        assert self._list is not None, "there is a list"
        line, column = self.cursor_location
        start = self._list.start
        self._was_typed = False
        self.close_list()
        self.replace(offer.text, (line, start), (line, column), maintain_selection_offset=False)

    @on(TextArea.Changed)
    def _propose_more(self) -> None:
        if self._was_typed and self.has_focus:
            self.show_completions()
        else:
            self.close_list()

    @on(TextArea.SelectionChanged)
    def _went_away(self) -> None:
        if self._list is not None:
            line, column = self.cursor_location
            known = None if self._known is None else self._known[0]
            if known is None or line != known[0] or column < known[1]:
                self.close_list()

    def on_resize(self) -> None:
        self.call_after_refresh(self.scroll_cursor_visible, animate=False)

    def on_blur(self) -> None:
        self.close_list()

    async def on_mouse_down(self, event: MouseDown) -> None:
        shown, region = self._list, self._region()
        if shown is None or region is None:
            return
        place = event.get_content_offset(self)
        if place is not None and region.contains_point(place):
            event.prevent_default()
            event.stop()
            self._accept(shown.offers[shown.top + place.y - region.y])
        else:
            self.close_list()

    # Drawing.

    def _region(self) -> Region | None:
        """Return the region of the list in the viewport: under the cursor, or above it."""
        shown = self._list
        if shown is None:
            return None
        size, (line, _) = self.scrollable_content_region.size, self.cursor_location
        basis = (size, line, self.scroll_offset, shown.chosen)
        if shown.place[0] != basis:
            shown.place = (basis, self._computed_region(shown, size, line))
        return shown.place[1]

    def _computed_region(self, shown: _List, size: Size, line: int) -> Region | None:
        y = line - self.scroll_offset.y
        below, above = size.height - y - 1, y
        height = min(len(shown.offers), MAX_COMPLETIONS)
        if below < min(height, ENOUGH) and above > below:
            height = min(height, above)
            top = y - height
        else:
            height, top = min(height, below), y + 1
        if height <= 0:
            return None
        shown.height = height
        room = size.width - self.gutter_width
        width = min(self._widest(shown), WIDEST, room)
        x = self.gutter_width + self.get_column_width(line, shown.start) - self.scroll_offset.x - 1
        return Region(max(self.gutter_width - 1, min(x, size.width - width)), top, width, height)

    def _widest(self, shown: _List) -> int:
        seen = shown.offers[shown.top : shown.top + shown.height]
        return max(spans_width(offer_row(each, self._language, WIDEST)) for each in seen) + 1

    @property
    def _language(self) -> str:
        return str(getattr(self.app, "language", "en"))

    def line_key(self, row: int, context: DrawContext) -> object | None:
        return None if self._covered(row) else super().line_key(row, context)

    def note_of(self, row: int) -> Note | None:
        """Return the note of a line, unless the list would cover half of it."""
        return None if self._covered(row) else super().note_of(row)

    def _covered(self, row: int) -> bool:
        region = self._region()
        return region is not None and region.y <= row - self.scroll_offset.y < region.bottom

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        shown, region = self._list, self._region()
        if shown is None or region is None or not region.y <= y < region.bottom:
            return strip
        number = shown.top + y - region.y
        chosen = number == shown.chosen
        base = self.get_component_rich_style("editor--chosen" if chosen else "editor--offer")
        segments = []
        for span in offer_row(shown.offers[number], self._language, region.width, chosen=chosen):
            style = base if chosen else self.style_on(span.style, base)
            segments.append(Segment(span.text, style))
        return laid_over(strip, region.x, Strip(segments).adjust_cell_length(region.width, base))


def offer_row(
    offer: Completion, language: str, room: int, *, chosen: bool = False
) -> tuple[Span, ...]:
    name = Span((CHOSEN if chosen else " ") + clean(offer.text), Style.NAME)
    details = _details(offer, language)
    if not details:
        return clip_spans((name,), room)
    gap = Span(" " * max(2, NAMES - spans_width((name,))))
    return clip_spans((name, gap, *details), room)


def _details(offer: Completion, language: str) -> tuple[Span, ...]:
    if offer.tensor is not None:
        shape = ", ".join(map(str, offer.tensor.shape))
        return (Span(f"{offer.tensor.dtype} [{shape}]", Style.DIM),)
    name = offer.name
    if name is None:
        return ()
    spans: list[Span] = []
    if name.in_place:
        spans.append(Span(f"~ {say(EditorTexts.in_place, language)}", Style.CHANGED))
    if name.saves:
        text = say(EditorTexts.can_save, language, names=list_of(name.saves, language))
        spans += [Span("  "), Span(text, Style.SAVED)] if spans else [Span(text, Style.SAVED)]
    if name.signature and name.signature != "()":
        lead = [Span("  ")] if spans else []
        spans += [*lead, Span(name.signature, Style.DIM)]
    if not spans and name.kind != "function":
        spans.append(Span(say(OFFER_KINDS[name.kind], language), Style.DIM))
    return tuple(spans)
