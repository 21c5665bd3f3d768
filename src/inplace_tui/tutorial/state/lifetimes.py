"""The lifetimes of a run's storages: what happens to each, column by column of a window.

Nothing here walks the steps: a column bisects the index, so that a window costs as
much as it has columns, whether one is a step or a thousand. A training loop makes
60,000 storages: those that are alive at the cursor come first, the lanes of the others
are made when they are read.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import overload

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.run.histories import Changes, Life
from inplace_tui.common.run.snapshot import Snapshot, Tensor
from inplace_tui.common.run.timeline import Timeline

FINE_SCALES = ((1, 8), (1, 4), (1, 2), (1, 1))
"""(steps a column, cells a column) of the scales with a column for every step."""

COARSE_CELLS = 2
"""A mark, and a digit for how many events it is for."""

SCALE_FACTOR = 4
"""By how much a column has more steps on the next coarser scale."""

MAX_STILL_LANES = 16
"""Up to so many lanes keep their order when the cursor moves: they fit a usual panel."""

MAX_OTHERS = 64
"""Of the tensors that once shared a storage, the latest ones have lanes."""

_STEP = itemgetter(0)


class LifetimeEvent(StrEnum):
    """The most important event of a storage within a column; later members win."""

    NONE = "none"
    BORN = "born"
    FREED = "freed"
    WRITTEN = "written"
    UNCOUNTED = "uncounted"
    """Written without moving a version counter."""

    SPOILED = "spoiled"
    """Written while a node held it: the version check of that node would fail."""


@dataclass(frozen=True)
class LifetimeCell:
    """One storage in one column; a flag is set if it held at any of the steps."""

    event: LifetimeEvent = LifetimeEvent.NONE
    """The last one in the order of `LifetimeEvent`."""

    count: int = 0
    """How many events there were: births, ends and writes."""

    alive: bool = False
    held: bool = False
    stale: bool = False
    """A node that holds it would fail the version check."""


@dataclass(frozen=True)
class StepWindow:
    """The steps in view, and how they are divided into columns."""

    start: int = 0
    each: int = 1
    """Steps a column; the first column begins at a multiple of it."""

    cells: int = 4
    """Cells a column."""

    columns: int = 0

    @property
    def stop(self) -> int:
        return self.start + self.each * self.columns

    def column(self, step: int) -> int | None:
        """Return the column of a step; None if it is outside the window."""
        column = (step - self.start) // self.each
        return column if 0 <= column < self.columns else None

    def steps(self, column: int) -> range:
        first = self.start + column * self.each
        return range(first, first + self.each)


def scales(steps: int, room: int) -> list[tuple[int, int]]:
    """Return all scales, the finest first; the last shows the whole run.

    A scale is (steps a column, cells a column).
    """
    found: list[tuple[int, int]] = []
    for scale in FINE_SCALES:
        found.append(scale)
        if steps * scale[1] <= room:
            return found
    whole = -(-steps // max(1, room // COARSE_CELLS))
    each = SCALE_FACTOR
    while each < whole:
        found.append((each, COARSE_CELLS))
        each *= SCALE_FACTOR
    return [*found, (whole, COARSE_CELLS)]


def window(
    steps: int, room: int, *, cursor: int, scale: int | None = None, start: int = 0
) -> StepWindow:
    """Return the window of a scale that shows the cursor, which is -1 before the first step.

    None, and every scale beyond those of `scales`, shows the whole run. From `start`, that of the
    window before, it moves only as far as the cursor makes it.
    """
    if steps <= 0 or room <= 0:
        return StepWindow()
    known = scales(steps, room)
    each, cells = known[-1] if scale is None else known[min(scale, len(known) - 1)]
    count = max(1, room // cells)
    if each * count >= steps:
        return StepWindow(0, each, cells, -(-steps // each))
    last = -(-steps // each) - count
    first = min(max(0, start // each), last)
    margin = min(8, count // 6)
    at = max(0, cursor) // each
    first = min(first, max(0, at - margin))
    first = max(first, min(at + margin - count + 1, last))
    return StepWindow(first * each, each, cells, min(count, -(-steps // each) - first))


def storage_cell(life: Life, start: int, stop: int) -> LifetimeCell:
    """Return what happened to a storage from step `start` to before `stop`."""
    freed = life.freed
    if stop <= start or life.born >= stop or (freed is not None and freed < start):
        return LifetimeCell()
    born, ended = start <= life.born, freed is not None and freed < stop
    writes = bisect_left(life.writes, stop, key=_STEP) - bisect_left(life.writes, start, key=_STEP)
    spoiled = count_in(life.spoiled, start, stop)
    event = LifetimeEvent.BORN if born else LifetimeEvent.NONE
    if ended:
        event = LifetimeEvent.FREED
    if writes:
        uncounted = count_in(life.uncounted, start, stop)
        event = LifetimeEvent.UNCOUNTED if uncounted else LifetimeEvent.WRITTEN
    if spoiled:
        event = LifetimeEvent.SPOILED
    return LifetimeCell(
        event=event,
        count=max(writes, spoiled) + born + ended,
        alive=freed is None or freed > max(start, life.born),
        held=_any(life.held, start, stop),
        stale=_any(life.stale, start, stop),
    )


def tensor_cell(
    begins: int, ends: int | None, writes: Sequence[int], start: int, stop: int
) -> LifetimeCell:
    if stop <= start or begins >= stop or (ends is not None and ends < start):
        return LifetimeCell()
    written = count_in(writes, max(start, begins), stop if ends is None else min(stop, ends + 1))
    event = LifetimeEvent.BORN if start <= begins else LifetimeEvent.NONE
    ended = ends is not None and ends < stop
    event = LifetimeEvent.FREED if ended else event
    count = written + (start <= begins) + ended
    alive = ends is None or ends > max(start, begins)
    return LifetimeCell(LifetimeEvent.WRITTEN if written else event, count, alive)


def neighbours(life: Life, cursor: int, *, until: int) -> tuple[int | None, int | None]:
    """Return the steps nearest to the cursor, before and after, at which something happened."""
    found = [life.born, *([] if life.freed is None else [life.freed])]
    for history in (life.writes, life.held, life.stale):
        low = bisect_left(history, cursor, key=_STEP)
        high = bisect_right(history, cursor, key=_STEP)
        near = (*history[max(0, low - 1) : low], *history[high : high + 1])
        found += [step for step, _ in near]
    before = max((step for step in found if step < cursor), default=None)
    after = min((step for step in found if cursor < step < until), default=None)
    return before, after


def count_in(steps: Sequence[int], start: int, stop: int) -> int:
    """Return how many of these steps there are from `start` to before `stop`."""
    return bisect_left(steps, stop) - bisect_left(steps, start) if steps else 0


def _any(changes: Changes, start: int, stop: int) -> bool:
    """Whether a count was above zero at any step; neighbouring entries differ by one."""
    if not changes:
        return False
    low = bisect_left(changes, start, key=_STEP)
    high = bisect_left(changes, stop, key=_STEP)
    if high - low > 1:
        return True
    if high > low and (changes[low][1] > 0 or changes[low][0] == start):
        return changes[low][1] > 0
    return low > 0 and changes[low - 1][1] > 0


@dataclass(frozen=True)
class LifetimeRow:
    """One lane: a storage, or one of the other tensors on it."""

    storage: int
    tensor: int | None = None
    begins: int = 0
    ends: int | None = None
    """Of the tensor: the first step at which it is gone."""


class LifetimeRows(Sequence[LifetimeRow]):
    """The lanes of a window, made when they are read."""

    def __init__(
        self,
        timeline: Timeline,
        snapshot: Snapshot,
        shown: StepWindow,
        *,
        cursor: int,
        until: int,
        few: int = MAX_STILL_LANES,
        only: int | None = None,
    ) -> None:
        """Find the lanes with something in a window.

        Args:
            until: the first step that is hidden.
            few: up to so many lanes keep the order of birth, wherever the cursor is.
            only: the only storage that has lanes; None where all have.
        """
        index = timeline.index
        self._lives = index.lives
        here = [storage for storage in snapshot.storages if self._is_seen(storage, until)]
        self._dead, self._unborn = index.deaths, index.births
        low = bisect_right(self._dead, max(-1, shown.start - 1), key=self._death)
        self._ended = range(low, bisect_right(self._dead, cursor, key=self._death))
        first = bisect_right(self._unborn, cursor, key=self._birth)
        behind = bisect_left(self._unborn, min(shown.stop, until), key=self._birth)
        self._coming = range(first, max(first, behind))
        if len(here) + len(self._ended) + len(self._coming) <= few:
            here += [self._dead[place] for place in self._ended]
            here += [self._unborn[place] for place in self._coming]
            self._ended = self._coming = range(0)
        if only is not None:
            here = [only] if self._is_seen(only, until) else []
            self._ended = self._coming = range(0)
        self.near = [
            lane
            for storage in sorted(here, key=index.ranks.__getitem__)
            for lane in (LifetimeRow(storage), *others(timeline, storage, shown, until))
        ]
        """The first lanes: those of storages that are alive at the cursor; if few, of all."""

    def __len__(self) -> int:
        return len(self.near) + len(self._ended) + len(self._coming)

    @overload
    def __getitem__(self, index: int) -> LifetimeRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[LifetimeRow]: ...
    def __getitem__(self, index: int | slice) -> LifetimeRow | list[LifetimeRow]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        if place < len(self.near):
            return self.near[place]
        place -= len(self.near)
        if place < len(self._ended):
            return LifetimeRow(self._dead[self._ended[-1 - place]])
        return LifetimeRow(self._unborn[self._coming[place - len(self._ended)]])

    def _is_seen(self, storage: int, until: int) -> bool:
        life = self._lives.get(storage)
        return life is not None and life.born < until

    def _birth(self, storage: int) -> int:
        return self._lives[storage].born

    def _death(self, storage: int) -> int:
        freed = self._lives[storage].freed
        assert freed is not None, "only freed storages are listed there"
        return freed


def others(timeline: Timeline, storage: int, shown: StepWindow, until: int) -> list[LifetimeRow]:
    """Return lanes for the other tensors on a storage that were alive in a window."""
    life, gone = timeline.index.lives[storage], timeline.index.gone
    if not life.others:
        return []
    behind = bisect_left(life.others, min(shown.stop, until), key=lambda entry: entry[0])
    lanes = []
    for begins, tensor in life.others[max(0, behind - MAX_OTHERS) : behind]:
        ends = gone.get(tensor, ())
        place = bisect_right(ends, begins)
        end = ends[place] if place < len(ends) else life.freed
        if end is None or end >= shown.start:
            lanes.append(LifetimeRow(storage, tensor, begins, end))
    return lanes


def owner(timeline: Timeline, life: Life, step: int) -> Tensor | None:
    """Return the tensor of a storage, as it was at a step, or when it first appeared."""
    if life.owner is None:
        return None
    row = timeline.histories.row_at(life.owner, step)
    known = timeline.histories.rows.get(life.owner)
    return row or (known[0][1] if known else None)


def covered_slice(tensor: Tensor, count: int) -> str:
    """Return which elements of its storage a tensor covers, as a slice where it is one.

    >>> row = Tensor(id=1, names=(), shape=(2,), stride=(3,), offset=1, dtype="float32")
    >>> covered_slice(row, 12)
    '[1:5:3]'
    """
    if not tensor.stride and tensor.shape:
        return ""
    axes = [each for each in zip(tensor.shape, tensor.stride, strict=True) if each[0] > 1]
    if 0 in tensor.shape:
        return "[]"
    stop = tensor.offset + sum((size - 1) * step for size, step in axes) + 1
    covered = math.prod(size for size, step in axes if step)
    if covered == stop - tensor.offset:
        whole = tensor.offset == 0 and stop == count
        return "[:]" if whole else f"[{tensor.offset}:{stop}]"
    if len(axes) == 1:
        return f"[{tensor.offset}:{stop}:{axes[0][1]}]"
    return f"[{tensor.offset}:{stop}…]"
