"""torch._foreach_* and torch._fused_*: many tensors in one call."""

from __future__ import annotations

from functools import partial
from typing import Callable

import torch

from survey.by_text import call
from survey.calls import Call
from survey.cases import Row, row
from survey.experiment import forward

LISTS = {
    "tensors": "[torch.tensor([0.5, 0.25]), torch.tensor([[0.75]])]",
    "others": "[torch.tensor([1.5, 2.5]), torch.tensor([[3.5]])]",
    "thirds": "[torch.tensor([0.125, 0.5]), torch.tensor([[0.25]])]",
    "tensor": "torch.tensor(0.5)",
}
ARGUMENTS = (
    "tensors",
    "tensors, others",
    "tensors, 2.0",
    "tensors, [2.0, 3.0]",
    "tensors, tensor",
    "tensors, others, thirds",
    "tensors, others, 0.5",
    "tensors, others, thirds, 0.5",
)


def tasks() -> dict[str, Callable[[], list[Row]]]:
    names = [name for name in dir(torch) if name.startswith("_foreach_")]
    return {f"torch.{name}": partial(_rows, name) for name in names}


def _rows(name: str) -> list[Row]:
    in_place = name.endswith("_")
    found = []
    for arguments in ARGUMENTS:
        inputs = {key: LISTS[key] for key in LISTS if key in arguments.split(", ")}
        made = call(f"torch.{name}({arguments})", inputs, receiver="tensors" if in_place else None)
        if _accepts(made):
            found.append(made)
    of = name.replace("_foreach_", "").rstrip("_")
    return [row(f"torch.{name}", "foreach", of, [], found)]


def _accepts(made: Call) -> bool:
    try:
        forward(made, [])
    except Exception:
        return False
    return True
