"""What torch offers, asked of torch itself: run as a program, which prints it as JSON."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import warnings
from types import ModuleType

import msgspec
import torch

from inplace_tui.common.run.torch_names import MODULE, TENSOR, Name, TorchNames

MODULES = (
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"),
    *("torch.optim", "torch.optim.lr_scheduler", "torch.autograd", "torch.autograd.graph"),
    "torch.linalg",
)
LONGEST = 72
"""Letters of a signature; there is one line for it."""

_HEAD = re.compile(r"^\s*(?:[\w.]+\.)?(\w+)(\(.*?\))\s*(?:->\s*(.*?)\s*)?$")


def print_names() -> None:
    sys.stdout.write(msgspec.json.encode(torch_names()).decode())


def torch_names() -> TorchNames:
    """Return all public names of the modules above, and of tensors, modules and optimizers."""
    members = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old names warn when they are looked at
        for path in MODULES:
            members[path] = _members(importlib.import_module(path))
        for kind in (torch.Tensor, torch.nn.Module, torch.optim.Optimizer):
            members[_path(kind)] = _members(kind)
        members[TENSOR] = tuple(
            msgspec.structs.replace(each, gives=TENSOR) if each.name.endswith("_") else each
            for each in members[TENSOR]
        )
    return TorchNames(members=members)


def _members(owner: ModuleType | type) -> tuple[Name, ...]:
    names = []
    public = getattr(owner, "__all__", None) if owner is not torch else None
    for name in sorted({*dir(owner), *(public or ())}):
        if name.startswith("_"):
            continue
        try:
            value = getattr(owner, name)
        except (AttributeError, ImportError, RuntimeError):
            continue
        if isinstance(value, ModuleType) and not value.__name__.startswith("torch"):
            continue  # what a module imports for itself
        if isinstance(owner, ModuleType) and getattr(value, "__module__", None) == "typing":
            continue
        names.append(_name(name, value))
    return tuple(names)


def _name(name: str, value: object) -> Name:
    if isinstance(value, ModuleType):
        return Name(name=name, kind="module", gives=value.__name__)
    if isinstance(value, type):
        gives = _path(value)
        if issubclass(value, torch.nn.Module):
            gives = MODULE
        elif issubclass(value, torch.optim.Optimizer):
            gives = _path(torch.optim.Optimizer)
        elif issubclass(value, torch.Tensor):
            gives = TENSOR
        return Name(name=name, kind="class", signature=_parameters(value), gives=gives)
    if callable(value):
        signature, gives = _described(name, value)
        return Name(name=name, kind="function", signature=signature, gives=gives)
    return Name(name=name, kind="attribute", gives=TENSOR if name in _TENSORS else "")


_TENSORS = frozenset(("grad", "data", "T", "mT", "H", "mH", "real", "imag"))
"""Attributes of a tensor that are tensors."""


def _described(name: str, value: object) -> tuple[str, str]:
    """Return the signature and what a call gives, from torch's own words."""
    for line in (inspect.getdoc(value) or "").splitlines()[:3]:
        head = _HEAD.match(line)
        if head is not None and head.group(1) == name:
            gives = TENSOR if (head.group(3) or "").startswith("Tensor") else ""
            return _shortened(head.group(2)), gives
    return _parameters(value), ""


def _parameters(value: object) -> str:
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]  # it refuses the others
    except (TypeError, ValueError):
        return ""
    takes, empty = signature.parameters.values(), inspect.Signature.empty
    plain = [each.replace(annotation=empty) for each in takes if each.name != "self"]
    given = signature.replace(parameters=plain, return_annotation=empty)
    return _shortened(str(given))


def _shortened(signature: str) -> str:
    return signature if len(signature) <= LONGEST else signature[: LONGEST - 1] + "…"


def _path(kind: type) -> str:
    return {torch.Tensor: TENSOR, torch.nn.Module: MODULE}.get(
        kind, f"{kind.__module__}.{kind.__qualname__}"
    )
