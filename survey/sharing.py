"""Whether a result is an argument, a view of one, or memory of its own."""

from __future__ import annotations

import torch

from survey.trees import Arguments, tensors_in


def shared_with(result: torch.Tensor, arguments: Arguments) -> str | None:
    """`same:input`, `view:input`, `alias:input`, `uncounted alias:input`; None for new memory."""
    for name, value in arguments.items():
        for each in tensors_in(value):
            kind = _kind(result, each)
            if kind is not None:
                return f"{kind}:{name}"
    return None


def _kind(result: torch.Tensor, argument: torch.Tensor) -> str | None:
    if result is argument:
        return "same"
    if not _shares_memory(result, argument):
        return None
    if result.is_inference():  # it has neither a base nor a version
        return "view"
    if result._is_view() and _base(result) is _base(argument):
        return "view"
    return "alias" if _shares_counter(result, argument) else "uncounted alias"


def _base(tensor: torch.Tensor) -> torch.Tensor:
    base = tensor._base
    return tensor if base is None else base


def _shares_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    try:
        here, there = one.untyped_storage(), other.untyped_storage()
    except (RuntimeError, NotImplementedError):  # sparse: no storage to compare
        return False
    return bool(here.nbytes() > 0 and here.data_ptr() == there.data_ptr())


def _shares_counter(result: torch.Tensor, argument: torch.Tensor) -> bool:
    before = result._version
    try:
        with torch.no_grad():
            argument.copy_(argument.clone())
    except RuntimeError:  # its elements share memory
        return False
    return bool(result._version != before)
