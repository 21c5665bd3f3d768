"""Version counters, polled where torch keeps them.

Tensors that share a counter (views, `detach()`) are one counter here, and what
a node saved has one too, named or not. A poll is a read of plain memory: it
costs 50 ns a counter, and no mode of the program can see it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from ctypes import c_uint32
from operator import attrgetter
from typing import TYPE_CHECKING

import torch

from inplace_tui.worker.gather import Gather
from inplace_tui.worker.layout import measure

if TYPE_CHECKING:
    from inplace_tui.worker.slots import SavedSlot
    from inplace_tui.worker.tensors import Known

HOT = 256
"""Saved counters without a named tensor that are polled at every line; the latest."""

_LIVE: Callable[[Counter], memoryview] = attrgetter("live")
_SEEN: Callable[[Counter], bytes] = attrgetter("seen")


class Counter:
    """One version counter, kept from being freed by a weak hold on a tensor."""

    __slots__ = (
        "address",
        "cell",
        "hold",
        "live",
        "seen",
        "slots",
        "tensors",
        "told",
        "version",
    )

    def __init__(self, address: int, cell: c_uint32, hold: torch._C._WeakTensorRef | None) -> None:
        self.address = address
        self.cell = cell
        self.live = memoryview(cell).cast("B")
        self.version = cell.value
        self.seen = bytes(self.live)
        """The bytes that say `version`."""

        self.told: int | None = None
        """The version up to which its writes were told of; None if none was."""

        self.tensors: dict[Known, None] = {}
        """Named tensors that have it."""

        self.slots: dict[SavedSlot, None] = {}
        """Saved slots that have it."""

        self.hold: torch._C._WeakTensorRef | None = hold

    @property
    def is_told(self) -> bool:
        """Whether all its writes were told of."""
        return self.told is not None and self.told >= self.version


class Counters:
    """Every counter that a named tensor or a saved slot has."""

    def __init__(self) -> None:
        self._by_address: dict[int, Counter] = {}
        self._named: Gather[Counter] = Gather(_LIVE, _SEEN)
        self._saved: Gather[Counter] = Gather(_LIVE, _SEEN)
        self._changed: dict[Counter, None] = {}
        self._layout = measure()
        self.restless: set[Known] = set()
        """Named tensors whose counter moved; who looks at them takes them out."""

    def name(self, known: Known, tensor: torch.Tensor) -> Counter | None:
        """Return the counter of a tensor that now has a name; None for an inference tensor."""
        counter = self._of(tensor, known.hold)
        if counter is not None:
            if not counter.tensors:
                self._named.add(counter)
            counter.tensors[known] = None
            self._changed[counter] = None
        return counter

    def unname(self, known: Known) -> None:
        """Take down that no name reaches a tensor any more."""
        counter = known.counter
        if counter is not None:
            del counter.tensors[known]
            self._changed[counter] = None
            if not counter.tensors:
                self._named.drop(counter)
                self._release(counter)

    def save(self, slot: SavedSlot, tensor: torch.Tensor) -> Counter | None:
        """Return the counter of a tensor that a node saved."""
        counter = self._of(tensor, torch._C._WeakTensorRef(tensor))
        if counter is not None:
            if not counter.slots:
                self._saved.add(counter)
            counter.slots[slot] = None
        return counter

    def unsave(self, slot: SavedSlot) -> None:
        """Take down that a slot was freed, or its node was."""
        counter = slot.counter
        if counter is not None:
            del counter.slots[slot]
            if not counter.slots:
                self._saved.drop(counter)
                self._release(counter)

    def hold(self, tensor: torch.Tensor, hold: torch._C._WeakTensorRef | None) -> None:
        """Keep the counter of a tensor by another hold, or for a moment by none."""
        counter = self._by_address.get(self._layout.counter_of(tensor))
        if counter is not None:
            counter.hold = hold

    def read(self, tensor: torch.Tensor) -> tuple[int, int] | None:
        """Return where the counter of any tensor is, and what it says; None if it has none."""
        address = self._layout.counter_of(tensor)
        return None if address == 0 else (address, self._layout.cell(address).value)

    def moved(self, *, everywhere: bool) -> list[tuple[Counter, int, int]]:
        """Return the counters that moved since they were last asked: (which, before, after).

        Args:
            everywhere: not only those of named tensors and the latest saved ones.
        """
        found = [c for c in self._named.moved() if c.cell.value != c.version]
        saved = self._saved.moved(None if everywhere else HOT)
        if saved:
            found += [c for c in saved[::-1] if not c.tensors and c.cell.value != c.version]
        return [self._moved(counter) for counter in found]

    def _moved(self, counter: Counter) -> tuple[Counter, int, int]:
        before, now = counter.version, counter.cell.value
        counter.version, counter.seen = now, now.to_bytes(4, sys.byteorder)
        self._changed[counter] = None
        self.restless.update(counter.tensors)
        return counter, before, now

    def changed(self) -> list[Counter]:
        """Return those whose slots may read differently, and forget that they changed."""
        found = list(self._changed)
        self._changed.clear()
        return found

    def _of(self, tensor: torch.Tensor, hold: torch._C._WeakTensorRef | None) -> Counter | None:
        address = self._layout.counter_of(tensor)
        if address == 0:
            return None
        counter = self._by_address.get(address)
        if counter is None:
            counter = Counter(address, self._layout.cell(address), hold)
            self._by_address[address] = counter
        return counter

    def _release(self, counter: Counter) -> None:
        if not counter.tensors and not counter.slots:
            del self._by_address[counter.address]
