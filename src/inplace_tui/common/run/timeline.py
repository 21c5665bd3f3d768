"""All snapshots of one run, kept as what changed from line to line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator
from operator import itemgetter
from typing import Generic, TypeVar

import msgspec
from msgspec.structs import force_setattr

from inplace_tui.common.run.histories import Histories, Index
from inplace_tui.common.run.outcome import Outcome
from inplace_tui.common.run.snapshot import EMPTY, Node, Saved, Snapshot, Storage, Tensor, letter
from inplace_tui.common.run.step import Mutation, Printed, Rebound, Step

KEYFRAME_EVERY = 64
"""Least steps between two whole snapshots: replaying so many costs next to nothing."""

KEYFRAME_PART = 16
"""A whole snapshot is kept once one in so many objects has changed, or none has: at fixed
distances, the snapshots of a growing graph would take memory with the square of its nodes."""

KEYFRAME_AT_MOST = 4096
"""Most steps between two whole snapshots: replaying so many is still fast."""

MAX_INTERNED = 16_384
"""Parts that are remembered at a time; a program that never repeats a part takes no more."""

_CACHED = 256
"""Python itself keeps the numbers up to this one once."""

_PARTS: dict[type, tuple[str, ...]] = {
    Step: ("began", "visit", "function", "gone", "freed", "lost"),
    Tensor: (
        *("id", "names", "shape", "stride", "dtype", "device", "layout", "version"),
        *("data_ptr", "storage", "base", "grad", "grad_fn"),
    ),
    Storage: ("id", "nbytes", "data"),
    Node: ("id", "name", "step", "order", "leaf", "inputs"),
    Saved: ("node", "slot", "tensor", "storage", "shape", "dtype", "version", "now"),
    Mutation: ("op", "tensor", "storage", "before", "after", "chain"),
    Rebound: ("name", "before", "after"),
}
"""The fields of each kind whose parts repeat."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Interner:
    """Replaces parts of steps by equal ones that were there before: a loop says the same each time.

    What comes from the worker is decoded step by step, and every string, tuple and number of
    it is an object of its own, though nearly all equal one that came shortly before. Kept as
    they come, 100,000 steps of a training loop take half as much memory again.
    """

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def share(self, step: Step) -> None:
        if len(self._known) > MAX_INTERNED:
            self._known.clear()
        self._known[step.index] = step.index
        self._of(step)
        for part in (*step.tensors, *step.storages, *step.nodes, *step.saved, *step.events):
            self._of(part)

    def _of(self, whole: msgspec.Struct) -> None:
        known = self._known
        for field in _PARTS.get(type(whole), ()):
            part = getattr(whole, field)
            kind = type(part)
            if kind is int:
                if part <= _CACHED:
                    continue
            elif not part or kind not in (str, tuple, bytes):
                continue
            same = known.setdefault(part, part)
            if same is not part:
                # Frozen for everybody else; an equal part in its place is the same value.
                force_setattr(whole, field, same)


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

    def mutations(self, first: int = 0, until: int | None = None) -> Iterator[Mutation]:
        """Yield the writes of some steps, of all from `first` to before `until`."""
        return (event for step in self.steps[first:until] for event in step.mutations)

    def printed(self, first: int = 0, until: int | None = None) -> str:
        """Return what some steps wrote to stdout, all from `first` to before `until`."""
        events = (event for step in self.steps[first:until] for event in step.events)
        printed = (event for event in events if isinstance(event, Printed))
        return "".join(event.text for event in printed if event.stream == "stdout")

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
            self._keyframes.append((step.index, last.snapshot))
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


def letter_of(storage: int | None, timeline: Timeline) -> str:
    """Return the letter of a storage, the same at every step; `–` where there is none."""
    rank = None if storage is None else timeline.index.ranks.get(storage)
    return "–" if rank is None else letter(rank)
