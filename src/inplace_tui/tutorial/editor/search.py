"""Where a text occurs in a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MAX_MATCHES = 9_999
"""Matches beyond these are not searched for."""


class Match(NamedTuple):
    """One occurrence: a row, and its columns from `start` to before `end`."""

    row: int
    start: int
    end: int


def matches(lines: Sequence[str], wanted: str) -> tuple[Match, ...]:
    """Return every occurrence of `wanted`; case matters only if it has capitals.

    >>> matches(["Add add"], "add")
    (Match(row=0, start=0, end=3), Match(row=0, start=4, end=7))
    """
    if not wanted:
        return ()
    exact = wanted != wanted.lower()
    found: list[Match] = []
    for row, line in enumerate(lines):
        # `lower` may change the length of a line: then its case matters.
        lowered = line if exact or len(line.lower()) != len(line) else line.lower()
        column = lowered.find(wanted)
        while column >= 0:
            found.append(Match(row, column, column + len(wanted)))
            if len(found) >= MAX_MATCHES:
                return tuple(found)
            column = lowered.find(wanted, column + len(wanted))
    return tuple(found)


def after(found: Sequence[Match], at: tuple[int, int]) -> int:
    """Return the index of the first match at or after `at`; the first one if there is none."""
    return next((n for n, each in enumerate(found) if (each.row, each.start) >= at), 0)


def before(found: Sequence[Match], at: tuple[int, int]) -> int:
    """Return the index of the last match before `at`; the last one if there is none."""
    ahead = [n for n, each in enumerate(found) if (each.row, each.start) < at]
    return ahead[-1] if ahead else len(found) - 1
