"""What can be found in a timeline without walking it: where things happened, and since when.

Kept up to date as steps arrive: a panel that searched 100,000 steps at every key would be slow.
What a snapshot can't answer (since when, what was it before) is asked here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from inplace_tui.common.run.snapshot import Node, SlotState, Tensor
from inplace_tui.common.run.step import Mutation, Printed, Rebound, Step

SHORT = 4
"""Histories up to this length are tuples."""

T = TypeVar("T")
Entries = list[tuple[int, T]] | tuple[tuple[int, T], ...]
"""(step, value from there on), in order."""

DEEPEST = 255
"""Deeper calls count as this deep."""

Steps = list[int] | tuple[int, ...]
Writes = list[tuple[int, int | None]] | tuple[tuple[int, int | None], ...]
Changes = list[tuple[int, int]] | tuple[tuple[int, int], ...]


class Histories:
    """What changed in a run, by tensor, storage or node."""

    def __init__(self) -> None:
        self.rows: dict[int, Entries[Tensor]] = {}
        """Tensor -> its rows."""

        self.contents: dict[int, Entries[bytes | None]] = {}
        """Storage -> its bytes; None where they are not recorded."""

        self.nodes: dict[int, Node] = {}
        """Every node of the run, as it was last reported."""

        self.first_seen: dict[int, int] = {}
        """Node -> the step that first reported it; it may have been made before."""

        self.uncounted: dict[int, list[int]] = defaultdict(list)
        """Storage -> steps that wrote it without moving a version counter."""

        self.replaced: dict[int, list[int]] = defaultdict(list)
        """Storage -> steps at which a tensor on it got another storage (`x.data = t`)."""

        self.grads: dict[int, int] = {}
        """Storage -> the first step at which a `.grad` used it."""

        self.requires_grad: dict[int | None, int] = {}
        """Storage -> the first step at which a tensor on it required grad."""

        self.backwards: list[int] = []
        """Steps that ran backward."""

        self.unrecorded: dict[int, int] = {}
        """Node -> the first step at which its result was written or reshaped without the
        graph recording it."""

        self.reshaped: dict[int, int] = {}
        """Leaf -> the first step at which its shape or dtype changed."""

        self._tensors_on: dict[int, set[int]] = defaultdict(set)
        self._grad_ids: set[int] = set()

    def add(self, step: Step) -> None:
        if step.ran_backward:
            self.backwards.append(step.index)
        for node in step.nodes:
            self.first_seen.setdefault(node.id, step.index)
            self.nodes[node.id] = node
        for storage in step.storages:
            known = self.contents.get(storage.id, ())
            self.contents[storage.id] = extended(known, (step.index, storage.data))
        before = {row.id: self._row(row.id) for row in step.tensors}
        for row in step.tensors:
            self._add_row(row, before[row.id], step.index)
        for row in step.tensors:
            if row.id in self._grad_ids and row.storage is not None:
                self.grads.setdefault(row.storage, step.index)
        for event in step.events:
            if isinstance(event, Mutation) and event.storage is not None:
                self._add_write(event, before, step)
        for number in step.freed:
            self._tensors_on.pop(number, None)

    def row_at(self, tensor: int, index: int) -> Tensor | None:
        """Return the row of a tensor after step `index`; None before it was seen."""
        return latest(self.rows.get(tensor, ()), index)

    def _row(self, tensor: int) -> Tensor | None:
        known = self.rows.get(tensor)
        return known[-1][1] if known else None

    def _add_row(self, row: Tensor, old: Tensor | None, index: int) -> None:
        self.rows[row.id] = extended(self.rows.get(row.id, ()), (index, row))
        if row.requires_grad:
            self.requires_grad.setdefault(row.storage, index)
        if row.grad is not None:
            self._grad_ids.add(row.grad)
            grad = self._row(row.grad)
            if grad is not None and grad.storage is not None:
                self.grads.setdefault(grad.storage, index)
        if row.storage is not None:
            self._tensors_on[row.storage].add(row.id)
        if old is None:
            return
        if old.storage is not None and old.storage != row.storage:
            self._tensors_on[old.storage].discard(row.id)
            self.replaced[old.storage].append(index)
        if (old.shape, old.dtype, old.layout) == (row.shape, row.dtype, row.layout):
            return
        if isinstance(row.grad_fn, int) and row.grad_fn == old.grad_fn:
            self._unrecorded(row, index)
        elif row.grad_fn is None:
            self.reshaped.setdefault(row.id, index)

    def _add_write(self, event: Mutation, before: dict[int, Tensor | None], step: Step) -> None:
        storage = event.storage
        assert storage is not None
        if event.before is None or event.before == event.after:
            self.uncounted[storage].append(step.index)
            return
        op = event.op or ""
        logical = op.startswith("Tensor.logical_")
        in_function = step.depth > 0 and not step.grad_enabled
        if op.startswith("Tensor.") and not logical and not in_function:
            return  # recorded, or kept out of the graph on purpose: `no_grad`, `detach()`
        for tensor in self._tensors_on[storage]:
            row = self._row(tensor)
            if row is None or not isinstance(row.grad_fn, int):
                continue
            # A row that this step did not send still has the same node.
            old = before.get(tensor, row)
            if logical if old is None else old.grad_fn == row.grad_fn:
                self._unrecorded(row, step.index)

    def _unrecorded(self, row: Tensor, index: int) -> None:
        assert isinstance(row.grad_fn, int)
        self.unrecorded.setdefault(row.grad_fn, index)
        node = self.nodes.get(row.grad_fn)
        if row.is_view and node is not None:
            for edge in node.inputs:
                if edge is not None:
                    self.unrecorded.setdefault(edge.node, index)


def latest(history: Sequence[tuple[int, T]], index: int) -> T | None:
    """Return the value that a history has at a step; None before its first entry."""
    place = bisect_right(history, index, key=lambda entry: entry[0])
    return history[place - 1][1] if place else None


class Life(msgspec.Struct, kw_only=True, gc=False):
    """The life of one storage, as step indices in order."""

    born: int
    freed: int | None = None
    writes: Writes = ()
    """(step, version after it); None where no version counter moved."""

    held: Changes = ()
    """(step, how many saved tensors hold it from there on)."""

    stale: Changes = ()
    """(step, how many of those would fail the version check from there on)."""

    uncounted: Steps = ()
    """Those of the writes that moved no version counter."""

    spoiled: Steps = ()
    """Steps from which one more saved tensor would fail the version check."""

    nbytes: int = 0
    """Its size when it was born."""

    owner: int | None = None
    """The tensor that was first seen on it."""

    others: Changes = ()
    """(step, tensor): other tensors, and when they were first seen on it."""


class Index:
    """What can be found in a timeline without walking it."""

    def __init__(self) -> None:
        self.visits: dict[int, list[int]] = {}
        """Line -> the steps that ran it."""

        self.output: list[int] = []
        """Steps that printed, warned or raised."""

        self.printed: list[int] = []
        """For each of these, how many lines were printed up to it."""

        self.eventful: list[int] = []
        """Steps with events."""

        self.lives: dict[int, Life] = {}
        """Storage -> its life, in order of birth."""

        self.ranks: dict[int, int] = {}
        """Storage -> its place in the order of birth, from which its letter comes."""

        self.depths = bytearray()
        """By step: its call depth, up to `DEEPEST`."""

        self.failed: list[int] = []
        """Steps that raised, without those that an exception only passed through."""

        self.left: list[int] = []
        """Steps, in order, after which their frame may have returned."""

        self.begins: dict[int, list[int]] = {}
        """First line of a statement -> the cursors at which it is about to run, in order."""

        self.ends: dict[int, int] = {}
        """First line of a statement -> its last one."""

        self.written: dict[int, Steps] = {}
        """Tensor -> the steps that wrote through it."""

        self.gone: dict[int, Steps] = {}
        """Tensor that shared a storage -> the steps from which it did not, or had no name."""

        self.births: list[int] = []
        """Storages, in order of birth."""

        self.deaths: list[int] = []
        """Storages that were freed, in that order."""

        self.backwards: list[int] = []
        """Steps in which a backward ran, if it left a trace; not those that called them."""

        self._on: dict[int, int] = {}
        self._grads: dict[int, int | None] = {}
        self._frames: list[Step] = []
        self._slots: dict[int, dict[str, tuple[int, bool]]] = {}
        self._counts: dict[int, tuple[int, int]] = {}

    def add(self, step: Step) -> None:
        self.visits.setdefault(step.line, []).append(step.index)
        self._add_position(step)
        if step.raised or any(not isinstance(e, Mutation | Rebound) for e in step.events):
            self._add_output(step)
        if step.events:
            self.eventful.append(step.index)
        self._add_storages(step)
        for event in step.events:
            if not isinstance(event, Mutation):
                continue
            if event.tensor is not None:
                known = self.written.get(event.tensor, ())
                self.written[event.tensor] = extended(known, step.index)
            if event.storage in self.lives:
                life = self.lives[event.storage]
                life.writes = extended(life.writes, (step.index, event.after))
                if event.after is None:
                    life.uncounted = extended(life.uncounted, step.index)
        for storage_id in step.freed:
            if storage_id in self.lives:
                self.lives[storage_id].freed = step.index
                self.deaths.append(storage_id)
        self._add_places(step)
        self._count_saved(step)
        ran = self._ran_backward(step) or step.in_backward
        if ran and not (self.backwards and step.began <= self.backwards[-1]):
            self.backwards.append(step.index)

    def _add_storages(self, step: Step) -> None:
        """Add the storages that are new, and the bytes they came with."""
        for storage in step.storages:
            if storage.id not in self.lives:
                self.ranks[storage.id] = len(self.ranks)
                self.births.append(storage.id)
                self.lives[storage.id] = Life(born=step.index, nbytes=storage.nbytes)

    def _add_output(self, step: Step) -> None:
        self.output.append(step.index)
        printed = [event.text for event in step.events if isinstance(event, Printed)]
        lines = sum(text.count("\n") for text in printed)
        self.printed.append(lines + (self.printed[-1] if self.printed else 0))

    def _add_places(self, step: Step) -> None:
        for number in step.gone:
            storage = self._on.pop(number, None)
            if storage in self.lives and self.lives[storage].owner != number:
                self.gone[number] = extended(self.gone.get(number, ()), step.index)
        for tensor in step.tensors:
            if tensor.storage not in self.lives or self._on.get(tensor.id) == tensor.storage:
                continue
            if tensor.id in self._on:
                self.gone[tensor.id] = extended(self.gone.get(tensor.id, ()), step.index)
            self._on[tensor.id] = tensor.storage
            life = self.lives[tensor.storage]
            if life.owner is None:
                life.owner = tensor.id
            elif life.owner != tensor.id:
                life.others = extended(life.others, (step.index, tensor.id))

    def _add_position(self, step: Step) -> None:
        before = self.depths[step.began - 1] if 0 < step.began <= len(self.depths) else 0
        self.depths.append(min(step.depth, DEEPEST))
        # The first line of a function begins where its caller's line does: that cursor
        # shows the caller, and such a line is shown when it has run.
        place = step.index if before < min(step.depth, DEEPEST) else step.began - 1
        if self._frames and place == self._frames[-1].index:
            place = self._frames[-1].index  # the same number, kept once
        known = self.begins.setdefault(step.line, [])
        if not known or known[-1] < place:
            known.append(place)
        elif known[bisect_left(known, place)] != place:
            insort(known, place)
        self.ends[step.line] = max(step.end_line, self.ends.get(step.line, 0))
        passed = self._frames[-1] if self._frames else None
        if step.raised is not None and not (
            passed and passed.raised == step.raised and step.depth < passed.depth
        ):
            self.failed.append(step.index)
        while self._frames and self._frames[-1].depth >= step.depth:
            last = self._frames.pop()
            if last.depth > step.depth or last.then != step.line:
                insort(self.left, last.index)
        self._frames.append(step)

    def _ran_backward(self, step: Step) -> bool:
        """Whether a step freed what was saved, added to a gradient, or gave one without a write.

        A gradient that was there before is reported again where its names change: in a call.
        """
        known = self._grads
        given = {each.id: each.grad for each in step.tensors if known.get(each.id) != each.grad}
        known.update(given)
        return (
            any(saved.state is SlotState.FREED for saved in step.saved)
            or any((each.op or "").endswith(".backward") for each in step.mutations)
            or (any(grad is not None for grad in given.values()) and not step.mutations)
        )

    def _count_saved(self, step: Step) -> None:
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
            life = self.lives[storage]
            life.held = _changed(life.held, step.index, held)
            if stale_ones > (life.stale[-1][1] if life.stale else 0):
                life.spoiled = extended(life.spoiled, step.index)
            life.stale = _changed(life.stale, step.index, stale_ones)
            if not held:
                del self._counts[storage]

    def _count(self, storage: int, change: int, *, stale: bool) -> int:
        held, stale_ones = self._counts.get(storage, (0, 0))
        self._counts[storage] = (held + change, stale_ones + change * stale)
        return storage


def value_at(changes: Sequence[tuple[int, int]], index: int) -> int:
    """Return what a list of (step, value from there on) says at step `index`; 0 before."""
    return latest(changes, index) or 0


def _changed(changes: Changes, index: int, value: int) -> Changes:
    same = value == (changes[-1][1] if changes else 0)
    return changes if same else extended(changes, (index, value))


def extended(history: list[T] | tuple[T, ...], entry: T) -> list[T] | tuple[T, ...]:
    """Return a history with one entry more; a list grows where it is.

    Of 100,000 tensors most are reported once or twice, and a list for each is as large as
    the entries in it.
    """
    if isinstance(history, list):
        history.append(entry)
        return history
    return (*history, entry) if len(history) < SHORT else [*history, entry]
