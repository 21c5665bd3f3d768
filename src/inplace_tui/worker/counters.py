"""Version counters, polled where torch keeps them.

Tensors that share a counter (views, `detach()`) are one counter here, and what
a node saved has one too, named or not. A poll is a read of plain memory: it
costs 50 ns a counter, and no mode of the program can see it.
"""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import c_uint32
from itertools import islice
from typing import TYPE_CHECKING

import torch

from inplace_tui.worker.layout import measure

if TYPE_CHECKING:
    from inplace_tui.worker.slots import SavedSlot
    from inplace_tui.worker.tensors import Known

HOT = 256
"""Saved counters without a named tensor that are polled at every line; the latest."""


class Counter:
    """One version counter, kept from being freed by a weak hold on a tensor."""

    __slots__ = ("address", "cell", "hold", "slots", "tensors", "told", "version")

    def __init__(self, address: int, cell: c_uint32, hold: torch._C._WeakTensorRef | None) -> None:
        self.address = address
        self.cell = cell
        self.version = cell.value
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
        self._named: dict[Counter, None] = {}
        self._saved: dict[Counter, None] = {}
        self._changed: dict[Counter, None] = {}
        self._layout = measure()

    def name(self, known: Known, tensor: torch.Tensor) -> Counter | None:
        """Return the counter of a tensor that now has a name; None for an inference tensor."""
        counter = self._of(tensor, known.hold)
        if counter is not None:
            counter.tensors[known] = None
            self._named[counter] = None
            self._changed[counter] = None
        return counter

    def unname(self, known: Known) -> None:
        """Take down that no name reaches a tensor any more."""
        counter = known.counter
        if counter is not None:
            del counter.tensors[known]
            self._changed[counter] = None
            if not counter.tensors:
                del self._named[counter]
                self._release(counter)

    def save(self, slot: SavedSlot, tensor: torch.Tensor) -> Counter | None:
        """Return the counter of a tensor that a node saved."""
        counter = self._of(tensor, torch._C._WeakTensorRef(tensor))
        if counter is not None:
            counter.slots[slot] = None
            self._saved[counter] = None
        return counter

    def unsave(self, slot: SavedSlot) -> None:
        """Take down that a slot was freed, or its node was."""
        counter = slot.counter
        if counter is not None:
            del counter.slots[slot]
            if not counter.slots:
                del self._saved[counter]
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
        found = [(c, c.version, now) for c in self._named if (now := c.cell.value) != c.version]
        saved: Iterable[Counter] = reversed(self._saved)
        if not everywhere:
            saved = islice(saved, HOT)
        found += [
            (c, c.version, now)
            for c in saved
            if not c.tensors and (now := c.cell.value) != c.version
        ]
        for counter, _, now in found:
            counter.version = now
            self._changed[counter] = None
        return found

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
