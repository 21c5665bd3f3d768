"""What moved of the named tensors, seen in memory without asking one of them."""

from __future__ import annotations

import torch

from inplace_tui.worker.state.counters import Counters
from inplace_tui.worker.state.memory import Block, Blocks
from inplace_tui.worker.state.records import TrackedTensor
from inplace_tui.worker.state.safe_reads import grad_of
from inplace_tui.worker.torch_memory.layout import measure
from inplace_tui.worker.torch_memory.live import LiveTable
from inplace_tui.worker.torch_memory.offsets import INLINE

_PLACES, _AUTOGRADS, _FLAGS, _WRAPPERS = range(4)


class Watcher:
    """Watches what a name reaches."""

    def __init__(self, blocks: Blocks, counters: Counters) -> None:
        self.moved: list[tuple[TrackedTensor, Block, Block]] = []
        """Tensors that were found on another storage: (which, before, after)."""

        self._blocks = blocks
        self._counters = counters
        self._layout = measure()
        self._gather: LiveTable[TrackedTensor] = LiveTable(
            ("place", "placed"),
            ("autograd", "autograd_was"),
            ("flags", "flags_was"),
            ("wrapper", "wrapper_was"),
        )
        self._suspected: dict[TrackedTensor, None] = {}
        self._unclear: dict[TrackedTensor, None] = {}
        """Of which not all that may change is seen."""

    def add(self, known: TrackedTensor, tensor: torch.Tensor) -> None:
        """Watch a tensor, or do it by another Python object."""
        is_new = known.at == 0
        known.at, known.wrapper = id(tensor), self._layout.wrapper_of(tensor)
        known.wrapper_was = bytes(known.wrapper)
        if is_new:
            self._look(known, tensor)
            self._gather.add(known)
        else:
            self._gather.again(known)

    def drop(self, known: TrackedTensor) -> None:
        """Watch a tensor no longer."""
        self._gather.drop(known)
        self._unclear.pop(known, None)
        self._suspected.pop(known, None)
        known.at = 0
        self._blocks.unname(known.block)
        known.block = None

    def suspect(self, known: TrackedTensor) -> None:
        """Take down that something may have to be told of a tensor."""
        self._suspected[known] = None

    def suspects(self, *, anew: bool) -> list[TrackedTensor]:
        """Return of which tensors something may have to be told, and forget them.

        Args:
            anew: whether something may have been written that no counter saw.
        """
        if anew and self._unclear:
            self._suspected |= self._unclear
        if not self._suspected:
            return []
        found = list(self._suspected)
        self._suspected.clear()
        return found

    def look(self, named: dict[int, TrackedTensor], grads: dict[int, int], *, acted: bool) -> bool:
        """Take down what moved; return whether the tensors are those that they were.

        What a tensor is held by is looked at before the tensor is: memory of a
        dead one is not read, but what its weak reference keeps.

        Args:
            named: all that are watched, by ordinal.
            grads: the Python objects of gradients, by those of their tensors.
            acted: whether anything ran that may do more than compute.
        """
        is_still = self._gather.is_still(None if acted else _FLAGS)
        moved: list[TrackedTensor] = []
        if not is_still and not self._moved(moved, acted=acted):
            self._suspected.update(dict.fromkeys(moved))
            return False
        if self._counters.restless:
            moved += [known for known in self._counters.restless if known.at]
            self._counters.restless.clear()
        restless = self._blocks.restless
        if restless:
            moved += [known for known in named.values() if known.block in restless]
            restless.clear()
        self._suspected.update(dict.fromkeys(moved))
        for known in moved:
            if known.hold is None or known.hold.expired():
                return False
            grad = grad_of(known.tensor)
            if grads.get(known.at) != (None if grad is None else id(grad)):
                return False
        return is_still or not (acted and self._gather.moved(_WRAPPERS))

    def _moved(self, found: list[TrackedTensor], *, acted: bool) -> bool:
        """Add to `found` what moved but the objects, taken down; return whether all is alive."""
        for known in self._gather.moved(_PLACES):
            if known.hold is None or known.hold.expired():
                return False
            self._look(known, known.tensor)
            self._gather.again(known)
            found.append(known)
        for known in self._gather.moved(_AUTOGRADS):
            known.autograd_was = bytes(known.autograd)
            found.append(known)
        if acted:
            for known in self._gather.moved(_FLAGS):
                known.flags_was = bytes(known.flags)
                found.append(known)
        return True

    def _look(self, known: TrackedTensor, tensor: torch.Tensor) -> None:
        """Take down where a tensor is now, and whether all of it is seen from there."""
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
