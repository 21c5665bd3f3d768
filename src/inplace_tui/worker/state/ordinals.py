"""T1, T2, …: which tensor is which, though memory is reused at once.

The identity is the address of the `TensorImpl`, kept from being reused by a
weak reference. Python's own weak references are not used: `swap_tensors`
refuses a tensor that has one.
"""

from __future__ import annotations

import torch

from inplace_tui.worker.state.records import TrackedTensor

_PRUNE_EVERY = 256


class Ordinals:
    """Numbers tensors in the order in which they are first asked for."""

    def __init__(self) -> None:
        self._known: dict[int, TrackedTensor] = {}
        self._next = 1
        self._asked = 0

    def of(self, tensor: torch.Tensor) -> TrackedTensor:
        known = self._known.get(tensor._cdata)
        if known is None:
            known = self._known[tensor._cdata] = TrackedTensor(self._next, tensor)
            self._next += 1
        return known

    def get(self, tensor: torch.Tensor) -> TrackedTensor | None:
        return self._known.get(tensor._cdata)

    def forget(self, known: TrackedTensor) -> None:
        """Forget one at once, if it has been freed."""
        if known.hold is not None and known.hold.expired():
            self._known.pop(known.address, None)

    def prune(self) -> None:
        """Forget what has been freed, now and then: each costs a question."""
        self._asked += 1
        if self._asked % _PRUNE_EVERY == 0:
            known = list(self._known.items())
            for address, numbered in known:
                if numbered.hold is not None and numbered.hold.expired():
                    del self._known[address]
