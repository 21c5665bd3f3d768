"""Where the next line begins, and what a block of lines looks like moved or commented."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

INDENT = 4
LOOK_BACK = 200
"""Lines before the cursor in which an open bracket is looked for."""

_LEAVES = frozenset(("return", "pass", "break", "continue", "raise"))
_OPEN, _CLOSE = "([{", ")]}"


def indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def after(before: Sequence[str]) -> str:
    """Return what a line begins with that is broken off at the end of the lines `before` it.

    >>> after(["if x:"]), after(["    return x"]), after(["f(a,"])
    ('    ', '', '    ')
    """
    lines = before[-LOOK_BACK:]
    last = len(lines) - 1
    opened, closed = _scan(lines)
    if opened:
        row, _ = opened[-1]
        return indentation(lines[row]) + " " * INDENT if row == last else indentation(lines[last])
    # The statement that the last line ends began where its brackets were opened.
    first = min((row for row, _ in closed), default=last)
    base = indentation(lines[first])
    if lines[-1][: code_of(lines[-1]).end].rstrip().endswith(":"):
        return base + " " * INDENT
    words = lines[first].split(None, 1)
    if words and words[0].rstrip(";") in _LEAVES:
        return base[:-INDENT]
    return base


def moved(lines: Sequence[str], by: int) -> list[str]:
    """Return lines one level further in (`by` 1) or out (-1); empty ones stay empty."""
    if by > 0:
        return [" " * INDENT + line if line.strip() else line for line in lines]
    return [line[_outer(line) :] for line in lines]


def commented(lines: Sequence[str]) -> list[str]:
    """Return lines as comments; those that all are comments already, as code again."""
    written = [line for line in lines if line.strip()]
    if written and all(line.lstrip().startswith("#") for line in written):
        return [_uncommented(line) for line in lines]
    column = min((len(indentation(line)) for line in written), default=0)
    return [f"{line[:column]}# {line[column:]}" if line.strip() else line for line in lines]


def _uncommented(line: str) -> str:
    blanks, rest = indentation(line), line.lstrip()
    return blanks + rest[1:].removeprefix(" ") if rest.startswith("#") else line


def _outer(line: str) -> int:
    """Return how many characters a line loses that moves out one level."""
    if line.startswith("\t"):
        return 1
    return min(INDENT, len(line) - len(line.lstrip(" ")))


class CodeOfLine(NamedTuple):
    """What of a line is code."""

    columns: list[int]
    """Of the characters that are in no string and no comment."""

    end: int
    """Where a comment begins, or a string that the line does not close; else its length."""

    text: str
    """`#` if a comment begins there; if a string does, its quote."""


def code_of(line: str, quote: str = "") -> CodeOfLine:
    """Return what of a line is code, which begins in a string if there is a `quote`."""
    columns: list[int] = []
    column = start = 0
    while column < len(line):
        letter = line[column]
        if quote:
            if letter == "\\":
                column += 1
            elif line.startswith(quote, column):
                column += len(quote) - 1
                quote = ""
        elif letter == "#":
            return CodeOfLine(columns, column, letter)
        elif letter in "\"'":
            start, quote = column, letter * 3 if line.startswith(letter * 3, column) else letter
            column += len(quote) - 1
        else:
            columns.append(column)
        column += 1
    return CodeOfLine(columns, start if quote else len(line), quote)


def _scan(lines: Sequence[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the brackets that are open at the end, and those that the last line closed."""
    opened: list[tuple[int, int]] = []
    closed: list[tuple[int, int]] = []
    quote = ""
    for row, line in enumerate(lines):
        columns, _, quote = code_of(line, quote)
        for column in columns:
            if line[column] in _OPEN:
                opened.append((row, column))
            elif line[column] in _CLOSE and opened:
                place = opened.pop()
                if row == len(lines) - 1:
                    closed.append(place)
        quote = quote if len(quote) == 3 else ""  # any other string ends with its line
    return opened, closed
