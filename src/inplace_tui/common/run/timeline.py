"""All snapshots of one run, kept as what changed from line to line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sized
from operator import itemgetter
from typing import Generic, TypeVar

from inplace_tui.common.run.histories import Histories
from inplace_tui.common.run.index import Index
from inplace_tui.common.run.interning import Interner
from inplace_tui.common.run.outcome import Outcome
from inplace_tui.common.run.snapshot import EMPTY, Snapshot
from inplace_tui.common.run.step import Step

KEYFRAME_EVERY = 64
"""Least steps between two whole snapshots: replaying so many costs next to nothing."""

KEYFRAME_PART = 16
"""A whole snapshot is kept once one in so many objects has changed, or none has: at fixed
distances, the snapshots of a growing graph would take memory with the square of its nodes."""

KEYFRAME_AT_MOST = 4096
"""Most steps between two whole snapshots: replaying so many is still fast."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Timeline:
    """An append-only list of steps that can be asked for any snapshot.

    Stepping back never runs anything again: the past is here.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.outcome: Outcome | None = None
        """None while the run goes on."""

        self.faults: tuple[str, ...] = ()
        """Failures of the recorder itself: steps may be missing something."""

        self.off_at: int | None = None
        """The line at which recording was switched off: there are no steps of what came after."""

        self.index = Index()
        """Where things happened, kept as the steps arrive."""

        self.histories = Histories()
        """The history of each thing, kept likewise."""

        self.repeated = 0
        """How many objects keyframes hold again."""

        self._pool = Interner()
        self._keyframes: list[tuple[int, Snapshot]] = [(-1, EMPTY)]
        """By step, the snapshot after it."""

        self._last = SnapshotBuilder(EMPTY)
        self._shown: tuple[tuple[int, Snapshot], ...] = ()
        """The last two that were asked for: a view shows a moment beside the one before."""

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def append(self, step: Step) -> None:
        """Add the next step.

        Raises:
            ValueError: `step.index` is not the next one.
        """
        if step.index != len(self.steps):
            raise ValueError(f"step {step.index} after {len(self.steps)} steps")
        self._pool.share(step)
        self.steps.append(step)
        self.index.add(step)
        self.histories.add(step)
        last = self._last
        last.advance(step)
        distance = step.index - self._keyframes[-1][0]
        is_worth_it = not last.changes or last.changes * KEYFRAME_PART >= last.size
        if (distance >= KEYFRAME_EVERY and is_worth_it) or distance >= KEYFRAME_AT_MOST:
            moment, before = last.snapshot, self._keyframes[-1][1]
            parts = zip(_parts(moment), _parts(before), strict=True)
            self.repeated += sum(len(part) for part, same in parts if part is not same)
            self._keyframes.append((step.index, moment))
            last.changes = 0

    def at(self, index: int) -> Snapshot:
        """Return what was there after step `index`; -1 is before the first line.

        Raises:
            IndexError: there is no such step.
        """
        if not -1 <= index < len(self.steps):
            raise IndexError(f"no step {index} in {len(self.steps)}")
        place = bisect_right(self._keyframes, index, key=itemgetter(0)) - 1
        shown, start = self._keyframes[place]
        for at, known in self._shown:
            if shown <= at <= index:
                shown, start = at, known
        replay = SnapshotBuilder(start)
        for step in self.steps[shown + 1 : index + 1]:
            replay.advance(step)
        snapshot = replay.snapshot
        self._shown = (*(each for each in self._shown if each[0] != index), (index, snapshot))[-2:]
        return snapshot

    def excerpt(self, steps: list[Step], *, saved: bool = True) -> Timeline:
        """Return the beginning of this timeline, made of `steps`.

        What a mask hides is left out of the copies; snapshots are shared.
        """
        part = Timeline()
        part._keyframes = self._keyframes
        if not saved:
            part._keyframes = [(at, shot.without_saved()) for at, shot in self._keyframes]
        for step in steps:
            part.extend(step)
        return part

    def extend(self, step: Step) -> None:
        """Append a step to an excerpt; its snapshots are those of the whole."""
        self.steps.append(step)
        self.index.add(step)
        self.histories.add(step)


def _parts(moment: Snapshot) -> tuple[Sized, ...]:
    return moment.tensors, moment.storages, moment.nodes, moment.saved


class _CopyOnWrite(Generic[_Key, _Value]):
    """The objects of one kind. Snapshots share them until one changes."""

    def __init__(self, things: dict[_Key, _Value]) -> None:
        self.things = things
        self._is_shared = True

    def share(self) -> dict[_Key, _Value]:
        """Return the objects as they are now; a later change copies them first."""
        self._is_shared = True
        return self.things

    def change(self, removed: Collection[_Key], added: dict[_Key, _Value]) -> int:
        """Remove, then add; return how many that were."""
        if not removed and not added:
            return 0
        if self._is_shared:
            self.things, self._is_shared = self.things.copy(), False
        for key in removed:
            self.things.pop(key, None)
        self.things.update(added)
        return len(removed) + len(added)


class SnapshotBuilder:
    """A snapshot that moves on, step by step."""

    def __init__(self, start: Snapshot) -> None:
        self._tensors, self._storages = _CopyOnWrite(start.tensors), _CopyOnWrite(start.storages)
        self._nodes, self._saved = _CopyOnWrite(start.nodes), _CopyOnWrite(start.saved)
        self.changes = 0
        """How many objects were added, changed or removed so far."""

    @property
    def size(self) -> int:
        parts = (self._tensors, self._storages, self._nodes, self._saved)
        return sum(len(part.things) for part in parts)

    @property
    def snapshot(self) -> Snapshot:
        """What is there now; later steps leave it as it is."""
        return Snapshot(
            tensors=self._tensors.share(),
            storages=self._storages.share(),
            nodes=self._nodes.share(),
            saved=self._saved.share(),
        )

    def advance(self, step: Step) -> None:
        lost = frozenset(step.lost)
        slots = [key for key in self._saved.things if key[0] in lost] if lost else []
        self.changes += (
            self._tensors.change(step.gone, {each.id: each for each in step.tensors})
            + self._storages.change(step.freed, {each.id: each for each in step.storages})
            + self._nodes.change(step.lost, {each.id: each for each in step.nodes})
            + self._saved.change(slots, {(each.node, each.slot): each for each in step.saved})
        )
