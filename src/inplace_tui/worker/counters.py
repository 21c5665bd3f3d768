"""Version counters, polled where torch keeps them.

Tensors that share a counter (views, `detach()`) are one counter here, and what
a node saved has one too, named or not. A poll is a read of plain memory: it
costs 50 ns a counter, and no mode of the program can see it.
"""

from __future__ import annotations

from ctypes import c_uint32
from typing import TYPE_CHECKING

import torch

from inplace_tui.worker.layout import measure

if TYPE_CHECKING:
    from inplace_tui.worker.graph import SavedSlot
    from inplace_tui.worker.tensors import Known

HOT = 256
"""Counters that are polled after every call; the others when a line ends."""


class Counter:
    """One version counter, kept from being freed by a weak hold on a tensor."""

    __slots__ = ("_holds", "address", "cell", "changed", "slots", "tensors", "told", "version")

    def __init__(self, address: int, cell: c_uint32, hold: torch._C._WeakTensorRef) -> None:
        self.address = address
        self.cell = cell
        self.version = cell.value
        self.told: int | None = None
        """The version up to which its writes were told of; None if none was."""

        self.tensors: list[Known] = []
        """Named tensors that have it."""

        self.slots: list[SavedSlot] = []
        self.changed = True
        """Since the last look: it moved, or its tensors did."""

        self._holds = hold


class Counters:
    """Every counter that a named tensor or a saved slot has."""

    def __init__(self) -> None:
        self._by_address: dict[int, Counter] = {}
        self._all: list[Counter] | None = None
        self._layout = measure()

    def of(self, tensor: torch.Tensor, hold: torch._C._WeakTensorRef) -> Counter | None:
        """Return the counter of a tensor; None for an inference tensor.

        Args:
            tensor: whose counter.
            hold: a weak reference to it, which is kept as long as the counter is.
        """
        address = self._layout.counter_of(tensor)
        if address == 0:
            return None
        counter = self._by_address.get(address)
        if counter is None:
            counter = Counter(address, self._layout.cell(address), hold)
            self._by_address[address] = counter
            self._all = None
        return counter

    def moved(self, *, everywhere: bool) -> list[tuple[Counter, int, int]]:
        """Return the counters that moved since they were last asked: (which, before, after).

        Args:
            everywhere: not only the hot ones.
        """
        if self._all is None:
            self._all = list(reversed(self._by_address.values()))
        asked = self._all if everywhere or len(self._all) <= HOT else self._all[:HOT]
        moved = []
        for counter in asked:
            now = counter.cell.value
            if now != counter.version:
                moved.append((counter, counter.version, now))
                counter.version = now
                counter.changed = True
        return moved

    def changed(self) -> list[Counter]:
        """Return those whose slots may read differently, and forget that they changed."""
        found = [counter for counter in self._by_address.values() if counter.changed]
        for counter in found:
            counter.changed = False
        return found

    def release(self, counter: Counter) -> None:
        """Forget a counter if nobody is known to have it any more."""
        if not counter.tensors and not counter.slots:
            self._by_address.pop(counter.address, None)
            self._all = None
