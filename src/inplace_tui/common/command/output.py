"""stdout is data, stderr is for people."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable

import click
import msgspec

from inplace_tui.common.cells import sanitize
from inplace_tui.common.decodable import encodable
from inplace_tui.common.rows import Row, Style

FILE_WIDTH = 100
"""Cells of a line that does not go to a terminal."""


def echo(text: str, *, err: bool = False, nl: bool = True, ours: bool = False) -> None:
    """Write to stdout or stderr as they were prepared.

    Text from elsewhere has a way into any sentence, and a terminal obeys it: so controls
    show as pictures, unless all of them are `ours`.

    Left to choose for itself, click takes ASCII for a mistake and writes UTF-8 past it.
    """
    if not ours:
        text = sanitize(text)
    if err:
        try:
            click.echo(text, file=sys.stderr, nl=nl)
        except OSError:  # where nobody listens, there is still the exit code
            # Python flushes once more when it exits, and would make it 120.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        return
    click.echo(text, file=sys.stdout, nl=nl)


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        echo(line)


def page_width(most: int = 10_000) -> int:
    """Return the cells of a line: the terminal's, else those of a file."""
    return min(shutil.get_terminal_size().columns, most) if sys.stdout.isatty() else FILE_WIDTH


def print_message(line: str) -> None:
    """Print to stderr what is no data."""
    echo(line, err=True)


class ProgressLine:
    """One line on stderr that is written over; nothing where that is no terminal."""

    def __init__(self) -> None:
        self.is_live = sys.stderr.isatty()
        self._is_shown = False

    def show(self, line: str) -> None:
        if self.is_live:
            self._is_shown = True
            echo(f"\r\x1b[K{sanitize(line)}", err=True, nl=False, ours=True)

    def clear(self) -> None:
        """Take the line away; what else stands on that row is not ours to remove."""
        if self._is_shown:
            self._is_shown = False
            echo("\r\x1b[K", err=True, nl=False, ours=True)


def print_json(document: msgspec.Struct | dict[str, object]) -> None:
    sys.stdout.flush()
    try:
        encoded = msgspec.json.encode(document)
    except UnicodeEncodeError:  # a file's name, or a program, that is not UTF-8
        encoded = msgspec.json.encode(encodable(msgspec.to_builtins(document)))
    encoded = _CONTROLS.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), encoded)
    sys.stdout.buffer.write(encoded + b"\n")
    sys.stdout.buffer.flush()


_CONTROLS = re.compile(
    rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2(?:\x80[\x8e\x8f\xa8-\xae]|\x81[\xa6-\xaf])"
)
"""What JSON may hold as it is, and a terminal obeys: controls, and turned directions."""


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
