"""Where in a timeline something happened, so that no screen has to search for it.

Kept up to date as steps arrive: a panel that looked through 100,000 steps at
every key would be felt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from inplace_tui.model.event import Mutation, Rebound
from inplace_tui.model.snapshot import SlotState

if TYPE_CHECKING:
    from inplace_tui.model.timeline import Step


class Life(msgspec.Struct, kw_only=True):
    """The life of one storage, as step indices in order."""

    born: int
    freed: int | None = None
    writes: list[tuple[int, int | None]] = []
    """(step, version after it); None where no counter saw the write."""

    held: list[tuple[int, int]] = []
    """(step, how many saved tensors hold it from there on)."""

    stale: list[tuple[int, int]] = []
    """(step, how many of those would fail the version check from there on)."""


class Index:
    """What can be found in a timeline without walking it."""

    def __init__(self) -> None:
        self.visits: dict[int, list[int]] = {}
        """Line -> the steps that ran it."""

        self.spoke: list[int] = []
        """Steps that printed, warned or raised."""

        self.lives: dict[int, Life] = {}
        """Storage -> its life, in order of birth."""

        self.ranks: dict[int, int] = {}
        """Storage -> its place in the order of birth: what its letter is made of."""

        self._slots: dict[int, dict[str, tuple[int, bool]]] = {}
        self._counts: dict[int, tuple[int, int]] = {}

    def add(self, step: Step) -> None:
        """Take in the step that follows those already seen."""
        self.visits.setdefault(step.line, []).append(step.index)
        if step.raised or any(not isinstance(e, Mutation | Rebound) for e in step.events):
            self.spoke.append(step.index)
        for storage in step.storages:
            if storage.id not in self.lives:
                self.ranks[storage.id] = len(self.ranks)
                self.lives[storage.id] = Life(born=step.index)
        for event in step.events:
            if isinstance(event, Mutation) and event.storage in self.lives:
                self.lives[event.storage].writes.append((step.index, event.after))
        for storage_id in step.freed:
            if storage_id in self.lives:
                self.lives[storage_id].freed = step.index
        self._hold(step)

    def _hold(self, step: Step) -> None:
        touched: set[int] = set()
        for node in step.lost:
            for storage, stale in self._slots.pop(node, {}).values():
                touched.add(self._count(storage, -1, stale=stale))
        for saved in step.saved:
            slots = self._slots.setdefault(saved.node, {})
            before = slots.pop(saved.slot, None)
            if before is not None:
                touched.add(self._count(before[0], -1, stale=before[1]))
            if saved.storage is not None and saved.state is not SlotState.FREED:
                stale = saved.state is SlotState.STALE
                slots[saved.slot] = (saved.storage, stale)
                touched.add(self._count(saved.storage, 1, stale=stale))
        for storage in touched & self.lives.keys():
            held, stale_ones = self._counts[storage]
            _note(self.lives[storage].held, step.index, held)
            _note(self.lives[storage].stale, step.index, stale_ones)

    def _count(self, storage: int, change: int, *, stale: bool) -> int:
        held, stale_ones = self._counts.get(storage, (0, 0))
        self._counts[storage] = (held + change, stale_ones + change * stale)
        return storage


def value_at(changes: Sequence[tuple[int, int]], index: int) -> int:
    """Return what a list of (step, value from there on) says at step `index`; 0 before."""
    place = bisect_right(changes, index, key=lambda change: change[0])
    return changes[place - 1][1] if place else 0


def _note(changes: list[tuple[int, int]], index: int, value: int) -> None:
    if value != (changes[-1][1] if changes else 0):
        changes.append((index, value))
