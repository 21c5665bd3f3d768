"""The backward graph below the named tensors, each node once, with what it saved.

Nothing of torch is kept: a node is known by its sequence number, an
AccumulateGrad by its leaf. A node is described once, when it is first reached;
how many known things lead to it is counted, so that a loop of a thousand
iterations costs a thousand descriptions and not a million.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import torch

from inplace_tui.common.run.snapshot import Edge, Node, Saved, SlotState, ViewOrigin
from inplace_tui.diagnosis.record.readings import Slot, readings
from inplace_tui.diagnosis.record.state.memory import Blocks
from inplace_tui.diagnosis.record.state.records import (
    ACCUMULATES,
    Counters,
    Fn,
    Key,
    MadeAt,
    Raw,
    RunningStatement,
    SavedSlot,
    Vertex,
)
from inplace_tui.diagnosis.record.state.safe_reads import is_opaque, text_of
from inplace_tui.diagnosis.record.torch_memory import saved_data

MAX_LOST = 1_000
"""Slots of lost nodes that are remembered."""

UNSENT = Saved(node=0, slot="")

MAX_NESTED = 1_000
"""Nodes that torch may free one within the other, which it does to those that Python has seen.

Nodes beyond that hold the nodes below them: freeing tuples of Python does not overflow the stack.
"""


class GraphChanges(msgspec.Struct, frozen=True, gc=False):
    """What changed in the graph since the last step."""

    nodes: tuple[Node, ...] = ()
    lost: tuple[int, ...] = ()
    saved: tuple[Saved, ...] = ()
    slots: Sequence[SavedSlot] = ()
    """Those of nodes that were first reached, as far as these are not lost again."""


_NO_CHANGES = GraphChanges()

_RAW = "_raw_saved_"
_Meta = torch._C._autograd.CreationMeta
_ORIGINS = {
    _Meta.MULTI_OUTPUT_NODE: ViewOrigin.MULTI_OUTPUT,
    _Meta.NO_GRAD_MODE: ViewOrigin.NO_GRAD,
    _Meta.INFERENCE_MODE: ViewOrigin.INFERENCE,
    _Meta.IN_CUSTOM_FUNCTION: ViewOrigin.CUSTOM,
}


@dataclass(eq=False)
class Graph:
    """All nodes that a named tensor leads to."""

    blocks: Blocks
    counters: Counters
    leaf: Callable[[torch.Tensor], int]
    made_at: Callable[[int], MadeAt]

    def __post_init__(self) -> None:
        self._readings = readings()
        self._attributes: dict[type, tuple[tuple[str, str], ...]] = {}
        """Of nodes of a type, with the names of their slots."""

        self._vertices: dict[Key, Vertex] = {}
        self._by_id: dict[int, Vertex] = {}
        self._roots: dict[int, Vertex] = {}
        """By the ordinals of named tensors, the nodes that they lead to."""

        self._left: list[Vertex] = []
        """Nodes that a named tensor led to, once for each."""

        self._next = 1
        self._unfinished: dict[RunningStatement | None, dict[Vertex, None]] = {}
        """Nodes that were found while their line ran, by that line."""

        self._described: list[Vertex] = []
        self._lost: list[int] = []
        self._logged: dict[tuple[Key, str], int] = {}
        """By slot of a node that was lost: the version up to which writes were logged.

        Between the function that returns a value and the line that names it no name leads to
        the value. Its nodes come back then, and earlier writes must not be logged again.
        """

        self._slots: list[SavedSlot] = []
        """Slots that may read differently than they were sent."""

    def number(self, fn: Fn) -> int:
        """Return the ordinal of a node; it is described now if it was not yet."""
        key = self._key(fn)
        vertex = self._vertices.get(key)
        return (self._add(fn, key) if vertex is None else vertex).id

    def set_root(self, tensor: int, node: int | None) -> None:
        """Say which node a named tensor leads to now."""
        vertex = None if node is None else self._by_id[node]
        before = self._roots.get(tensor)
        if vertex is not before:
            if vertex is None:
                del self._roots[tensor]
            else:
                vertex.users += 1
                self._roots[tensor] = vertex
            if before is not None:
                self._left.append(before)

    def sweep(self) -> None:
        gone = self._left
        while gone:
            vertex = gone.pop()
            vertex.users -= 1
            if vertex.users == 0:
                self._forget(vertex)
                gone += [below[0] for below in vertex.below if below is not None]

    def oldest_to_check(self) -> int | None:
        """Return the number of the oldest node that may have saved more since it was found."""
        found = [vertex.key[0] for line in self._finished() for vertex in self._unfinished[line]]
        return min(found, default=None)

    def check(self, roots: list[Fn], oldest: int) -> None:
        """Look at every slot of these nodes again: some may have been freed.

        No node leads to one that is newer than itself: those before `oldest` are passed over.
        """
        waiting, seen = roots, set[Key]()
        while waiting:
            fn = waiting.pop()
            key = self._key(fn)
            if key in seen or key[0] < oldest:
                continue
            seen.add(key)
            vertex = self._vertices.get(key)
            if vertex is not None:
                self._check_slots(fn, vertex)
            waiting.extend(below for below, _ in fn.next_functions if below is not None)

    def changes(self) -> GraphChanges:
        for counter in self.counters.changed():
            if counter.slots:
                self._slots += counter.slots
        if not (self._described or self._unfinished or self._slots or self._lost):
            return _NO_CHANGES
        described: dict[Vertex, None] = {}
        new: list[SavedSlot] = []
        for vertex in self._described:
            new += vertex.slots.values()
            if vertex.users:
                described[vertex] = None
        for line in self._finished():
            described |= self._unfinished.pop(line)
        saved = []
        for slot in dict.fromkeys(self._slots):
            logged, vertex = slot.read(), slot.vertex
            if vertex.users and (logged is not slot.sent or vertex in described):
                slot.sent = logged
                saved.append(logged)
        nodes, lost = tuple([vertex.describe() for vertex in described]), tuple(self._lost)
        self._described, self._lost, self._slots = [], [], []
        return GraphChanges(nodes, lost, tuple(saved), new)

    def _finished(self) -> list[RunningStatement]:
        return [each for each in self._unfinished if each is not None and each.index is not None]

    def _key(self, fn: Fn) -> Key:
        number = fn._sequence_nr()
        if number == ACCUMULATES:
            variable = getattr(fn, "variable", None)
            return (number, None if variable is None else self.leaf(variable))
        return (number, type(fn).__name__)

    def _add(self, top: Fn, key: Key) -> Vertex:
        new: list[tuple[Vertex, Fn]] = []
        root = self._vertices[key] = Vertex(key, type(top).__name__)
        waiting = [(root, top)]
        while waiting:
            vertex, fn = waiting.pop()
            edges = fn.next_functions
            if len(self._vertices) > MAX_NESTED:
                fn.metadata["inplace_tui:below"] = edges
            for below, output in edges:
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
                vertex.below.append((known, output))
            new.append((vertex, fn))
        # In order of creation, leaves first, so that N1 is older than N2.
        if len(new) > 1:
            new.sort(key=lambda found: (found[0].key[0] + 1) % 2**64)
        for vertex, _ in new:
            vertex.id = self._next
            self._by_id[vertex.id] = vertex
            self._next += 1
        for vertex, fn in new:
            self._describe(vertex, fn)
        return root

    def _describe(self, vertex: Vertex, fn: Fn) -> None:
        vertex.inputs = tuple(
            [None if below is None else Edge(below[0].id, below[1]) for below in vertex.below]
        )
        vertex.opaque = vertex.name == "CopySlices"
        number, leaf = vertex.key
        if number == ACCUMULATES:
            vertex.leaf = leaf if isinstance(leaf, int) else None
        else:
            vertex.made_at = self.made_at(number)
            if vertex.made_at.step is None:
                self._unfinished.setdefault(vertex.made_at.owner, {})[vertex] = None
        self._add_slots(fn, vertex)
        self._described.append(vertex)

    def _check_slots(self, fn: Fn, vertex: Vertex) -> None:
        raws = dict(self._raw(fn))
        for name, slot in vertex.slots.items():
            # A list slot that was freed is named `indices`, not `indices[0]`.
            self._check_slot(slot, raws.get(name))
            self._slots.append(slot)
        if vertex.made_at is not None and vertex in self._unfinished.get(vertex.made_at.owner, ()):
            self._add_slots(fn, vertex)

    def _add_slots(self, fn: Fn, vertex: Vertex) -> None:
        """Describe the slots that are not known yet.

        Code that torch runs while it makes a node (a hook that packs what is
        saved) sees it before anything was saved in it.
        """
        for name, raw in self._raw(fn):
            if name not in vertex.slots:
                slot = self._slot(vertex, fn, name, raw)
                if slot is not None:
                    if self._logged:
                        logged = self._logged.pop((vertex.key, name), None)
                        if slot.counter is not None and slot.counter.logged is None:
                            slot.counter.logged = logged
                    vertex.slots[name] = slot
                    self._slots.append(slot)

    def _forget(self, vertex: Vertex) -> None:
        del self._vertices[vertex.key]
        del self._by_id[vertex.id]
        self._lost.append(vertex.id)
        if vertex.made_at is not None and vertex.made_at.owner in self._unfinished:
            self._unfinished[vertex.made_at.owner].pop(vertex, None)
        for name, slot in vertex.slots.items():
            if slot.counter is not None and slot.counter.logged is not None:
                self._logged[vertex.key, name] = slot.counter.logged
            self._release(slot)
        vertex.slots.clear()  # they have it: the two would wait for a collection
        while len(self._logged) > MAX_LOST:
            del self._logged[next(iter(self._logged))]

    # What nodes saved.

    def _raw(self, fn: Fn) -> list[tuple[str, Raw | None]]:
        """Return what a node saved, by slot; None for a list that was freed."""
        kind = type(fn)
        names = self._attributes.get(kind)
        if names is None:
            found_in = (name for name in dir(kind) if name.startswith(_RAW))
            names = self._attributes[kind] = tuple((n, n.removeprefix(_RAW)) for n in found_in)
        found: list[tuple[str, Raw | None]] = []
        for name, slot in names:
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

    def _slot(self, vertex: Vertex, fn: Fn, name: str, raw: Raw | None) -> SavedSlot | None:
        """Describe one slot; None where nothing was ever saved in it."""
        if raw is None:
            return SavedSlot(vertex, Saved(node=vertex.id, slot=name, state=SlotState.FREED))
        held = self._readings.slot(raw, fn, name)
        if held.empty and not held.hooked:
            return None
        with saved_data(raw, 0 if held.hooked else held.impl) as data:
            return self._held_slot(vertex, name, held, None if held.hooked else data)

    def _held_slot(
        self, vertex: Vertex, name: str, held: Slot, data: torch.Tensor | None
    ) -> SavedSlot:
        if data is None or is_opaque(data):
            state = SlotState.HOOKED if held.hooked or data is not None else SlotState.FREED
            version = held.version if data is None and not held.hooked else None
            fixed = Saved(
                node=vertex.id, slot=name, version=version, is_output=held.output, state=state
            )
            return SavedSlot(vertex, fixed, hooked=state is SlotState.HOOKED)
        block = self.blocks.of(data)
        unfixed = held.original and not held.leaf and not held.output
        slot = SavedSlot(vertex, UNSENT, block=block, impl=held.impl, unfixed=unfixed)
        slot.counter = self.counters.save(slot, data)
        version = held.version
        if version is None and slot.counter is not None:
            version = self.counters.version_before(slot.counter)
            if version is not None:  # it was used at this version, and so made its `grad_fn`
                self._readings.note_fresh(data)
        slot.sent = Saved(
            node=vertex.id,
            slot=name,
            storage=None if block is None else block.id,
            shape=tuple(data.shape),
            dtype=text_of(data.dtype),
            version=version,
            now=version,
            is_output=held.output,
            origin=_origin(data) if held.original and data._is_view() else None,
        )
        self.blocks.save(block)
        return slot

    def _check_slot(self, slot: SavedSlot, raw: Raw | None) -> None:
        """Look at a slot again: it may have been freed, or its tensor detached."""
        if slot.impl == 0 or slot.hooked:
            return
        impl, hooked = (0, False) if raw is None else self._readings.holder(raw)
        if impl != slot.impl or hooked:
            self._release(slot)
            slot.hooked = hooked
        elif slot.unfixed:
            with saved_data(raw, impl) as data:
                assert data is not None
                slot.detached = not data._is_view() and data.grad_fn is None

    def _release(self, slot: SavedSlot) -> None:
        slot.impl = 0
        self.counters.unsave(slot)
        self.blocks.unsave(slot.block)
        slot.counter = slot.block = None


def _origin(data: torch.Tensor) -> ViewOrigin | None:
    """Return where a saved view comes from, if that may have torch refuse it later."""
    base = data._base
    if base is None:
        return None
    origin = _ORIGINS.get(torch._C._autograd._get_creation_meta(data))
    return ViewOrigin.GRADLESS if origin is not None and not base.requires_grad else origin
