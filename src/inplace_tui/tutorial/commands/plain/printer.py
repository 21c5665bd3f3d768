"""Prints rows: with colours where a terminal shows them, else as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from inplace_tui.common.cells import wrap
from inplace_tui.common.command.output import page_width, print_lines, print_rows
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span
from inplace_tui.common.texts import say
from inplace_tui.common.texts.actions import next_language

MAX_WIDTH = 120


class Printer:
    """Standard output, as wide as it is, in one language."""

    def __init__(self, language: str, *, on_language: Callable[[str], None] | None = None) -> None:
        self.language = language
        self._on_language = on_language

    def switch(self) -> None:
        self.language = next_language(self.language)
        if self._on_language is not None:
            self._on_language(self.language)

    @property
    def room(self) -> int:
        return max(20, page_width(MAX_WIDTH))

    def rows(self, rows: Iterable[Row]) -> None:
        print_rows(rows)

    def text(self, text: str) -> None:
        """Print a sentence of ours, wrapped."""
        self.spans([Span(text)])

    def say(self, text: LocalText, /, **values: object) -> None:
        self.text(say(text, self.language, **values))

    def spans(self, spans: Sequence[Span]) -> None:
        self.rows(Row(line) for line in wrap(spans, self.room))

    def lines(self, lines: Iterable[str]) -> None:
        print_lines(lines)

    def gap(self) -> None:
        print_lines([""])
