"""Prints rows: with colours where a terminal shows them, else as plain text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence

from inplace_tui.common.cells import sanitize, wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.texts import next_language, say
from inplace_tui.tutorial.commands.output import echo, page_width, print_lines

MAX_WIDTH = 120

_CODES = {
    Style.DIM: "2",
    Style.STRONG: "1",
    Style.HEADING: "1",
    Style.NAME: "1",
    Style.CODE: "36",
    Style.RIGHT: "34",
    Style.WRONG: "38;5;208",
    Style.ERROR: "38;5;208",
    Style.STALE: "38;5;208",
    Style.WARNING: "33",
}
"""Blue for right and orange for wrong; what is not here is plain."""


def print_rows(rows: Iterable[Row], *, err: bool = False) -> None:
    """Print rows, in colours where a terminal shows them."""
    dumb = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    in_colour = (sys.stderr if err else sys.stdout).isatty() and not dumb
    for row in rows:
        echo((_coloured(row) if in_colour else row.text).rstrip(), err=err, ours=in_colour)


def _coloured(row: Row) -> str:
    """Return the row with escape codes, which its text has none of."""
    parts = []
    for span in row.spans:
        code = _CODES.get(span.style)
        text = sanitize(span.text)
        parts.append(text if code is None else f"\x1b[{code}m{text}\x1b[0m")
    return "".join(parts)


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
