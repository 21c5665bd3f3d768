"""Moves of tensors along a gradient whose own graph was asked for, and which no backward used.

So does a meta-learner that cuts its inner update: the gradient was taken with
`create_graph=True`, and what it is subtracted by is not recorded.
"""

from __future__ import annotations

from contextlib import suppress
from weakref import ref

import torch

ROUNDED = 4
"""Times the precision of the tensor that a move may be off."""

ROUGH = 1e-3
"""Of a move, what may be off where its size alone tells."""


class GradientMove:
    """A tensor, and its gradient when that was taken. Asked with the program's modes shut out."""

    def __init__(self, tensor: torch.Tensor, gradient: torch.Tensor, line: int) -> None:
        self.tensor = ref(tensor)
        self.line = line
        self.is_used = False
        """A backward went through the graph of the gradient."""

        self.name: str | None = None
        """Of the tensor, once a loss of another line depends on where it was moved."""

        self.backward: int | None = None
        """The number of that loss's."""

        self._is_along: bool | None = None
        self._held = tensor.detach().clone(), gradient.detach().clone()
        assert gradient.grad_fn is not None
        gradient.grad_fn.register_prehook(self._use)

    def is_made(self) -> bool:
        """Whether it was moved along the gradient before this was asked for the first time."""
        if self._is_along is None:
            tensor, self._is_along = self.tensor(), False
            with suppress(Exception):
                self._is_along = tensor is not None and _is_along(*self._held, tensor)
            del self._held
        return self._is_along

    def _use(self, _gradients: object) -> None:
        self.is_used = True


def _is_along(before: torch.Tensor, gradient: torch.Tensor, now: torch.Tensor) -> bool:
    """Whether the difference is a multiple of the gradient, or a first step of Adam's by it."""
    if not now.is_floating_point():
        return False
    step, along = (now.detach().double() - before.double()), gradient.double()
    largest = float(torch.stack([before, now]).abs().max())
    near, sizes = ROUNDED * torch.finfo(now.dtype).eps * largest, step.abs()[along != 0]
    if not bool(step.abs().max() > ROUNDED * near):
        return False
    rate = float((step * along).sum() / (along * along).sum())
    if now.numel() == 1:  # always a multiple: a rate that somebody wrote has few digits
        error = near / float(sizes.max()) * abs(rate)
        return rate < 0 and abs(rate - float(f"{rate:.3g}")) <= error < ROUGH * abs(rate)
    if bool((step - rate * along).abs().max() <= near):
        return True
    descends = bool((step * along <= 0).all())
    return descends and bool(sizes.max() - sizes.min() <= ROUGH * sizes.max() + near)
