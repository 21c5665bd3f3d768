"""Finds named tensors that changed, and asks no more of them than the line may have changed."""

from __future__ import annotations

import torch

from inplace_tui.worker.state.counters import Counters
from inplace_tui.worker.state.memory import Block, Blocks
from inplace_tui.worker.state.records import TrackedTensor
from inplace_tui.worker.state.safe_reads import grad_of, is_outdated, state_of


class Watcher:
    """Watches what a name reaches."""

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
        """Find what changed; return whether the tensors are those that they were.

        Args:
            named: all that are watched, by ordinal.
            grads: the addresses of gradients, by the objects of their tensors.
            stored: whether anything ran since that may change a tensor and move no counter.
        """
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
            grads.get(known.at) == _address(grad_of(known.tensor)) for known in changed
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


def _address(tensor: torch.Tensor | None) -> int | None:
    return None if tensor is None else tensor._cdata
