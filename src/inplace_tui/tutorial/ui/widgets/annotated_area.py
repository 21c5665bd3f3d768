"""A text area for Python: it indents, moves and comments blocks, and has notes on its lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style as RichStyle
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.theme import Theme
from textual.widgets.text_area import Selection, TextAreaTheme

from inplace_tui.common.cells import clip_spans, spans_width
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.texts.writing import EditorTexts
from inplace_tui.tutorial.editor import indentation
from inplace_tui.tutorial.editor.search import Match
from inplace_tui.tutorial.ui.textual_private.app import run_binding
from inplace_tui.tutorial.ui.textual_private.compositor import laid_over
from inplace_tui.tutorial.ui.textual_private.text_area import DrawContext, IncrementalTextArea
from inplace_tui.tutorial.ui.theme import THEMES, theme_style
from inplace_tui.tutorial.ui.widgets.lines import Lines

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


def _colours(theme: Theme) -> TextAreaTheme:
    """Return the styles of tree-sitter's names; the rest follows the style sheet."""
    keyword, string = RichStyle(color=theme.accent), RichStyle(color=theme.secondary)
    number, function = RichStyle(color=theme.warning), RichStyle(color=theme.primary)
    styles = {
        "comment": RichStyle(color=theme.foreground, dim=True, italic=True),
        "string": string,
        "string.documentation": string,
        "number": number,
        "float": number,
        "boolean": number,
        "constant.builtin": number,
        "function": function,
        "function.call": function,
        "method": function,
        "method.call": function,
    }
    words = ("", ".function", ".return", ".operator")
    styles |= {f"keyword{word}": keyword for word in words}
    styles |= dict.fromkeys(("conditional", "repeat", "exception", "include"), keyword)
    return TextAreaTheme(name=theme.name, syntax_styles=styles)


class AnnotatedArea(IncrementalTextArea):
    """Edits one program. Esc is the screen's; Enter keeps the indentation.

    Notes and matches are drawn over the text, which never moves for them.
    """

    DEFAULT_CSS = f"""
    AnnotatedArea {{
        & > .{FOUND} {{ background: $warning-muted; }}
        & > .{FOUND_NOW} {{ background: $warning; color: $background; text-style: bold; }}
        &:nocolor > .{FOUND} {{ text-style: underline; }}
        &:nocolor > .{FOUND_NOW} {{ text-style: reverse; }}
    }}
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {FOUND, FOUND_NOW}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "first_line", show=False),
        Binding("ctrl+end", "last_line", show=False),
    ]

    def __init__(self, text: str, *, id: str | None = None) -> None:  # noqa: A002  (Textual's)
        self.notes: Mapping[int, Note] = {}
        self._found: dict[int, list[tuple[Match, bool]]] = {}
        super().__init__(text, id=id)
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

    async def on_key(self, event: Key) -> None:
        """Indent what follows on Enter, and blocks on Tab; no key of the screen's is text."""
        match event.key:
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
        self.selection = Selection(
            *(
                self._shifted(place, top[0], before, after)
                for place in (selection.start, selection.end)
            )
        )

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

    def action_comment(self) -> None:
        self.change_lines(indentation.commented)

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
        key = super().line_key(row, context)
        if key is None:
            return None
        return key, self.notes.get(row), tuple(self._found.get(row, ()))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for place, now in self._found.get(line_index, ()):
            look = self.get_component_rich_style(FOUND_NOW if now else FOUND, partial=True)
            line.stylize(look, place.start, place.end)
        return line

    def note_of(self, row: int) -> Note | None:
        return self.notes.get(row)

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
        return (VisualStyle.from_rich_style(under) + theme_style(style, self.app)).rich_style
