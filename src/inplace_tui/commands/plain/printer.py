"""Prints rows: with colours where a terminal shows them, else as plain text."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence

from inplace_tui.commands.output import print_lines
from inplace_tui.present.cells import wrap
from inplace_tui.present.rows import Row, Span
from inplace_tui.report.ansi import coloured

WIDTH = 100
"""Cells of a line that does not go to a terminal."""

MOST = 120


class Printer:
    """Standard output, as wide as it is, in one language."""

    def __init__(self, language: str, *, on_language: Callable[[str], None] | None = None) -> None:
        """Print nothing yet.

        Args:
            language: to begin with.
            on_language: called when somebody prefers another one.
        """
        self.language = language
        self._on_language = on_language

    def switch(self) -> None:
        """Go on in the other language."""
        self.language = "zh" if self.language == "en" else "en"
        if self._on_language is not None:
            self._on_language(self.language)

    @property
    def room(self) -> int:
        """Cells of a line."""
        if not sys.stdout.isatty():
            return WIDTH
        return max(20, min(shutil.get_terminal_size().columns, MOST))

    @property
    def _in_colour(self) -> bool:
        dumb = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return sys.stdout.isatty() and not dumb

    def rows(self, rows: Iterable[Row]) -> None:
        """Print rows."""
        if self._in_colour:
            print_lines((coloured(row).rstrip() for row in rows), ours=True)
        else:
            print_lines(row.text.rstrip() for row in rows)

    def text(self, text: str) -> None:
        """Print a sentence of ours, wrapped."""
        self.spans([Span(text)])

    def spans(self, spans: Sequence[Span]) -> None:
        """Print styled text, wrapped."""
        self.rows(Row(line) for line in wrap(spans, self.room))

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines as they are."""
        print_lines(lines)

    def gap(self) -> None:
        """Print an empty line."""
        print_lines([""])
