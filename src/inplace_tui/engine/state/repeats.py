"""What repeats in a graph: the loops that made it, so that they can be drawn once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

MIN_REPEATS = 4
"""Times that something must repeat to be folded."""

LONG = 8
"""Nodes that a folded repeat must have at least: shorter ones are read sooner than opened."""

WIDEST = 200
"""Nodes of one repetition at most."""

_TRIES = 16


class RepeatedNodes(NamedTuple):
    """The same nodes, several times in a row."""

    start: int
    period: int
    """Nodes of one repetition."""

    times: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.times


def find_repeats(signs: Sequence[Hashable]) -> list[RepeatedNodes]:
    """Return the repeats in a sequence, none of which overlap.

    >>> find_repeats([7, 1, 2, 1, 2, 1, 2, 1, 2, 3])
    [RepeatedNodes(start=1, period=2, times=4)]
    """
    again: list[int] = [0] * len(signs)
    last: dict[Hashable, int] = {}
    for place in range(len(signs) - 1, -1, -1):
        again[place] = last.get(signs[place], 0)
        last[signs[place]] = place
    found, place = [], 0
    while place < len(signs):
        repeat = _best(signs, again, place) if again[place] else None
        if repeat is None:
            place += 1
        else:
            found.append(repeat)
            place = repeat.end
    return found


def _best(signs: Sequence[Hashable], again: list[int], start: int) -> RepeatedNodes | None:
    """Return the repeat from here that takes in most; of equals the one that repeats most."""
    best: RepeatedNodes | None = None
    other = again[start]
    for _ in range(_TRIES):
        period = other - start
        if not other or period > WIDEST:
            break
        times = _times(signs, start, period)
        repeat = RepeatedNodes(start, period, times)
        if (
            times >= MIN_REPEATS
            and period * times >= LONG
            and (best is None or repeat.end > best.end)
        ):
            best = repeat
            if 2 * (repeat.end - start) > len(signs) - start:
                break
        other = again[other]
    return best


def _times(signs: Sequence[Hashable], start: int, period: int) -> int:
    one = signs[start : start + period]
    end = start + period
    while signs[end : end + period] == one:
        end += period
    return (end - start) // period
