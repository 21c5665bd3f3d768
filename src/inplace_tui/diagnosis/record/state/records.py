"""What is known of each tensor, version counter, node and saved slot; they refer to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec
import torch

from inplace_tui.common.run.snapshot import Edge, Node, Saved, SlotState
from inplace_tui.diagnosis.record.state.memory import Block
from inplace_tui.diagnosis.record.torch_memory import Live, object_at

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
        found: torch.Tensor = object_at(self.at)
        return found


@dataclass(eq=False, slots=True)
class VersionCounter:
    """One version counter, kept from being freed by a weak hold on a tensor."""

    address: int
    live: Live
    seen: bytes
    """The bytes that say `version`."""

    version: int
    hold: torch._C._WeakTensorRef | None
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
        elif self.detached or (now is not None and now != old.version):
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
