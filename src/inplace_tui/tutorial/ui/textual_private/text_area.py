"""A text area that draws what a key changed, not all that is in view.

Textual asks the parser about the whole program at every key, and draws every visible line:
five times the work of a letter in 2,000 lines (`benches/letters.py`). Which lines it highlights
and caches is private.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import tree_sitter_python
from textual.document._document import Document, DocumentBase, EditResult, Location
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.document._syntax_aware_document import SyntaxAwareDocument
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset, Region, Spacing
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Highlight
from tree_sitter import Language, Query

MAX_PARSED = 200_000
"""Characters of a text that has colours."""

MAX_COLOURED = 4_000
"""Characters of a line that has colours: what is nested in one takes the square of its length."""

CURSOR_ROOM = 3
"""Columns that are in view from the cursor on, as in Textual's own."""

CHUNK = 16
"""Rows that are highlighted together."""


@cache
def _python() -> tuple[Language, Query]:
    """Return the language and its highlight query, which takes 20 ms to compile."""
    language = Language(tree_sitter_python.language())
    return language, Query(language, TextArea._get_builtin_highlight_query("python"))


class PythonDocument(SyntaxAwareDocument):
    """A document whose parser has nothing where it is long: a tree takes 800 bytes a line."""

    def __init__(self, text: str, language: Language) -> None:
        super().__init__(text if len(text) <= MAX_PARSED else "", language)
        if len(text) > MAX_PARSED:
            Document.__init__(self, text)
        self._length = len(text)

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        was_long = self._length > MAX_PARSED
        replaced = self.get_text_range(*sorted((start, end)))
        self._length += len(text) - len(replaced)
        is_long = self._length > MAX_PARSED
        if not (was_long or is_long):
            return super().replace_range(start, end, text)
        result = Document.replace_range(self, start, end, text)
        if self._parser is not None and was_long != is_long:
            self._syntax_tree = self._parser.parse(b"" if is_long else self.text.encode())
        return result


class Highlights(dict[int, list[Highlight]]):
    """By row: (first byte, last byte, tree-sitter's name), computed when a row is drawn."""

    def __init__(self, document: DocumentBase, query: Query | None) -> None:
        super().__init__()
        self._document, self._query = document, query

    def __bool__(self) -> bool:
        return self._query is not None

    def __missing__(self, row: int) -> list[Highlight]:
        first = row - row % CHUNK
        rows = range(first, first + CHUNK)
        self.update({each: [] for each in rows})
        lines = self._document.lines[first : rows.stop]
        if self._query is None or max(map(len, lines), default=0) > MAX_COLOURED:
            return self[row]
        found = self._document.query_syntax_tree(self._query, (first, 0), (rows.stop, 0))
        named = [(name, node) for name, nodes in found.items() for node in nodes]
        # An inner node comes after the one around it, so that its style wins.
        named.sort(key=lambda each: (each[1].start_byte, -each[1].end_byte))
        for name, node in named:
            (top, left), (bottom, right) = node.start_point, node.end_point
            for line in range(max(top, first), min(bottom, rows.stop - 1) + 1):
                start, end = left if line == top else 0, right if line == bottom else None
                self[line].append((start, end, name))
        return self[row]


class DrawContext(NamedTuple):
    """What a line is drawn from besides its text."""

    view: object
    """Size, scroll offset and theme."""

    first: int
    """The selected rows, or the cursor's."""

    last: int
    bracket: int | None
    """The row of the bracket that matches the one at the cursor."""


class IncrementalTextArea(TextArea):
    """Draws a line again only if what it is drawn from has changed."""

    def __init__(self, text: str) -> None:
        self._painted: dict[int, object | None] = {}
        """By row of the screen: the key of the line that was drawn there."""

        super().__init__(
            text, language="python", soft_wrap=False, tab_behavior="indent", show_line_numbers=True
        )

    def forget_lines(self) -> None:
        self._line_cache.clear()
        self.refresh()

    def edit(self, edit: Edit) -> EditResult:
        # A message of a handler of the parent's would stop there, as if it were the parent's.
        with self._context():
            return super().edit(edit)

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Bring the cursor into view, and the starts of the lines where there is room for both.

        Textual's own stops where the cursor is seen: four columns short of the start, after
        Home in a long line that is indented.
        """
        column, row = self.wrapped_document.location_to_offset(self.cursor_location)
        if column + CURSOR_ROOM > self.scrollable_content_region.width - self.gutter_width:
            return super().scroll_cursor_visible(center, animate)
        return self.scroll_to_region(
            Region(0, row, column + CURSOR_ROOM, 1),
            spacing=Spacing(right=self.gutter_width),
            animate=animate,
            force=True,
            center=center,
        )

    def line_key(self, row: int, context: DrawContext) -> object | None:
        """Return what a line is drawn from; None where it is drawn anew each time."""
        if context.first <= row <= context.last or row == context.bracket:
            return None
        if row >= self.document.line_count:
            empty = self.document.line_count == 1 and not self.document[0]
            return context.view, str(self.placeholder) if empty else ""
        return self.document[row], tuple(self._highlights[row]), row, context.view

    def _draw_context(self) -> DrawContext:
        selection, bracket = self.selection, self._matching_bracket_location
        first, last = sorted((selection.start[0], selection.end[0]))
        view = self.size, self.virtual_size.width, self.gutter_width, self.scroll_x, self.theme
        return DrawContext(view, first, last, None if bracket is None else bracket[0])

    def _set_document(self, text: str, language: str | None) -> None:  # noqa: ARG002  (Textual's)
        # Textual's own would compile the query again for each document.
        python, self._highlight_query = _python()
        self.document = PythonDocument(text, python)
        self.wrapped_document = WrappedDocument(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._build_highlight_map()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _build_highlight_map(self) -> None:
        self._highlights = Highlights(self.document, self._highlight_query)
        self.forget_lines()

    def _set_dirty(self, *regions: Region) -> None:
        width, height = self.size
        if regions or len(self._painted) < height:
            super()._set_dirty(*regions)
            return
        top, context = self.scroll_offset.y, self._draw_context()
        for y in range(height):
            key = self.line_key(y + top, context)
            if key is None or key != self._painted.get(y):
                super()._set_dirty(Region(0, y, width, 1))

    def render_line(self, y: int) -> Strip:
        """Draw a line, and remember from what."""
        self._painted[y] = self.line_key(y + self.scroll_offset.y, self._draw_context())
        return super().render_line(y)

    def notify_style_update(self) -> None:
        self._painted.clear()
        super().notify_style_update()
