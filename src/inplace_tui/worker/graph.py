"""The backward graph below the named tensors, each node once, with what it saved.

Nothing of torch is kept: a node is known by its sequence number, an
AccumulateGrad by its leaf. A node is described once, when it is first reached;
how many known things lead to it is counted, so that a loop of a thousand
iterations costs a thousand descriptions and not a million.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch

from inplace_tui.model.snapshot import Edge, Node, Saved, SlotState
from inplace_tui.worker.counters import Counter, Counters
from inplace_tui.worker.layout import measure
from inplace_tui.worker.memory import Block, Blocks
from inplace_tui.worker.passive import is_opaque
from inplace_tui.worker.tensors import Known

Fn: TypeAlias = torch.autograd.graph.Node
Key: TypeAlias = tuple[int, object]

_ACCUMULATES = 2**64 - 1
"""Sequence number of every AccumulateGrad."""


class Maker(NamedTuple):
    """The line that made a node."""

    line: int | None
    step: int | None
    """None while that line has not finished."""


class Vertex:
    """One node of the graph."""

    __slots__ = ("below", "id", "inputs", "key", "leaf", "made", "name", "opaque", "slots", "users")

    def __init__(self, key: Key, name: str) -> None:
        self.key = key
        self.name = name
        self.id = 0
        self.users = 0
        """Named tensors and nodes that lead to it."""

        self.below: list[Vertex | None] = []
        self.inputs: tuple[Edge | None, ...] = ()
        self.slots: dict[str, SavedSlot] = {}
        self.made: Maker | None = None
        self.leaf: int | None = None
        self.opaque = False

    def describe(self) -> Node:
        """Return what the screen is told of it."""
        line, step = self.made or (None, None)
        return Node(
            id=self.id,
            name=self.name,
            line=line,
            step=step,
            inputs=self.inputs,
            leaf=self.leaf,
            opaque=self.opaque,
        )


class SavedSlot:
    """One tensor that one node saved."""

    __slots__ = ("block", "counter", "detached", "hooked", "impl", "sent", "unfixed", "vertex")

    def __init__(self, vertex: Vertex, fixed: Saved) -> None:
        self.vertex = vertex
        self.sent = fixed
        self.counter: Counter | None = None
        self.block: Block | None = None
        self.impl = 0
        """Address of the `TensorImpl` that it holds."""

        self.unfixed = False
        """It saved a result of another node: that tensor must not be detached in place."""

        self.detached = False
        self.hooked = False

    def read(self) -> Saved:
        """Return what the screen is told of it now."""
        now = None if self.counter is None else self.counter.version
        if self.hooked:
            state = SlotState.HOOKED
        elif self.impl == 0:
            state = SlotState.FREED
        elif self.detached or (now is not None and now != self.sent.version):
            state = SlotState.STALE
        else:
            state = SlotState.FRESH
        tensor = self._tensor()
        old = self.sent
        if (old.state, old.now, old.tensor) == (state, now, tensor):
            return old
        return Saved(
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
        )

    def _tensor(self) -> int | None:
        """Return the named tensor that it is, or the likeliest with its counter."""
        named = () if self.counter is None else self.counter.tensors
        candidates = [known for known in named if known.block is self.block]
        if not candidates:
            return None
        return min(candidates, key=self._distance).id

    def _distance(self, known: Known) -> tuple[bool, bool, int]:
        return known.address != self.impl, known.is_view, known.id


class Graph:
    """All nodes that a named tensor leads to."""

    def __init__(
        self,
        *,
        blocks: Blocks,
        counters: Counters,
        leaf: Callable[[torch.Tensor], int],
        maker: Callable[[int], Maker],
    ) -> None:
        self._blocks = blocks
        self._counters = counters
        self._leaf = leaf
        self._maker = maker
        self._layout = measure()
        self._vertices: dict[Key, Vertex] = {}
        self._roots: set[Key] = set()
        self._next = 1
        self._attributes: dict[type, tuple[str, ...]] = {}
        self._unmade: list[Vertex] = []
        """Nodes whose line has not finished."""

        self._described: list[Vertex] = []
        self._lost: list[int] = []
        self._slots: list[SavedSlot] = []
        """Slots that may read differently than they were sent."""

    def number(self, fn: Fn) -> int:
        """Return the ordinal of a node; it is described now if it was not yet."""
        key = self._key(fn)
        vertex = self._vertices.get(key)
        return (self._add(fn, key) if vertex is None else vertex).id

    def keep(self, roots: dict[int, Fn]) -> None:
        """Say which nodes named tensors lead to now; forget what nothing leads to.

        Args:
            roots: nodes by their ordinals, as `number` gave them.
        """
        keys = {self._key(fn) for fn in roots.values()}
        for key in keys - self._roots:
            self._vertices[key].users += 1
        gone = [self._vertices[key] for key in self._roots - keys]
        self._roots = keys
        while gone:
            vertex = gone.pop()
            vertex.users -= 1
            if vertex.users == 0:
                self._forget(vertex)
                gone.extend(below for below in vertex.below if below is not None)

    def check(self, roots: dict[int, Fn]) -> None:
        """Look at every slot of every node again: some may have been freed."""
        waiting, seen = list(roots.values()), set[Key]()
        while waiting:
            fn = waiting.pop()
            key = self._key(fn)
            if key in seen:
                continue
            seen.add(key)
            vertex = self._vertices.get(key)
            if vertex is not None:
                self._check_slots(fn, vertex)
            waiting.extend(below for below, _ in fn.next_functions if below is not None)

    def news(self) -> tuple[tuple[Node, ...], tuple[int, ...], tuple[Saved, ...]]:
        """Return what the next step says: nodes, lost nodes, slots."""
        described = {v.id: v for v in self._described if v.key in self._vertices}
        still = []
        for vertex in self._unmade:
            if vertex.key not in self._vertices:
                continue
            vertex.made = self._maker(vertex.key[0])
            if vertex.made.step is None:
                still.append(vertex)
            else:
                described[vertex.id] = vertex
        self._unmade = still
        for counter in self._counters.changed():
            self._slots.extend(counter.slots)
        saved = []
        for slot in dict.fromkeys(self._slots):
            told = slot.read()
            new = slot.vertex.id in described
            if (new or told is not slot.sent) and slot.vertex.users:
                slot.sent = told
                saved.append(told)
        lost = tuple(self._lost)
        self._described, self._lost, self._slots = [], [], []
        return tuple(vertex.describe() for vertex in described.values()), lost, tuple(saved)

    def new_slots(self) -> list[SavedSlot]:
        """Return the slots of the nodes that were first reached since the last step."""
        return [slot for vertex in self._described for slot in vertex.slots.values()]

    def _key(self, fn: Fn) -> Key:
        number = fn._sequence_nr()
        if number == _ACCUMULATES:
            variable = getattr(fn, "variable", None)
            return (number, None if variable is None else self._leaf(variable))
        return (number, type(fn).__name__)

    def _add(self, top: Fn, key: Key) -> Vertex:
        """Describe a node and all below it that are not known yet."""
        new: list[tuple[Vertex, Fn, list[int]]] = []
        root = self._vertices[key] = Vertex(key, type(top).__name__)
        waiting = [(root, top)]
        while waiting:
            vertex, fn = waiting.pop()
            outputs: list[int] = []
            for below, output in fn.next_functions:
                outputs.append(output)
                if below is None:
                    vertex.below.append(None)
                    continue
                below_key = self._key(below)
                known = self._vertices.get(below_key)
                if known is None:
                    known = Vertex(below_key, type(below).__name__)
                    self._vertices[below_key] = known
                    waiting.append((known, below))
                known.users += 1
                vertex.below.append(known)
            new.append((vertex, fn, outputs))
        # In order of creation, leaves first, so that N1 is older than N2.
        new.sort(key=lambda found: (found[0].key[0] + 1) % 2**64)
        for vertex, _, _ in new:
            vertex.id = self._next
            self._next += 1
        for vertex, fn, outputs in new:
            self._describe(vertex, fn, outputs)
        return root

    def _describe(self, vertex: Vertex, fn: Fn, outputs: list[int]) -> None:
        vertex.inputs = tuple(
            None if below is None else Edge(below.id, output)
            for below, output in zip(vertex.below, outputs, strict=True)
        )
        vertex.opaque = vertex.name == "CopySlices"
        number, leaf = vertex.key
        if number == _ACCUMULATES:
            vertex.leaf = leaf if isinstance(leaf, int) else None
        else:
            vertex.made = self._maker(number)
            if vertex.made.step is None:
                self._unmade.append(vertex)
        for name, raw in self._raw(fn):
            slot = self._slot(vertex, name, raw)
            if slot is not None:
                vertex.slots[name] = slot
                self._slots.append(slot)
        self._described.append(vertex)

    def _raw(self, fn: Fn) -> list[tuple[str, object]]:
        """Return the `SavedTensor`s of a node by slot; None for a list that was freed.

        They must be gone before the node may be: they point into it.
        """
        kind = type(fn)
        names = self._attributes.get(kind)
        if names is None:
            names = tuple(name for name in dir(kind) if name.startswith("_raw_saved_"))
            self._attributes[kind] = names
        found: list[tuple[str, object]] = []
        for name in names:
            slot = name.removeprefix("_raw_saved_")
            try:
                raw = getattr(fn, name)
            except RuntimeError:
                found.append((slot, None))
                continue
            if isinstance(raw, (tuple, list)):
                found.extend((f"{slot}[{i}]", item) for i, item in enumerate(raw))
            elif raw is not None:
                found.append((slot, raw))
        return found

    def _slot(self, vertex: Vertex, name: str, raw: object) -> SavedSlot | None:
        """Describe one slot; None where nothing was ever saved in it."""
        if raw is None:
            return SavedSlot(vertex, Saved(node=vertex.id, slot=name, state=SlotState.FREED))
        held = self._layout.slot(raw)
        if held.empty and not held.hooked:
            return None
        data = None if held.hooked else raw.data  # type: ignore[attr-defined]
        if data is None or is_opaque(data):
            state = SlotState.HOOKED if held.hooked or data is not None else SlotState.FREED
            version = held.version if data is None and not held.hooked else None
            fixed = Saved(
                node=vertex.id,
                slot=name,
                version=version,
                is_output=held.output,
                state=state,
            )
            slot = SavedSlot(vertex, fixed)
            slot.hooked = state is SlotState.HOOKED
            return slot
        block = self._blocks.of(data)
        fixed = Saved(
            node=vertex.id,
            slot=name,
            storage=None if block is None else block.id,
            shape=tuple(data.shape),
            dtype=str(data.dtype).removeprefix("torch."),
            version=held.version,
            now=held.version,
            is_output=held.output,
        )
        slot = SavedSlot(vertex, fixed)
        slot.impl = held.impl
        slot.unfixed = held.original and not held.leaf and not held.output
        slot.block = block
        slot.counter = self._counters.save(slot, data)
        self._blocks.save(block, 1)
        return slot

    def _check_slots(self, fn: Fn, vertex: Vertex) -> None:
        raws = dict(self._raw(fn))
        for name, slot in vertex.slots.items():
            if slot.impl == 0 or slot.hooked:
                continue
            # A list slot that was freed is named `indices`, not `indices[0]`.
            raw = raws.get(name)
            held = None if raw is None else self._layout.slot(raw)
            if held is None or (held.impl != slot.impl and not held.hooked):
                self._release(slot)
            elif held.hooked:
                self._release(slot)
                slot.hooked = True
            elif slot.unfixed:
                data = raw.data  # type: ignore[attr-defined]
                slot.detached = not data._is_view() and data.grad_fn is None
            self._slots.append(slot)

    def _release(self, slot: SavedSlot) -> None:
        """Let go of what a slot held."""
        slot.impl = 0
        self._counters.unsave(slot)
        self._blocks.save(slot.block, -1)
        slot.counter = slot.block = None

    def _forget(self, vertex: Vertex) -> None:
        del self._vertices[vertex.key]
        self._lost.append(vertex.id)
        for slot in vertex.slots.values():
            self._release(slot)
