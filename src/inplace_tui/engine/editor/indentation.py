"""Where the next line begins, and what a block of lines looks like moved or commented."""

from __future__ import annotations

from collections.abc import Sequence

INDENT = 4
LOOK_BACK = 200
"""Lines before the cursor in which an open bracket is looked for."""

_LEAVES = frozenset(("return", "pass", "break", "continue", "raise"))
_OPEN, _CLOSE = "([{", ")]}"


def indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def after(before: Sequence[str]) -> str:
    """Return what a line begins with that is broken off here.

    Args:
        before: the lines up to the cursor; the last one is cut off at it.

    >>> after(["if x:"]), after(["    return x"]), after(["f(a,"])
    ('    ', '', '    ')
    """
    lines = before[-LOOK_BACK:]
    opened = _open_bracket(lines)
    if opened is not None:
        row, _ = opened
        last = len(lines) - 1
        return indentation(lines[row]) + " " * INDENT if row == last else indentation(lines[last])
    first = _statement(lines)
    base = indentation(lines[first])
    code = _code(lines[-1]).rstrip()
    if code.endswith(":"):
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


def _scan(lines: Sequence[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the brackets that are open at the end, and those that the last line closed."""
    opened: list[tuple[int, int]] = []
    closed: list[tuple[int, int]] = []
    quote = ""
    for row, line in enumerate(lines):
        column = 0
        while column < len(line):
            letter = line[column]
            if quote:
                if letter == "\\":
                    column += 1
                elif line.startswith(quote, column):
                    column += len(quote) - 1
                    quote = ""
            elif letter == "#":
                break
            elif letter in "\"'":
                quote = letter * 3 if line.startswith(letter * 3, column) else letter
                column += len(quote) - 1
            elif letter in _OPEN:
                opened.append((row, column))
            elif letter in _CLOSE and opened:
                place = opened.pop()
                if row == len(lines) - 1:
                    closed.append(place)
            column += 1
        if len(quote) == 1:
            quote = ""  # a string that is not closed ends with its line
    return opened, closed


def _open_bracket(lines: Sequence[str]) -> tuple[int, int] | None:
    opened, _ = _scan(lines)
    return opened[-1] if opened else None


def _statement(lines: Sequence[str]) -> int:
    """Return the line on which the statement began that the last line ends."""
    _, closed = _scan(lines)
    return min((row for row, _ in closed), default=len(lines) - 1)


def _code(line: str) -> str:
    """Return a line without its comment, and without a string that is not closed."""
    quote, start = "", 0
    for column, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote, start = letter, column
        elif letter == "#":
            return line[:column]
    return line[:start] if quote else line
