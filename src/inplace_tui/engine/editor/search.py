"""Where a text occurs in a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST = 9_999
"""Places that are looked for; nobody goes through more."""


@dataclass(frozen=True, order=True)
class Match:
    """One occurrence: a row, and the columns from where to before where."""

    row: int
    start: int
    end: int


def matches(lines: Sequence[str], wanted: str) -> tuple[Match, ...]:
    """Return every place of `wanted`; capitals count only if it has some.

    >>> matches(["Add add"], "add")
    (Match(row=0, start=0, end=3), Match(row=0, start=4, end=7))
    """
    if not wanted:
        return ()
    exact = wanted != wanted.lower()
    found: list[Match] = []
    for row, line in enumerate(lines):
        # `lower` may change the length of a text: then only what is written so is found.
        lowered = line if exact or len(line.lower()) != len(line) else line.lower()
        column = lowered.find(wanted)
        while column >= 0:
            found.append(Match(row, column, column + len(wanted)))
            if len(found) >= MOST:
                return tuple(found)
            column = lowered.find(wanted, column + len(wanted))
    return tuple(found)


def after(found: Sequence[Match], at: tuple[int, int]) -> int:
    """Return which place is the first one at or after `at`; beyond the last, the first."""
    return next((n for n, each in enumerate(found) if (each.row, each.start) >= at), 0)


def before(found: Sequence[Match], at: tuple[int, int]) -> int:
    """Return which place is the last one before `at`; before the first, the last."""
    ahead = [n for n, each in enumerate(found) if (each.row, each.start) < at]
    return ahead[-1] if ahead else len(found) - 1
