"""What is known of each tensor, version counter, node and saved slot; they refer to each other.

Version counters are polled where torch keeps them. Tensors that share one (views, `detach()`) have
one here, and what a node saved has one too, named or not. A poll is a read of plain memory: it
costs 50 ns a counter, and no mode of the program can see it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec
import torch

from inplace_tui.common.run.snapshot import Edge, Node, Saved, SlotState
from inplace_tui.diagnosis.record.readings import readings
from inplace_tui.diagnosis.record.state.live_table import LiveTable
from inplace_tui.diagnosis.record.state.memory import Block, Blocks
from inplace_tui.diagnosis.record.state.safe_reads import grad_of, is_outdated, state_of

Fn: TypeAlias = torch.autograd.graph.Node
Raw: TypeAlias = object
"""A `SavedTensor`. It must be gone before its node may be: it points into it."""

Key: TypeAlias = tuple[int, object]

ACCUMULATES = 2**64 - 1
"""Sequence number of every AccumulateGrad."""

Fingerprint: TypeAlias = tuple[object, ...]


@dataclass(eq=False, slots=True)
class TrackedTensor:
    """A tensor that has a number, with what was last seen of it."""

    id: int
    address: int
    is_view: bool
    hold: torch._C._WeakTensorRef | None
    names: tuple[str, ...] = ()
    """Empty while no name reaches it."""

    counter: VersionCounter | None = None
    block: Block | None = None
    fingerprint: Fingerprint = ()
    """Of everything that may change, to see quickly that nothing did."""

    state: tuple[object, ...] = ()
    """As `state_of` last read it."""

    at: int = 0
    """The address of its Python object, while a name reaches it."""

    reference: Callable[[], torch.Tensor | None] | None = None
    """What gives that object."""

    is_reported: bool = False
    """Whether it is part of what was last reported."""

    geometry: Fingerprint = ()
    had_node: bool = False
    own_values: bool = False
    """Its elements are sent with it, not with its storage."""

    sent: bool = False

    @property
    def tensor(self) -> torch.Tensor:
        """The tensor, while a name reaches it: it is not held."""
        assert self.reference is not None
        found = self.reference()
        assert found is not None
        return found


@dataclass(eq=False, slots=True)
class VersionCounter:
    """One version counter, kept from being freed by a weak hold on a tensor."""

    key: Hashable
    cell: object
    seen: object
    """What a look at the cell saw, which says `version`."""

    version: int
    hold: torch._C._WeakTensorRef | None
    since: int
    """The step in which it was first read, or last found to have moved."""

    logged: int | None = None
    """The version up to which its writes were logged; None if none was."""

    tensors: dict[TrackedTensor, None] = field(default_factory=dict)
    """Named tensors that have it."""

    slots: dict[SavedSlot, None] = field(default_factory=dict)
    """Saved slots that have it."""


class RunningStatement(msgspec.Struct, eq=False, gc=False, kw_only=True):
    """A statement that has begun."""

    index: int | None = None
    """Of its step, once it finishes."""


class MadeAt(msgspec.Struct, frozen=True, gc=False):
    """The line that made a node."""

    line: int | None
    """A physical one."""

    owner: RunningStatement | None
    """The statement that it belongs to."""

    @property
    def step(self) -> int | None:
        """Index of its step; None while that line has not finished."""
        return None if self.owner is None else self.owner.index


@dataclass(eq=False, slots=True)
class Vertex:
    """One node of the graph."""

    key: Key
    name: str
    id: int = 0
    users: int = 0
    """Named tensors and nodes that lead to it."""

    below: list[tuple[Vertex, int] | None] = field(default_factory=list)
    """Where gradients go, and to which of its outputs; None where none is needed."""

    inputs: tuple[Edge | None, ...] = ()
    slots: dict[str, SavedSlot] = field(default_factory=dict)
    made_at: MadeAt | None = None
    leaf: int | None = None
    opaque: bool = False

    def describe(self) -> Node:
        made_at = self.made_at
        return Node(
            id=self.id,
            name=self.name,
            line=None if made_at is None else made_at.line,
            step=None if made_at is None else made_at.step,
            inputs=self.inputs,
            leaf=self.leaf,
            order=0 if self.key[0] == ACCUMULATES else self.key[0],
            opaque=self.opaque,
        )


@dataclass(eq=False, slots=True)
class SavedSlot:
    """One tensor that one node saved."""

    vertex: Vertex
    sent: Saved
    counter: VersionCounter | None = None
    block: Block | None = None
    impl: int = 0
    """Address of the `TensorImpl` that it holds."""

    unfixed: bool = False
    """It saved a result of another node: that tensor must not be detached in place."""

    detached: bool = False
    hooked: bool = False

    def read(self) -> Saved:
        old, counter = self.sent, self.counter
        now = None if counter is None else counter.version
        if self.hooked:
            state = SlotState.HOOKED
        elif self.impl == 0:
            state = SlotState.FREED
        elif self.detached or (None not in (now, old.version) and now != old.version):
            state = SlotState.STALE
        else:
            state = SlotState.FRESH
        tensor = None if counter is None else self._tensor(counter)
        is_same = state is old.state and now == old.now and tensor == old.tensor
        if is_same and self.detached == old.detached:
            return old
        return Saved(  # twice as fast as `replace`, at every step
            node=old.node,
            slot=old.slot,
            tensor=tensor,
            storage=old.storage,
            shape=old.shape,
            dtype=old.dtype,
            version=old.version,
            now=now,
            is_output=old.is_output,
            state=state,
            origin=old.origin,
            detached=self.detached,
        )

    def _tensor(self, counter: VersionCounter) -> int | None:
        """Return the named tensor that it is, or the likeliest with its counter."""
        candidates = [known for known in counter.tensors if known.block is self.block]
        if len(candidates) > 1:
            return min(candidates, key=lambda k: (k.address != self.impl, k.is_view, k.id)).id
        return candidates[0].id if candidates else None


_PRUNE_EVERY = 256


class Ordinals:
    """T1, T2, …: numbers tensors in the order in which they are first asked for.

    The identity is the address of the `TensorImpl`, kept from being reused by a weak
    reference. Python's own weak references are not used: `swap_tensors` refuses a tensor
    that has one.
    """

    def __init__(self) -> None:
        self._known: dict[int, TrackedTensor] = {}
        self._next = 1
        self._asked = 0

    def of(self, tensor: torch.Tensor) -> TrackedTensor:
        known = self._known.get(tensor._cdata)
        if known is None:
            address, hold = tensor._cdata, torch._C._WeakTensorRef(tensor)
            known = TrackedTensor(self._next, address, tensor._is_view(), hold)
            self._known[address] = known
            self._next += 1
        return known

    def get(self, tensor: torch.Tensor) -> TrackedTensor | None:
        return self._known.get(tensor._cdata)

    def forget(self, known: TrackedTensor) -> None:
        """Forget one at once, if it has been freed."""
        if known.hold is not None and known.hold.expired():
            self._known.pop(known.address, None)

    def prune(self) -> None:
        """Forget what has been freed, now and then: each costs a question."""
        self._asked += 1
        if self._asked % _PRUNE_EVERY == 0:
            known = list(self._known.items())
            for address, numbered in known:
                if numbered.hold is not None and numbered.hold.expired():
                    del self._known[address]


MAX_RECENT = 256
"""Saved counters without a named tensor that are polled at every line; the latest."""


class Counters:
    """Every counter that a named tensor or a saved slot has."""

    def __init__(self) -> None:
        self._readings = readings()
        self._look = self._readings.versions
        self._by_key: dict[Hashable, VersionCounter] = {}
        self._named: LiveTable[VersionCounter] = LiveTable(("cell", "seen", self._look))
        self._saved: LiveTable[VersionCounter] = LiveTable(("cell", "seen", self._look))
        """Those of saved slots that no named tensor has."""

        self._changed: dict[VersionCounter, None] = {}
        self._step = 0
        self._nodes = 0
        """The number that the next node had when that step began."""

        self.dirty: set[TrackedTensor] = set()
        """Named tensors whose counter moved; the watcher removes them."""

    def name(self, known: TrackedTensor, tensor: torch.Tensor) -> VersionCounter | None:
        """Return the counter of a tensor that now has a name; None for an inference tensor."""
        counter = self._of(tensor, known.hold)
        if counter is not None:
            if not counter.tensors:
                self._named.add(counter)
                if counter.slots:
                    self._saved.drop(counter)
            counter.tensors[known] = None
            self._changed[counter] = None
        return counter

    def unname(self, known: TrackedTensor) -> None:
        counter = known.counter
        if counter is not None:
            del counter.tensors[known]
            self._changed[counter] = None
            if not counter.tensors:
                self._named.drop(counter)
                if counter.slots:
                    self._saved.add(counter)
                else:
                    self._drop(counter)

    def save(self, slot: SavedSlot, tensor: torch.Tensor) -> VersionCounter | None:
        counter = self._of(tensor, None)
        if counter is not None:
            if counter.hold is None:
                counter.hold = torch._C._WeakTensorRef(tensor)
            if not counter.slots and not counter.tensors:
                self._saved.add(counter)
            counter.slots[slot] = None
        return counter

    def unsave(self, slot: SavedSlot) -> None:
        counter = slot.counter
        if counter is not None:
            del counter.slots[slot]
            if not counter.slots and not counter.tensors:
                self._saved.drop(counter)
                self._drop(counter)

    def hold(self, tensor: torch.Tensor, hold: torch._C._WeakTensorRef | None) -> None:
        key = self._readings.counter_of(tensor)
        counter = None if key is None else self._by_key.get(key)
        if counter is not None:
            counter.hold = hold
        elif key is not None:
            self._readings.release(key)

    def read(self, tensor: torch.Tensor) -> tuple[Hashable, int] | None:
        """Return the counter of any tensor, and what it says; None if it has none."""
        key = self._readings.counter_of(tensor)
        if key is None:
            return None
        return key, self._readings.version_in(self._look.one(self._readings.cell(key)))

    def moved(self, *, everywhere: bool) -> list[tuple[VersionCounter, int, int]]:
        """Return the counters that moved since they were last asked: (which, before, after).

        Unless `everywhere`, only those of named tensors and the latest saved ones are asked.
        """
        found = self._named.changed()
        found += self._saved.changed(latest=None if everywhere else MAX_RECENT)[::-1]
        one = self._look.one
        return [self._moved(c) for c in found if one(c.cell) != c.seen] if found else []

    def _moved(self, counter: VersionCounter) -> tuple[VersionCounter, int, int]:
        before, counter.seen = counter.version, self._look.one(counter.cell)
        counter.version = now = self._readings.version_in(counter.seen)
        counter.since = self._step
        self._changed[counter] = None
        self.dirty.update(counter.tensors)
        return counter, before, now

    def changed(self) -> list[VersionCounter]:
        """Return those whose slots may read differently since the last call, at the last step."""
        self._step += 1
        self._nodes = torch._C._autograd._get_sequence_nr()
        found = list(self._changed)
        self._changed.clear()
        return found

    def version_before(self, counter: VersionCounter) -> int | None:
        """Return the version that it has had since before this step; None if it moved in it."""
        return counter.version if counter.since < self._step else None

    def saw_made(self, counter: VersionCounter | None) -> bool:
        """Whether a view that has a name now for the first time was made at its version.

        Some node was made in this step, in which the counter did not move: at least, this is
        no view that was kept somewhere since before its base was written.
        """
        is_made = torch._C._autograd._get_sequence_nr() > self._nodes
        return is_made and counter is not None and self.version_before(counter) is not None

    def _of(
        self, tensor: torch.Tensor, hold: torch._C._WeakTensorRef | None
    ) -> VersionCounter | None:
        key = self._readings.counter_of(tensor)
        if key is None:
            return None
        counter = self._by_key.get(key)
        if counter is None:
            cell = self._readings.cell(key)
            seen = self._look.one(cell)
            counter = VersionCounter(
                key, cell, seen, self._readings.version_in(seen), hold, self._step
            )
            self._by_key[key] = counter
        return counter

    def _drop(self, counter: VersionCounter) -> None:
        del self._by_key[counter.key]
        self._readings.release(counter.key)


class Watcher:
    """Finds named tensors that changed.

    It asks no more of them than the line may have changed.
    """

    def __init__(self, blocks: Blocks, counters: Counters) -> None:
        self.moved: list[tuple[TrackedTensor, Block, Block]] = []
        """Tensors that were found on another storage: (which, before, after)."""

        self._readings = readings()
        self._blocks = blocks
        self._counters = counters
        self._suspected: dict[TrackedTensor, None] = {}
        self._outdated: dict[TrackedTensor, None] = {}
        """Views whose `grad_fn` any use may make anew."""

    def add(self, known: TrackedTensor, tensor: torch.Tensor) -> None:
        is_new, known.at = known.at == 0, id(tensor)
        known.reference = self._readings.reference(tensor)
        if is_new:
            if known.is_view and self._counters.saw_made(known.counter):
                self._readings.note_fresh(tensor)
            self._look(known, tensor)

    def drop(self, known: TrackedTensor) -> None:
        self._outdated.pop(known, None)
        self._suspected.pop(known, None)
        known.at, known.reference = 0, None
        self._blocks.unname(known.block)
        known.block, known.state = None, ()

    def suspect(self, known: TrackedTensor) -> None:
        self._suspected[known] = None

    def suspects(self) -> list[TrackedTensor]:
        """Return the tensors that may have to be reported, and forget them."""
        found = list(self._suspected)
        self._suspected.clear()
        return found

    def update(
        self, named: dict[int, TrackedTensor], grads: dict[int, int], *, stored: bool
    ) -> bool:
        """Find what changed; return whether the tensors are those that they were."""
        changed = {known: None for known in self._counters.dirty if known.at}
        self._counters.dirty.clear()
        if self._blocks.dirty:
            changed |= {k: None for k in named.values() if k.block in self._blocks.dirty}
            self._blocks.dirty.clear()
        is_alive = True
        for known in named.values() if stored else [*self._outdated, *changed]:
            if known.hold is None or known.hold.expired():
                is_alive = False
            elif self._look(known, known.tensor):
                changed[known] = None
        self._suspected |= changed
        return is_alive and all(
            grads.get(known.at) == getattr(grad_of(known.tensor), "_cdata", None)
            for known in changed
        )

    def _look(self, known: TrackedTensor, tensor: torch.Tensor) -> bool:
        """Read the state of a tensor; return whether it differs from when it was last read."""
        state = state_of(tensor, is_view=known.is_view)
        if state == known.state:
            return False
        known.state = state
        old, block = known.block, self._blocks.of(tensor)
        if block is not old:
            self._blocks.unname(old)
            self._blocks.name(block)
            known.block = block
            if old is not None and block is not None:
                self.moved.append((known, old, block))
                if known.counter is not None:
                    self._readings.moved(known.counter.key, tensor)
        if known.is_view and is_outdated(tensor):
            self._outdated[known] = None
        else:
            self._outdated.pop(known, None)
        return True
