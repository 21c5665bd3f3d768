"""Version counters, polled where torch keeps them, and the named tensors that changed.

Tensors that share a counter (views, `detach()`) are one counter here, and what
a node saved has one too, named or not. A poll is a read of plain memory: it
costs 50 ns a counter, and no mode of the program can see it.
"""

from __future__ import annotations

import sys

import torch

from inplace_tui.diagnosis.record.state.memory import Block, Blocks
from inplace_tui.diagnosis.record.state.records import SavedSlot, TrackedTensor, VersionCounter
from inplace_tui.diagnosis.record.state.safe_reads import grad_of, is_outdated, state_of
from inplace_tui.diagnosis.record.torch_memory import Column, LiveTable, measure

MAX_RECENT = 256
"""Saved counters without a named tensor that are polled at every line; the latest."""

_BYTES_OF: Column = ("live", "seen")


class Counters:
    """Every counter that a named tensor or a saved slot has."""

    def __init__(self) -> None:
        self._by_address: dict[int, VersionCounter] = {}
        self._named: LiveTable[VersionCounter] = LiveTable(_BYTES_OF)
        self._saved: LiveTable[VersionCounter] = LiveTable(_BYTES_OF)
        """Those of saved slots that no named tensor has."""

        self._changed: dict[VersionCounter, None] = {}
        self._layout = measure()
        self.dirty: set[TrackedTensor] = set()
        """Named tensors whose counter moved; the watcher removes them."""

    def name(self, known: TrackedTensor) -> VersionCounter | None:
        """Return the counter of a tensor that now has a name; None for an inference tensor."""
        counter = self._of(known.address, known.hold)
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
                    del self._by_address[counter.address]

    def save(self, slot: SavedSlot, tensor: torch.Tensor) -> VersionCounter | None:
        counter = self._of(tensor._cdata, None)
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
                del self._by_address[counter.address]

    def hold(self, tensor: torch.Tensor, hold: torch._C._WeakTensorRef | None) -> None:
        counter = self._by_address.get(self._layout.counter_of(tensor._cdata))
        if counter is not None:
            counter.hold = hold

    def read(self, tensor: torch.Tensor) -> tuple[int, int] | None:
        """Return where the counter of any tensor is, and what it says; None if it has none."""
        address = self._layout.counter_of(tensor._cdata)
        if address == 0:
            return None
        return address, int.from_bytes(bytes(self._layout.cell(address)), sys.byteorder)

    def moved(self, *, everywhere: bool) -> list[tuple[VersionCounter, int, int]]:
        """Return the counters that moved since they were last asked: (which, before, after).

        Unless `everywhere`, only those of named tensors and the latest saved ones are asked.
        """
        found = self._named.changed()
        found += self._saved.changed(latest=None if everywhere else MAX_RECENT)[::-1]
        return [self._moved(c) for c in found if bytes(c.live) != c.seen] if found else []

    def _moved(self, counter: VersionCounter) -> tuple[VersionCounter, int, int]:
        before, counter.seen = counter.version, bytes(counter.live)
        counter.version = now = int.from_bytes(counter.seen, sys.byteorder)
        self._changed[counter] = None
        self.dirty.update(counter.tensors)
        return counter, before, now

    def changed(self) -> list[VersionCounter]:
        """Return those whose slots may read differently since the last call."""
        found = list(self._changed)
        self._changed.clear()
        return found

    def _of(self, impl: int, hold: torch._C._WeakTensorRef | None) -> VersionCounter | None:
        address = self._layout.counter_of(impl)
        if address == 0:
            return None
        counter = self._by_address.get(address)
        if counter is None:
            live = self._layout.cell(address)
            seen = bytes(live)
            version = int.from_bytes(seen, sys.byteorder)
            counter = VersionCounter(address, live, seen, version, hold)
            self._by_address[address] = counter
        return counter


class Watcher:
    """Finds named tensors that changed.

    It asks no more of them than the line may have changed.
    """

    def __init__(self, blocks: Blocks, counters: Counters) -> None:
        self.moved: list[tuple[TrackedTensor, Block, Block]] = []
        """Tensors that were found on another storage: (which, before, after)."""

        self._blocks = blocks
        self._counters = counters
        self._suspected: dict[TrackedTensor, None] = {}
        self._outdated: dict[TrackedTensor, None] = {}
        """Views whose `grad_fn` any use may make anew."""

    def add(self, known: TrackedTensor, tensor: torch.Tensor) -> None:
        is_new, known.at = known.at == 0, id(tensor)
        if is_new:
            self._look(known, tensor)

    def drop(self, known: TrackedTensor) -> None:
        self._outdated.pop(known, None)
        self._suspected.pop(known, None)
        known.at = 0
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
        if known.is_view and is_outdated(tensor):
            self._outdated[known] = None
        else:
            self._outdated.pop(known, None)
        return True
