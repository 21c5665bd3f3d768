"""Writes to a tensor between a forward pass and backward: counted ones, and ones through .data."""

from __future__ import annotations

from typing import Callable

import torch

from survey.trees import is_differentiable, same_snapshot, snapshot

Write = Callable[[torch.Tensor], None]


class RefusedError(Exception):
    """Torch does not let this tensor be written."""


def add_one(tensor: torch.Tensor) -> None:
    tensor.add_(1)


def _fill(tensor: torch.Tensor) -> None:
    tensor.fill_(0.375)


def _negate(tensor: torch.Tensor) -> None:
    tensor.neg_()


def _reverse(tensor: torch.Tensor) -> None:
    tensor.copy_(tensor.reshape(-1).flip(0).reshape(tensor.shape).clone())


def _first_everywhere(tensor: torch.Tensor) -> None:
    tensor.fill_(tensor.reshape(-1)[0].item())


def _zero(tensor: torch.Tensor) -> None:
    tensor.zero_()


def _negate_truth(tensor: torch.Tensor) -> None:
    tensor.logical_not_()


def writes_for(tensor: torch.Tensor) -> list[Write]:
    """Integers keep to values that were there: one that is used as an index must stay in range."""
    if tensor.dtype == torch.bool:
        return [_negate_truth]
    if is_differentiable(tensor):
        return [add_one, _negate, _fill]
    if tensor.numel() == 1:
        return [add_one]
    return [_reverse, _first_everywhere, _zero]


def counted(tensor: torch.Tensor, write: Write) -> bool:
    """Whether it changed a value; the version moves in either case."""
    with torch.no_grad():
        return _changes(tensor, write)


def uncounted(tensor: torch.Tensor, write: Write) -> bool:
    with torch.no_grad():
        return _changes(_all_its_memory(tensor.data), write)


def _all_its_memory(tensor: torch.Tensor) -> torch.Tensor:
    """An expanded tensor can't be written; the memory that its elements share can."""
    if tensor.layout == torch.strided and 0 in tensor.stride() and tensor.numel():
        sizes = [1 if step == 0 else n for n, step in zip(tensor.shape, tensor.stride())]
        return tensor.as_strided(sizes, tensor.stride())
    return tensor


def _changes(tensor: torch.Tensor, write: Write) -> bool:
    before = snapshot(tensor)
    try:
        write(tensor)
    except (RuntimeError, NotImplementedError, TypeError, IndexError) as error:
        raise RefusedError(str(error)) from error
    return not same_snapshot(before, snapshot(tensor))
