"""A program of several files as one text: their lines are numbered through.

A line number alone then says which file it is of, and everything that goes by lines
(steps, events, nodes, fixes) works for programs of any number of files. The main file
comes first and keeps its numbers; `place_of` says where a line really stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_END = re.compile("\r\n|\r|\n")
_WHOLE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_MARK = "\N{INVISIBLE SEPARATOR}"
"""In a border: people draw such lines in their own files, too."""

_BORDER = re.compile(rf"^# {_MARK}──── (.+) ────$")


class FilePart(NamedTuple):
    """One file of a program."""

    name: str | None
    """As people name it, relative to the program's folder; None for the main file."""

    before: int
    """Lines of the whole text before its first one."""

    source: str


class Place(NamedTuple):
    """Where a line stands."""

    file: str | None
    """None for the main file."""

    line: int

    @property
    def text(self) -> str:
        """`12` of the main file, `pkg/model.py:12` of another."""
        return str(self.line) if self.file is None else f"{self.file}:{self.line}"

    @property
    def brief(self) -> str:
        """As `text`, without folders: `model.py:12`."""
        return self.text.rpartition("/")[2]


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a program as Python counts them.

    `str.splitlines` ends one at a form feed, too: what follows it in a comment would be code.

    >>> lines_of("a # b\fc\r\nd\n"), lines_of("")
    (['a # b\x0cc', 'd'], [])
    """
    lines = _END.split(text)
    return lines if lines[-1] else lines[:-1]


def whole_lines(text: str) -> list[str]:
    r"""Return the lines of a program with their ends.

    >>> whole_lines("a\r\nb")
    ['a\r\n', 'b']
    """
    return [line for line in _WHOLE.findall(text) if line]


def join_files(main: str, others: Iterable[tuple[str, str]]) -> str:
    r"""Return the text of a program of several files, each but the first under its name.

    >>> join_files("import m", [("m.py", "a = 1\n")])
    'import m\n# \u2063──── m.py ────\na = 1\n'
    """
    parts = [main]
    for name, source in others:
        if not parts[-1].endswith(("\n", "\r")):
            parts.append("\n")
        parts += [f"# {_MARK}──── {name} ────\n", source]
    return "".join(parts)


def is_border(line: str) -> bool:
    """Whether another file, or cell, begins behind a line."""
    return _BORDER.match(line.rstrip("\r\n")) is not None


@lru_cache(maxsize=8)
def split_files(text: str) -> tuple[FilePart, ...]:
    """Return the files of a text that `join_files` made, or somebody has edited since.

    >>> [(part.name, part.before) for part in split_files(join_files("b = 2", [("m.py", "a = 1")]))]
    [(None, 0), ('m.py', 2)]
    """
    if _MARK not in text:
        return (FilePart(None, 0, text),)
    found: list[FilePart] = []
    name, before, lines = None, 0, list[str]()
    for number, line in enumerate(whole_lines(text), 1):
        border = _BORDER.match(line.rstrip("\r\n"))
        if border is None:
            lines.append(line)
            continue
        found.append(FilePart(name, before, "".join(lines)))
        name, before, lines = border[1], number, []
    return (*found, FilePart(name, before, "".join(lines)))


def main_text(text: str, others: int) -> str:
    """Return a text without its last files: the main file, which in a notebook has parts too."""
    parts = split_files(text)
    if len(parts) == 1 + others:
        return parts[0].source
    end = parts[-others].before - 1 if others else None
    return "".join(whole_lines(text)[:end])


def part_of(text: str, line: int) -> FilePart:
    """Return the file of a line of the whole text."""
    return next(part for part in reversed(split_files(text)) if part.before < line or not part.name)


def place_of(text: str, line: int) -> Place:
    """Return the file of a line of the whole text, and its number there."""
    part = part_of(text, line)
    return Place(part.name, line - part.before)


def find_line(text: str, file: str | None, line: int) -> int | None:
    """Return the line of the whole text that a line of a file is; None where there is no such one.

    The file is named as people do, or by the end of that; None is the main file.

    >>> find_line(join_files("b = 2", [("pkg/m.py", "a = 1")]), "m.py", 1)
    3
    """
    for part in split_files(text):
        name = part.name or ""
        if (name == (file or "") or name.endswith(f"/{file}")) and (
            0 < line <= len(lines_of(part.source))
        ):
            return part.before + line
    return None


def line_name(text: str, line: int) -> str:
    """Return how a line of the whole text is named: `12`, `pkg/model.py:12`."""
    return place_of(text, line).text
