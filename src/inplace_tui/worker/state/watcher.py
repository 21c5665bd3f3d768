"""Finds named tensors that changed, in memory, without asking each of them."""

from __future__ import annotations

import torch

from inplace_tui.worker.state.counters import Counters
from inplace_tui.worker.state.memory import Block, Blocks
from inplace_tui.worker.state.records import TrackedTensor
from inplace_tui.worker.state.safe_reads import grad_of
from inplace_tui.worker.torch_memory.layout import measure
from inplace_tui.worker.torch_memory.live import LiveTable
from inplace_tui.worker.torch_memory.offsets import INLINE

_PLACES, _AUTOGRADS, _FLAGS = range(3)


class Watcher:
    """Watches what a name reaches."""

    def __init__(self, blocks: Blocks, counters: Counters) -> None:
        self.moved: list[tuple[TrackedTensor, Block, Block]] = []
        """Tensors that were found on another storage: (which, before, after)."""

        self._blocks = blocks
        self._counters = counters
        self._layout = measure()
        self._table: LiveTable[TrackedTensor] = LiveTable(
            ("place", "placed"),
            ("autograd", "autograd_was"),
            ("flags", "flags_was"),
        )
        self._suspected: dict[TrackedTensor, None] = {}
        self._unclear: dict[TrackedTensor, None] = {}
        """Of which not all that may change is seen."""

    def add(self, known: TrackedTensor, tensor: torch.Tensor) -> None:
        is_new = known.at == 0
        known.at = id(tensor)
        if is_new:
            self._look(known, tensor)
            self._table.add(known)
        else:
            self._table.refresh(known)

    def drop(self, known: TrackedTensor) -> None:
        self._table.drop(known)
        self._unclear.pop(known, None)
        self._suspected.pop(known, None)
        known.at = 0
        self._blocks.unname(known.block)
        known.block = None

    def suspect(self, known: TrackedTensor) -> None:
        self._suspected[known] = None

    def suspects(self, *, hidden: bool) -> list[TrackedTensor]:
        """Return the tensors that may have to be reported, and forget them.

        Args:
            hidden: whether something may have been written that no counter saw.
        """
        if hidden and self._unclear:
            self._suspected |= self._unclear
        if not self._suspected:
            return []
        found = list(self._suspected)
        self._suspected.clear()
        return found

    def update(
        self, named: dict[int, TrackedTensor], grads: dict[int, int], *, acted: bool
    ) -> bool:
        """Find what changed; return whether the tensors are those that they were.

        What holds a tensor is read before the tensor is: of a dead one only the memory that its
        weak reference keeps is read.

        Args:
            named: all that are watched, by ordinal.
            grads: the addresses of gradients, by the objects of their tensors.
            acted: whether anything ran that may do more than compute.
        """
        is_unchanged = self._table.is_unchanged(None if acted else _FLAGS)
        moved: list[TrackedTensor] = []
        if not is_unchanged and not self._moved(moved, acted=acted):
            self._suspected.update(dict.fromkeys(moved))
            return False
        if self._counters.dirty:
            moved += [known for known in self._counters.dirty if known.at]
            self._counters.dirty.clear()
        dirty = self._blocks.dirty
        if dirty:
            moved += [known for known in named.values() if known.block in dirty]
            dirty.clear()
        self._suspected.update(dict.fromkeys(moved))
        for known in moved:
            if known.hold is None or known.hold.expired():
                return False
            grad = grad_of(known.tensor)
            if grads.get(known.at) != (None if grad is None else grad._cdata):
                return False
        return True

    def _moved(self, found: list[TrackedTensor], *, acted: bool) -> bool:
        """Add the tensors that changed to `found`; return whether all are alive."""
        for known in self._table.changed(_PLACES):
            if known.hold is None or known.hold.expired():
                return False
            self._look(known, known.tensor)
            self._table.refresh(known)
            found.append(known)
        for known in self._table.changed(_AUTOGRADS):
            known.autograd_was = bytes(known.autograd)
            found.append(known)
        if acted:
            for known in self._table.changed(_FLAGS):
                known.flags_was = bytes(known.flags)
                found.append(known)
        return True

    def _look(self, known: TrackedTensor, tensor: torch.Tensor) -> None:
        """Read where a tensor is now, and whether all that may change of it is seen from there."""
        placed = known.placed = bytes(known.place)
        old, block = known.block, self._blocks.of(tensor)
        if block is not old:
            self._blocks.unname(old)
            self._blocks.name(block)
            known.block = block
            if old is not None and block is not None:
                self.moved.append((known, old, block))
        known.autograd, known.flags = self._layout.autograd_in(placed)
        known.autograd_was, known.flags_was = bytes(known.autograd), bytes(known.flags)
        if block is None or not block.readable or tensor.dim() > INLINE:
            self._unclear[known] = None
        else:
            self._unclear.pop(known, None)
