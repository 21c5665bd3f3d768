"""Every operation of torch's own list: as function, in place and with `out=`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable

import torch

from survey.calls import Sample
from survey.cases import Row, row
from survey.experiment import first_line, seed
from survey.names import also_functions, at, parameters, paths_of, short
from survey.samples import Callee, as_call, samples_of
from survey.torch_tests import full_name, operations
from survey.trees import fresh, is_differentiable, named_tensors, tensors_in

ATTRIBUTES = ("T", "H", "mT", "mH")


def tasks() -> dict[str, Callable[[], list[Row]]]:
    return {f"op_db {full_name(each)}": lambda each=each: rows_of(each) for each in operations()}  # type: ignore[misc]


def rows_of(operation: Any) -> list[Row]:
    try:
        samples = samples_of(operation)
    except Exception as error:
        samples, reason = [], f"torch's samples: {first_line(error)}"
    else:
        reason = "no sample is small enough"
    function, path, method = _function_of(operation, samples)
    name = path or f"op_db.{full_name(operation)}"
    if not samples:
        return [{"name": name, "form": "function", "of": _base(operation), "untried": reason}]
    rows = _in_place(operation, samples)
    if path is not None or not rows:
        calls = [as_call(function, path, each, method=method) for each in samples]
        if operation.name in ATTRIBUTES:
            calls = [replace(each, text=f"input.{operation.name}") for each in calls]
        aliases = _aliases(operation, function) + _twins(operation, function, samples)
        rows.append(row(name, "function", _base(operation), aliases, calls))
    rows += _inplace_option(operation, function, path, samples)
    if operation.supports_out and path is not None and not method:
        rows += _out(operation, function, path, samples)
    return rows


def _base(operation: Any) -> str:
    return short(operation.name)


def _function_of(operation: Any, samples: list[Sample]) -> tuple[Callee, str | None, bool]:
    """What a person would call; the list often has a lambda around it."""
    name = operation.name
    if name in ATTRIBUTES:
        return operation.op, f"Tensor.{name}", True
    places = [(f"torch.{name}", False), (f"Tensor.{name}", True), (f"torch.ops.aten.{name}", False)]
    for path, method in [(name, False)] if name.startswith("torch.") else places:
        found = at(path)
        if callable(found) and _does_the_same(found, operation.op, samples):
            return found, path.replace("torch.nn.functional.", "F."), method
    return operation.op, None, False


def _does_the_same(one: Callee, other: Callee, samples: list[Sample]) -> bool:
    if one is other:
        return True
    return bool(samples) and all(_kinds(one, each) == _kinds(other, each) for each in samples[:3])


def _kinds(function: Callee, sample: Sample) -> Any:
    sample = sample.transform(_copied)
    torch.manual_seed(0)
    try:
        result = function(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:
        return [first_line(error), id(function)]
    return [(name, each.shape, each.dtype) for name, each in named_tensors(result)]


def _aliases(operation: Any, function: Callee) -> list[str]:
    found = list(paths_of(function))
    if operation.method_variant is not None:
        found.append(f"Tensor.{operation.name}")
    for alias in operation.aliases:
        found.append(f"torch.{alias.name}".replace("torch.nn.functional.", "F."))
        if alias.method_variant is not None:
            found.append(f"Tensor.{alias.name.split('.')[-1]}")
    return [each for each in found if not each.split(".")[-1].startswith("_") or "__" in each]


def _twins(operation: Any, function: Callee, samples: list[Sample]) -> list[str]:
    """`torch.relu` and `Tensor.relu` for F.relu, where they give the same, with the same node."""
    last = operation.name.rsplit(".", maxsplit=1)[-1]
    return [
        path
        for path in (f"torch.{last}", f"Tensor.{last}", f"F.{last}")
        if at(path) is not function
        and callable(at(path))
        and all(_recorded(at(path), each) == _recorded(function, each) for each in samples[:2])
    ]


def _recorded(function: Callee, sample: Sample) -> Any:
    sample = sample.transform(_leaf)
    seed()
    try:
        result = function(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:
        return [first_line(error), id(function)]
    found = named_tensors(result)
    nodes = [each.grad_fn.name() if each.grad_fn is not None else None for _, each in found]
    return [each.tolist() for _, each in found], nodes


def _leaf(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    copy = fresh(value)
    return copy.requires_grad_() if is_differentiable(copy) else copy


def _in_place(operation: Any, samples: list[Sample]) -> list[Row]:
    found: dict[str, Callee] = {}
    for each in [operation, *operation.aliases]:
        variant = each.inplace_variant
        name = getattr(variant, "__name__", "")
        if variant is not None and callable(getattr(torch.Tensor, name, None)):
            found[name] = getattr(torch.Tensor, name)
    return [
        row(
            f"Tensor.{name}",
            "in-place",
            _base(operation),
            also_functions(name),
            [as_call(function, name, each, method=True, receiver=True) for each in samples],
        )
        for name, function in found.items()
    ]


def _inplace_option(
    operation: Any, function: Callee, path: str | None, samples: list[Sample]
) -> list[Row]:
    """`F.relu(input, inplace=True)`."""
    if path is None or "inplace" not in parameters(function):
        return []
    calls = []
    for sample in samples:
        known = {name: value for name, value in sample.kwargs.items() if name != "inplace"}
        copy = type(sample)(sample.input, args=sample.args, kwargs={**known, "inplace": True})
        calls.append(as_call(function, path, copy, receiver=True))
    return [row(f"{path}(inplace=True)", "in-place", _base(operation), [], calls)]


def _out(operation: Any, function: Callee, path: str, samples: list[Sample]) -> list[Row]:
    found = [each for each in (_with_out(function, sample) for sample in samples[:3]) if each]
    calls = [as_call(function, path, each) for each in found]
    return [row(f"{path}(out=)", "out", _base(operation), [], calls)] if calls else []


def _with_out(function: Callee, sample: Sample) -> Sample | None:
    """The same call, into memory of the size that it needs."""
    copy = sample.transform(_copied)
    try:
        result = function(copy.input, *copy.args, **copy.kwargs)
    except Exception:
        return None
    parts = tensors_in(result)
    if not parts:
        return None
    out = torch.zeros_like(parts[0]) if len(parts) == 1 else tuple(map(torch.zeros_like, parts))
    return type(sample)(copy.input, args=copy.args, kwargs={**copy.kwargs, "out": out})


def _copied(value: Any) -> Any:
    return fresh(value) if isinstance(value, torch.Tensor) else value
