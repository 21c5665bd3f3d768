"""Which storages have a lane in a window, in which order, and who lies on them.

A training loop makes 60,000 storages. Those that are there at the cursor come first; the
others are listed as they are looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from inplace_tui.engine.state.lanes import Window
from inplace_tui.model.index import Life
from inplace_tui.model.snapshot import Snapshot, Tensor
from inplace_tui.model.timeline import Timeline

FEW = 16
"""Lanes that a panel of common height has room for."""

RECENT = 64
"""So many of the tensors that once shared a storage are looked at."""


@dataclass(frozen=True)
class Lane:
    """One row: a storage, or one of the further tensors on it."""

    storage: int
    tensor: int | None = None
    begins: int = 0
    ends: int | None = None
    """Of the tensor: the first step at which it is not there any more."""


class Lineup(Sequence[Lane]):
    """The lanes of a window. Those out of sight are not made."""

    def __init__(
        self,
        timeline: Timeline,
        snapshot: Snapshot,
        sight: Window,
        *,
        cursor: int,
        until: int,
        few: int = FEW,
        only: frozenset[int] | None = None,
    ) -> None:
        """Look for the lanes that have something in a window.

        Args:
            timeline: of the run.
            snapshot: what is there at the cursor.
            sight: the window.
            cursor: a step, -1 before the first.
            until: the first step that is not to be seen.
            few: up to so many lanes keep the order of birth, wherever the cursor is.
            only: the storages that may have a lane; None for all.
        """
        index = timeline.index
        self._lives = index.lives
        here = [storage for storage in snapshot.storages if self._is_seen(storage, until)]
        self._dead, self._unborn = index.deaths, index.births
        low = bisect_right(self._dead, max(-1, sight.start - 1), key=self._death)
        self._ended = range(low, bisect_right(self._dead, cursor, key=self._death))
        first = bisect_right(self._unborn, cursor, key=self._birth)
        behind = bisect_left(self._unborn, min(sight.stop, until), key=self._birth)
        self._coming = range(first, max(first, behind))
        if len(here) + len(self._ended) + len(self._coming) <= few:
            here += [self._dead[place] for place in self._ended]
            here += [self._unborn[place] for place in self._coming]
            self._ended = self._coming = range(0)
        if only is not None:
            here = [storage for storage in only if self._is_seen(storage, until)]
            self._ended = self._coming = range(0)
        self._near = [
            lane
            for storage in sorted(here, key=index.ranks.__getitem__)
            for lane in (Lane(storage), *others(timeline, storage, sight, until))
        ]
        self.there = len(self._near)
        """How many lanes come before those of storages that are not there at the cursor."""

    def __len__(self) -> int:
        return len(self._near) + len(self._ended) + len(self._coming)

    @overload
    def __getitem__(self, index: int) -> Lane: ...
    @overload
    def __getitem__(self, index: slice) -> list[Lane]: ...
    def __getitem__(self, index: int | slice) -> Lane | list[Lane]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        if place < len(self._near):
            return self._near[place]
        place -= len(self._near)
        if place < len(self._ended):
            return Lane(self._dead[self._ended[-1 - place]])
        return Lane(self._unborn[self._coming[place - len(self._ended)]])

    def _is_seen(self, storage: int, until: int) -> bool:
        life = self._lives.get(storage)
        return life is not None and life.born < until

    def _birth(self, storage: int) -> int:
        return self._lives[storage].born

    def _death(self, storage: int) -> int:
        freed = self._lives[storage].freed
        assert freed is not None, "only what was freed is listed there"
        return freed


def others(timeline: Timeline, storage: int, sight: Window, until: int) -> list[Lane]:
    """Return lanes for the further tensors on a storage that were there in a window."""
    life, gone = timeline.index.lives[storage], timeline.index.gone
    behind = bisect_left(life.others, min(sight.stop, until), key=lambda entry: entry[0])
    lanes = []
    for begins, tensor in life.others[max(0, behind - RECENT) : behind]:
        ends = gone.get(tensor, ())
        place = bisect_right(ends, begins)
        end = ends[place] if place < len(ends) else life.freed
        if end is None or end >= sight.start:
            lanes.append(Lane(storage, tensor, begins, end))
    return lanes


def owner(timeline: Timeline, life: Life, step: int) -> Tensor | None:
    """Return the tensor of a storage, as it was at a step or, before that, as it came."""
    if life.owner is None:
        return None
    row = timeline.past.row_at(life.owner, step)
    known = timeline.past.rows.get(life.owner)
    return row or (known[0][1] if known else None)


def part(tensor: Tensor, count: int) -> str:
    """Return which elements of its storage a tensor covers, as a slice where it is one.

    Args:
        tensor: the tensor.
        count: how many elements of its dtype the storage has.

    >>> part(Tensor(id=1, names=(), shape=(2,), stride=(3,), offset=1, dtype="float32"), 12)
    '[1:5:3]'
    """
    if not tensor.stride and tensor.shape:
        return ""
    axes = [
        (size, step) for size, step in zip(tensor.shape, tensor.stride, strict=True) if size > 1
    ]
    if 0 in tensor.shape:
        return "[]"
    stop = tensor.offset + sum((size - 1) * step for size, step in axes) + 1
    covered = 1
    for size, step in axes:
        covered *= size if step else 1
    if covered == stop - tensor.offset:
        whole = tensor.offset == 0 and stop == count
        return "[:]" if whole else f"[{tensor.offset}:{stop}]"
    if len(axes) == 1:
        return f"[{tensor.offset}:{stop}:{axes[0][1]}]"
    return f"[{tensor.offset}:{stop}…]"
