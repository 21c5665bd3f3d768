"""The editor of the sandbox: Python that is indented, notes on lines, completion of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style as RichStyle
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.events import Key, MouseDown
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.theme import Theme
from textual.widgets import TextArea
from textual.widgets.text_area import Selection, TextAreaTheme

from inplace_tui.common.cells import clean, clip_spans, spans_width
from inplace_tui.common.ops.survey import installed_survey
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.writing import OFFER_KINDS, EditorTexts
from inplace_tui.tutorial.editor import indentation
from inplace_tui.tutorial.editor.completion import (
    MIN_PREFIX,
    Completion,
    TypedName,
    beginning,
    typed_name,
)
from inplace_tui.tutorial.editor.search import Match
from inplace_tui.tutorial.ui.textual_private.app import run_binding
from inplace_tui.tutorial.ui.textual_private.compositor import laid_over
from inplace_tui.tutorial.ui.textual_private.text_area import DrawContext, IncrementalTextArea
from inplace_tui.tutorial.ui.theme import THEMES, theme_style
from inplace_tui.tutorial.ui.widgets.lines import Lines
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


_COLOURED = {
    "secondary": ("string", "string.documentation"),
    "warning": ("number", "float", "boolean", "constant.builtin"),
    "primary": ("function", "function.call", "method", "method.call"),
    "accent": (
        *(f"keyword{word}" for word in ("", ".function", ".return", ".operator")),
        *("conditional", "repeat", "exception", "include"),
    ),
}
"""Tree-sitter's names, by the colour of a theme that they have."""


def _colours(theme: Theme) -> TextAreaTheme:
    """Return the styles of tree-sitter's names; the rest follows the style sheet."""
    styles = {"comment": RichStyle(color=theme.foreground, dim=True, italic=True)}
    for colour, names in _COLOURED.items():
        styles |= dict.fromkeys(names, RichStyle(color=getattr(theme, colour)))
    return TextAreaTheme(name=theme.name, syntax_styles=styles)


