"""What a step of each optimizer writes, in each of its implementations."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

import torch

from survey.cases import Case, Row
from survey.experiment import first_line
from survey.trees import same_snapshot, snapshot

WAYS = ("", "foreach=True", "foreach=False", "fused=True", "differentiable=True", "capturable=True")
MORE = {
    "SGD": ("momentum=0.9",),
    "RMSprop": ("momentum=0.9, centered=True",),
    "Adam": ("amsgrad=True",),
}
Held = list[tuple[str, torch.Tensor]]


def tasks() -> dict[str, Callable[[], list[Row]]]:
    found: dict[str, Callable[[], list[Row]]] = {}
    for name in dir(torch.optim):
        kind = getattr(torch.optim, name)
        is_optimizer = isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer)
        if is_optimizer and kind is not torch.optim.Optimizer:
            found[f"optim.{name}"] = partial(_rows, name)
    return found


def _rows(name: str) -> list[Row]:
    cases: dict[str, Case] = {}
    refused: dict[str, str] = {}
    for options in (*WAYS, *MORE.get(name, ())):
        try:
            found = _step(name, options)
        except Exception as error:
            refused[options or "plain"] = first_line(error)
            continue
        key = repr((found["writes"], found["result"]))
        cases.setdefault(key, found).setdefault("options", []).append(options or "plain")
    row: Row = {"name": f"optim.{name}.step", "form": "optimizer", "of": name.lower()}
    row["aliases"] = [f"torch.optim.{name}", f"optim.{name}"]
    if cases:
        row["cases"] = list(cases.values())
        row["refused"] = refused
    else:
        row["untried"] = next(iter(refused.values()))
    return [row, _zeroing(name)] if cases else [row]


def _step(name: str, options: str) -> Case:
    """The second step: the first one makes the state."""
    weight, optimizer = _made(name, options)
    step = partial(optimizer.step, partial(_loss, weight)) if name == "LBFGS" else optimizer.step
    step()
    if name != "LBFGS":
        weight.grad = weight.grad * -1.5
    held = _held(weight, optimizer)
    before = [(snapshot(each), each._version) for _, each in held]
    grad = weight.grad
    result = step()
    writes = _writes(held, before)
    if weight.grad is not grad:
        writes["grad"] = ["another tensor"]
    for key, value in optimizer.state[weight].items():
        if isinstance(value, torch.Tensor) and not any(value is each for _, each in held):
            writes[f"state {key}"] = ["another tensor"]
    more = f", {options}" if options else ""
    return {
        "call": "optimizer.step()",
        "setup": [f"optimizer = torch.optim.{name}([weight], lr=0.1{more})"],
        "node": "recorded" if options.startswith("differentiable") else None,
        "result": ["none" if result is None else type(result).__name__],
        "writes": writes,
    }


def _loss(weight: torch.Tensor) -> torch.Tensor:
    weight.grad = None
    loss = (weight**4).sum()
    loss.backward()
    return loss


def _made(name: str, options: str) -> tuple[torch.Tensor, torch.optim.Optimizer]:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    grad = torch.tensor([[0.5, -1.5], [2.5, 0.25]])
    named = eval(f"dict({options})")
    optimizer = getattr(torch.optim, name)([weight], lr=0.1, **named)
    if named.get("differentiable"):
        weight = weight.clone()
        optimizer.param_groups[0]["params"][0] = weight
    weight.grad = grad.to_sparse() if name == "SparseAdam" else grad
    return weight, optimizer


def _held(weight: torch.Tensor, optimizer: torch.optim.Optimizer) -> Held:
    held = [("weight", weight), ("grad", weight.grad)]
    held += [
        (f"state {key}", value)
        for key, value in sorted(optimizer.state[weight].items())
        if isinstance(value, torch.Tensor)
    ]
    return held


def _writes(held: Held, before: list[tuple[Any, int]]) -> dict[str, list[Any]]:
    found = {}
    for (name, tensor), (values, version) in zip(held, before):
        moved, changed = tensor._version - version, not same_snapshot(values, snapshot(tensor))
        if moved or changed:
            found[name] = [moved, changed]
    return found


def _zeroing(name: str) -> Row:
    weight, optimizer = _made(name, "")
    held = [("grad", weight.grad)]
    before = [(snapshot(each), each._version) for _, each in held]
    optimizer.zero_grad(set_to_none=False)
    case = {
        "call": "optimizer.zero_grad(set_to_none=False)",
        "node": None,
        "result": ["none"],
        "writes": _writes(held, before),
    }
    return {
        "name": f"optim.{name}.zero_grad",
        "form": "optimizer",
        "of": name.lower(),
        "cases": [case],
    }
