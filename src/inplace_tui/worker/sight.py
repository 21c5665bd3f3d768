"""What moved of the named tensors, seen in memory without asking one of them."""

from __future__ import annotations

import sys
from ctypes import py_object
from operator import attrgetter

import torch

from inplace_tui.worker.counters import Counters
from inplace_tui.worker.gather import NOTHING, Gather
from inplace_tui.worker.layout import INLINE, measure
from inplace_tui.worker.memory import Block, Blocks
from inplace_tui.worker.passive import grad_of
from inplace_tui.worker.tensors import Known


class Sight:
    """Watches what a name reaches."""

    def __init__(self, blocks: Blocks, counters: Counters) -> None:
        self.moved: list[tuple[Known, Block, Block]] = []
        """Tensors that were found on another storage: (which, before, after)."""

        self._blocks = blocks
        self._counters = counters
        self._layout = measure()
        self._wrappers: Gather[Known] = Gather(attrgetter("wrapper"), attrgetter("wrapper_was"))
        self._places: Gather[Known] = Gather(attrgetter("place"), attrgetter("placed"))
        self._autograds: Gather[Known] = Gather(attrgetter("autograd"), attrgetter("autograd_was"))
        self._flags: Gather[Known] = Gather(attrgetter("flags"), attrgetter("flags_was"))
        self._all = (self._wrappers, self._places, self._autograds, self._flags)
        self._suspected: dict[Known, None] = {}
        self._unclear: dict[Known, None] = {}
        """Of which not all that may change is seen."""

    def add(self, known: Known, tensor: torch.Tensor) -> None:
        """Watch a tensor, or do it by another Python object."""
        is_new = known.at == 0
        known.at, known.wrapper = id(tensor), self._layout.wrapper_of(tensor)
        known.wrapper_was = bytes(known.wrapper)
        known.handle = py_object.from_buffer(bytearray(known.at.to_bytes(8, sys.byteorder)))
        if is_new:
            self._look(known, tensor)
            for gather in self._all:
                gather.add(known)
        else:
            self._wrappers.again(known)

    def drop(self, known: Known) -> None:
        """Watch a tensor no longer."""
        for gather in self._all:
            gather.drop(known)
        self._unclear.pop(known, None)
        self._suspected.pop(known, None)
        known.at, known.wrapper, known.autograd, known.flags = 0, NOTHING, NOTHING, NOTHING
        known.placed = known.wrapper_was = known.autograd_was = known.flags_was = b""
        self._blocks.name(known.block, -1)
        known.block = None

    def suspect(self, known: Known) -> None:
        """Take down that something may have to be told of a tensor."""
        self._suspected[known] = None

    def suspects(self, *, anew: bool) -> list[Known]:
        """Return of which tensors something may have to be told, and forget them.

        Args:
            anew: whether something may have been written that no counter saw.
        """
        if anew:
            self._suspected |= self._unclear
        found = list(self._suspected)
        self._suspected.clear()
        return found

    def look(self, named: dict[int, Known], grads: dict[int, int]) -> bool:
        """Take down what moved; return whether the tensors are those that they were.

        What a tensor is held by is looked at before the tensor is: memory of a
        dead one is not read, but what its weak reference keeps.

        Args:
            named: all that are watched, by ordinal.
            grads: the Python objects of gradients, by those of their tensors.
        """
        for known in self._places.moved():
            if known.hold is None or known.hold.expired():
                return False
            self._look(known, known.handle.value)
            self._autograds.again(known)
            self._flags.again(known)
            self._suspected[known] = None
        for known in self._autograds.moved():
            known.autograd_was = bytes(known.autograd)
            self._suspected[known] = None
        for known in self._flags.moved():
            known.flags_was = bytes(known.flags)
            self._suspected[known] = None
        for known in self._counters.restless:
            if known.at:
                self._suspected[known] = None
        self._counters.restless.clear()
        if self._blocks.restless:
            for known in named.values():
                if known.block in self._blocks.restless:
                    self._suspected[known] = None
            self._blocks.restless.clear()
        for known in self._suspected:
            if known.hold is None or known.hold.expired():
                return False
            grad = grad_of(known.handle.value)
            if grads.get(known.at) != (None if grad is None else id(grad)):
                return False
        return not self._wrappers.moved()

    def _look(self, known: Known, tensor: torch.Tensor) -> None:
        """Take down where a tensor is now, and whether all of it is seen from there."""
        known.placed = bytes(known.place)
        old, block = known.block, self._blocks.of(tensor)
        if block is not old:
            self._blocks.name(old, -1)
            self._blocks.name(block, 1)
            known.block = block
            if old is not None and block is not None:
                self.moved.append((known, old, block))
        known.autograd, known.flags = self._layout.autograd_of(tensor)
        known.autograd_was, known.flags_was = bytes(known.autograd), bytes(known.flags)
        if block is None or not block.readable or tensor.dim() > INLINE:
            self._unclear[known] = None
        else:
            self._unclear.pop(known, None)
