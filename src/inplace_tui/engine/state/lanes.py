"""What happens to the storages of a run, cut into columns; which columns are in sight.

Nothing here walks the steps: a column asks the index by bisection, so that a window
costs its columns, whether they stand for a step each or for a thousand.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter

from inplace_tui.model.index import Changes, Life

FINE = ((1, 8), (1, 4), (1, 2), (1, 1))
"""(steps a column, cells a column) of the scales on which every step has its column."""

COARSE_CELLS = 2
"""A mark, and how many there are of what it stands for."""

COARSER = 4
"""How many times more steps a column has on the next scale."""

_STEP = itemgetter(0)


class Event(StrEnum):
    """The most telling thing that happened to a storage within a column."""

    NONE = "none"
    BORN = "born"
    FREED = "freed"
    WRITTEN = "written"
    UNSEEN = "unseen"
    """Written, and no version counter moved."""

    SPOILED = "spoiled"
    """Written while a node held it, which then would fail the version check."""


@dataclass(frozen=True)
class Cell:
    """One storage during the steps of one column: what was so at any of them."""

    event: Event = Event.NONE
    """The last in the order of `Event`."""

    count: int = 0
    """How many things happened: births, ends and writes."""

    alive: bool = False
    held: bool = False
    stale: bool = False
    """A node holds it that would fail the version check."""


@dataclass(frozen=True)
class Window:
    """The steps in sight, and how they share the room."""

    start: int = 0
    each: int = 1
    """Steps a column; the first column begins at a multiple of it."""

    cells: int = 4
    """Cells a column."""

    columns: int = 0

    @property
    def stop(self) -> int:
        """The first step behind the window."""
        return self.start + self.each * self.columns

    def column(self, step: int) -> int | None:
        """Return the column of a step; None if it is out of sight."""
        column = (step - self.start) // self.each
        return column if 0 <= column < self.columns else None

    def steps(self, column: int) -> range:
        """Return the steps of a column."""
        first = self.start + column * self.each
        return range(first, first + self.each)


def scales(steps: int, room: int) -> list[tuple[int, int]]:
    """Return all scales, the finest first; the last shows the whole run.

    A scale is (steps a column, cells a column).
    """
    found: list[tuple[int, int]] = []
    for scale in FINE:
        found.append(scale)
        if steps * scale[1] <= room:
            return found
    whole = -(-steps // max(1, room // COARSE_CELLS))
    each = COARSER
    while each < whole:
        found.append((each, COARSE_CELLS))
        each *= COARSER
    return [*found, (whole, COARSE_CELLS)]


def window(
    steps: int, room: int, *, cursor: int, scale: int | None = None, start: int = 0
) -> Window:
    """Return the window of a scale that has the cursor in sight.

    Args:
        steps: how many there are.
        room: cells.
        cursor: a step, -1 before the first.
        scale: place in `scales`; None, and everything beyond, shows the whole run.
        start: of the window before: it moves only as far as the cursor makes it.
    """
    if steps <= 0 or room <= 0:
        return Window()
    known = scales(steps, room)
    each, cells = known[-1] if scale is None else known[min(scale, len(known) - 1)]
    count = max(1, room // cells)
    if each * count >= steps:
        return Window(0, each, cells, -(-steps // each))
    last = -(-steps // each) - count
    first = min(max(0, start // each), last)
    margin = min(8, count // 6)
    at = max(0, cursor) // each
    first = min(first, max(0, at - margin))
    first = max(first, min(at + margin - count + 1, last))
    return Window(first * each, each, cells, min(count, -(-steps // each) - first))


def lane(life: Life, sight: Window, *, until: int) -> list[Cell]:
    """Return the cells of one storage; steps from `until` on are left empty."""
    return [cell(life, steps.start, min(steps.stop, until)) for steps in _cut(sight)]


def cell(life: Life, start: int, stop: int) -> Cell:
    """Return what happened to a storage from step `start` to before `stop`."""
    freed = life.freed
    if stop <= start or life.born >= stop or (freed is not None and freed < start):
        return Cell()
    born, ended = start <= life.born, freed is not None and freed < stop
    writes = bisect_left(life.writes, stop, key=_STEP) - bisect_left(life.writes, start, key=_STEP)
    spoiled = _count(life.spoiled, start, stop)
    event = Event.BORN if born else Event.NONE
    if ended:
        event = Event.FREED
    if writes:
        event = Event.UNSEEN if _count(life.unseen, start, stop) else Event.WRITTEN
    if spoiled:
        event = Event.SPOILED
    return Cell(
        event=event,
        count=max(writes, spoiled) + born + ended,
        alive=freed is None or freed > max(start, life.born),
        held=_ever(life.held, start, stop),
        stale=_ever(life.stale, start, stop),
    )


def during(begins: int, ends: int | None, writes: Sequence[int], start: int, stop: int) -> Cell:
    """Return what happened to one tensor that shares a storage, while it was there."""
    if stop <= start or begins >= stop or (ends is not None and ends < start):
        return Cell()
    written = _count(writes, max(start, begins), stop if ends is None else min(stop, ends + 1))
    event = Event.BORN if start <= begins else Event.NONE
    ended = ends is not None and ends < stop
    event = Event.FREED if ended else event
    count = written + (start <= begins) + ended
    alive = ends is None or ends > max(start, begins)
    return Cell(Event.WRITTEN if written else event, count, alive)


def neighbours(life: Life, cursor: int, *, until: int) -> tuple[int | None, int | None]:
    """Return the steps nearest to the cursor, before and after, at which something happened."""
    found = [life.born, *([] if life.freed is None else [life.freed])]
    for history in (life.writes, life.held, life.stale):
        low = bisect_left(history, cursor, key=_STEP)
        high = bisect_right(history, cursor, key=_STEP)
        found += [
            entry[0] for entry in (*history[max(0, low - 1) : low], *history[high : high + 1])
        ]
    before = max((step for step in found if step < cursor), default=None)
    after = min((step for step in found if cursor < step < until), default=None)
    return before, after


def _cut(sight: Window) -> list[range]:
    return [sight.steps(column) for column in range(sight.columns)]


def _count(steps: Sequence[int], start: int, stop: int) -> int:
    return bisect_left(steps, stop) - bisect_left(steps, start) if steps else 0


def _ever(changes: Changes, start: int, stop: int) -> bool:
    """Return whether a count was more than nothing at any step; entries differ one by one."""
    if not changes:
        return False
    low = bisect_left(changes, start, key=_STEP)
    high = bisect_left(changes, stop, key=_STEP)
    if high - low > 1:
        return True
    if high > low and (changes[low][1] > 0 or changes[low][0] == start):
        return changes[low][1] > 0
    return low > 0 and changes[low - 1][1] > 0