class Editor(IncrementalTextArea):
    """Edits one program. Esc is the screen's; Enter keeps the indentation.

    Notes and matches are drawn over the text, which never moves for them. A completion is only
    inserted when it is chosen.
    """

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
    Editor > .{FOUND} {{ background: $warning-muted; }}
    Editor > .{FOUND_NOW} {{ background: $warning; color: $background; text-style: bold; }}
    Editor:nocolor > .{FOUND} {{ text-style: underline; }}
    Editor:nocolor > .{FOUND_NOW} {{ text-style: reverse; }}
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"editor--offer", "editor--chosen", FOUND, FOUND_NOW}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "first_line", show=False),
        Binding("ctrl+end", "last_line", show=False),
    ]

    def __init__(self, text: str) -> None:
        self.completer: Completer | None = None
        self._list: _List | None = None
        self._known: tuple[tuple[int, int, str | None], list[Completion]] | None = None
        self._was_typed = False
        self.notes: Mapping[int, Note] = {}
        self._found: dict[int, list[tuple[Match, bool]]] = {}
        super().__init__(text)
        for theme in THEMES:
            self.register_theme(_colours(theme))

    def on_mount(self) -> None:
        self._follow(self.app.current_theme)
        self.app.theme_changed_signal.subscribe(self, self._follow)

    def _follow(self, theme: Theme) -> None:
        if theme.name in self.available_themes:
            self.theme = theme.name

    # What is typed.

    def replace_all(self, text: str) -> None:
        self.history.checkpoint()
        self.replace(text, (0, 0), self.document.end)
        self.history.checkpoint()

    def change_lines(self, change: Callable[[Sequence[str]], Sequence[str]]) -> None:
        """Change the lines that are selected, or the cursor's, in one step that can be undone."""
        top, bottom = sorted((self.selection.start, self.selection.end))
        last = bottom[0] - 1 if bottom[1] == 0 and bottom[0] > top[0] else bottom[0]
        before = [self.document[row] for row in range(top[0], last + 1)]
        after = list(change(before))
        if after == before:
            return
        selection = self.selection
        self.history.checkpoint()
        self.replace("\n".join(after), (top[0], 0), (last, len(before[-1])))
        self.history.checkpoint()
        shifted = (self._shifted(place, top[0], before, after) for place in selection)
        self.selection = Selection(*shifted)

    def _shifted(
        self, place: tuple[int, int], top: int, before: Sequence[str], after: Sequence[str]
    ) -> tuple[int, int]:
        row, column = place
        if not 0 <= row - top < len(before) or (column == 0 and not self.selection.is_empty):
            return place
        grown = len(after[row - top]) - len(before[row - top])
        return row, max(0, column + grown)

    def action_undo(self) -> None:
        if not self.history.undo_stack:
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_to_undo))
        super().action_undo()

    def action_redo(self) -> None:
        if not self.history.redo_stack:
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_to_redo))
        super().action_redo()

    def action_paste(self) -> None:
        """Paste what was copied here: what was copied elsewhere comes from the terminal."""
        if not self.app.clipboard:
            self.post_message(Lines.EdgeReached(EditorTexts.nothing_copied))
        super().action_paste()

    def action_first_line(self) -> None:
        self.move_cursor((0, 0))

    def action_last_line(self) -> None:
        self.move_cursor(self.document.end)

    @property
    def _before_cursor(self) -> str:
        """The text between the start of the line and the cursor; nothing while text is selected."""
        row, column = self.cursor_location
        return self.document[row][:column] if self.selection.is_empty else ""

    def _break_line(self) -> None:
        start, end = sorted((self.selection.start, self.selection.end))
        first = max(0, start[0] - indentation.LOOK_BACK)
        before = [self.document[row] for row in range(first, start[0])]
        before.append(self.document[start[0]][: start[1]])
        self.replace("\n" + indentation.after(before), start, end, maintain_selection_offset=False)

    def _unindent(self) -> None:
        row, column = self.cursor_location
        back = (column - 1) % indentation.INDENT + 1 if " " * column == self._before_cursor else 1
        self.replace("", (row, column - back), (row, column), maintain_selection_offset=False)

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
        """Go through what is proposed, else indent; no key of the screen's is text."""
        self._was_typed = event.is_printable or event.key == "backspace"
        shown = self._list
        match event.key:
            case "down" | "up" if shown is not None:
                self._choose(1 if event.key == "down" else -1)
            case "enter" | "tab" if shown is not None and shown.chosen is not None:
                self._accept(shown.offers[shown.chosen])
            case "escape" if shown is not None:
                self.close_list()
            case "enter":
                self._break_line()
            case "tab" if self.selection.start[0] != self.selection.end[0]:
                self.change_lines(lambda lines: indentation.moved(lines, 1))
            case "shift+tab":
                self.change_lines(lambda lines: indentation.moved(lines, -1))
            case "backspace" if self._before_cursor.isspace():
                self._unindent()
            case key if not event.is_printable and await run_binding(self.app, key):
                pass
            case "escape":
                pass  # a text area would leave the focus
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

    # Where the list is.

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

    def _covered(self, row: int) -> bool:
        region = self._region()
        return region is not None and region.y <= row - self.scroll_offset.y < region.bottom

    def _with_offer(self, strip: Strip, y: int) -> Strip:
        """Return a line with the completion that lies over it."""
        shown, region = self._list, self._region()
        assert shown is not None, "it covers the line"
        assert region is not None, "it is seen"
        number = shown.top + y - region.y
        chosen = number == shown.chosen
        base = self.get_component_rich_style("editor--chosen" if chosen else "editor--offer")
        segments = []
        for span in offer_row(shown.offers[number], self._language, region.width, chosen=chosen):
            style = base if chosen else self.style_on(span.style, base)
            segments.append(Segment(span.text, style))
        return laid_over(strip, region.x, Strip(segments).adjust_cell_length(region.width, base))

    # What is drawn over it.

    def annotate(self, notes: Mapping[int, Note]) -> None:
        if notes != self.notes:
            self.notes = notes
            self.refresh()

    def mark_found(self, places: Sequence[Match], now: int | None) -> None:
        found: dict[int, list[tuple[Match, bool]]] = {}
        for number, place in enumerate(places):
            found.setdefault(place.row, []).append((place, number == now))
        if found != self._found:
            self._found = found
            self.forget_lines()

    def line_key(self, row: int, context: DrawContext) -> object | None:
        key = None if self._covered(row) else super().line_key(row, context)
        if key is None:
            return None
        return key, self.notes.get(row), tuple(self._found.get(row, ()))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for place, now in self._found.get(line_index, ()):
            look = self.get_component_rich_style(FOUND_NOW if now else FOUND, partial=True)
            line.stylize(look, place.start, place.end)
        return line

    def render_line(self, y: int) -> Strip:
        strip, row = super().render_line(y), y + self.scroll_offset.y
        if self._covered(row):
            return self._with_offer(strip, y)
        note = self.notes.get(row)
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
        return (VisualStyle.from_rich_style(under) + theme_style(style, self.app)).rich_style


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
    op = installed_survey().named(f"{offer.of}.{name.name}")
    cases = [] if op is None else op.cases
    if any(case.written.get("input") for case in cases):
        spans.append(Span(f"~ {say(EditorTexts.in_place, language)}", Style.CHANGED))
    if kept := dict.fromkeys(each for case in cases for each in case.kept):
        text = say(EditorTexts.can_save, language, names=list_of([*kept], language))
        spans.append(Span(text, Style.SAVED))
    if name.signature not in ("", "()"):
        spans.append(Span(name.signature, Style.DIM))
    if not spans and name.kind != "function":
        spans.append(Span(say(OFFER_KINDS[name.kind], language), Style.DIM))
    return tuple(each for span in spans for each in (Span("  "), span))[1:]
