"""What torch says of an in-place form on a leaf, on a view of one, and when it is used twice."""

from __future__ import annotations

from typing import Callable

import torch

from survey.calls import Call
from survey.experiment import VERSION_CHECK, Run, backward, first_line, seed
from survey.trees import fresh, is_differentiable, tensors_in, with_tensors

Prepared = Callable[[torch.Tensor], torch.Tensor]

REFUSALS = (
    "a leaf Variable that requires grad is being used in an in-place operation",
    "a view of a leaf Variable that requires grad is being used in an in-place operation",
)


def look(call: Call) -> dict[str, str]:
    assert call.receiver is not None
    receiver = call.arguments[call.receiver]
    if not isinstance(receiver, torch.Tensor) or not is_differentiable(receiver):
        return {}
    return {
        "leaf": _accepted(call, lambda leaf: leaf),
        "view of a leaf": _accepted(call, lambda leaf: leaf.view_as(leaf)),
        "twice": _twice(call),
    }


def _start(call: Call, prepare: Prepared) -> Run:
    assert call.receiver is not None
    leaves = {name: with_tensors(value, fresh) for name, value in call.arguments.items()}
    leaf = leaves[call.receiver].requires_grad_()
    arguments = {**leaves, call.receiver: prepare(leaf)}
    seed()
    return Run(leaves, arguments, call.run(arguments))


def _accepted(call: Call, prepare: Prepared) -> str:
    try:
        _start(call, prepare)
    except (RuntimeError, NotImplementedError, TypeError, ValueError) as error:
        return "refused" if any(each in str(error) for each in REFUSALS) else first_line(error)
    return "accepted"


def _is_large(tensor: torch.Tensor) -> bool:
    """torch.digamma counts down from such a number, one by one."""
    return bool((tensor.detach().abs() > 1e4).any())


def _twice(call: Call) -> str:
    """The second call may overwrite what the first one kept."""
    try:
        run = _start(call, lambda leaf: leaf.clone())
        if any(map(_is_large, tensors_in(run.arguments.get(call.receiver or "")))):
            return "not tried: the values are too large"
        seed()
        call.run(run.arguments)
    except (RuntimeError, NotImplementedError, TypeError, ValueError) as error:
        return f"can't be: {first_line(error)}"
    try:
        backward(run)
    except (RuntimeError, NotImplementedError, ValueError) as error:
        return "raises" if VERSION_CHECK in str(error) else first_line(error)
    return "ok"
