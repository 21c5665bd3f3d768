"""By which names a program reaches a callable of torch."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch

from survey.trees import tensors_in

PLACES = (
    ("torch", "torch"),
    ("F", "torch.nn.functional"),
    ("torch.linalg", "torch.linalg"),
    ("torch.special", "torch.special"),
    ("torch.fft", "torch.fft"),
    ("torch.sparse", "torch.sparse"),
    ("torch.masked", "torch.masked"),
    ("torch.signal.windows", "torch.signal.windows"),
    ("Tensor", "torch.Tensor"),
)


def at(path: str) -> Any:
    """What `torch.nn.functional.relu` or `F.relu` names; None if nothing."""
    found: Any = torch
    path = path.replace("F.", "nn.functional.", 1) if path.startswith("F.") else path
    for part in path.split("."):
        if part != "torch":
            found = getattr(found, part, None)
    return found


@cache
def _paths() -> dict[int, tuple[str, ...]]:
    found: dict[int, list[str]] = {}
    for short, long in PLACES:
        place = at(long)
        for name in dir(place):
            value = getattr(place, name, None)
            if callable(value) and not isinstance(value, type):
                found.setdefault(id(value), []).append(f"{short}.{name}")
    return {key: tuple(value) for key, value in found.items()}


def paths_of(function: Any) -> tuple[str, ...]:
    return _paths().get(id(function), ())


@cache
def _overrides() -> dict[Any, Any]:
    return dict(torch.overrides.get_testing_overrides())


def parameters(function: Any, path: str | None = None, given: Sequence[Any] = ()) -> list[str]:
    """The names of what it takes, as far as they are known."""
    in_python = isinstance(function, types.FunctionType)
    by_schema = _of_schema(path, given) if path and given and not in_python else []
    if by_schema:
        return by_schema
    for each in (_overrides().get(function), function):
        if each is None:
            continue
        try:
            found = inspect.signature(each).parameters.values()
        except (TypeError, ValueError):
            continue
        named = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if named:
            return named
    return []


def _of_schema(path: str, given: Sequence[Any]) -> list[str]:
    """Names of the first overload that takes a tensor wherever one is given."""
    parts = path.split(".")
    name = (
        parts[-1] if parts[-2:-1] in (["torch"], ["Tensor"], ["aten"], []) else "_".join(parts[1:])
    )
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        listed = list(schema.arguments)
        if path.startswith("Tensor."):  # a method takes self first, whatever the schema says
            listed.sort(key=lambda each: each.name != "self")
        taken = listed[: len(given)]
        if len(taken) == len(given) and all(map(_fits, taken, given)):
            return ["input" if each.name == "self" else str(each.name) for each in taken]
    return []


def _fits(argument: Any, value: Any) -> bool:
    kind = str(argument.type)
    return ("Tensor" in kind) == bool(tensors_in(value))


def also_functions(method: str) -> list[str]:
    """`torch.relu_` and `F.relu_` of Tensor.relu_."""
    return [path for path in (f"torch.{method}", f"F.{method}") if callable(at(path))]


def short(path: str | None) -> str:
    """`relu` of `F.relu_`: the name that all forms of one operation share."""
    last = (path or "").split(".")[-1]
    return last if last.endswith("__") else last.rstrip("_")
