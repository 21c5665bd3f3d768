"""Resolves expressions of the program without evaluating them.

Only names, attributes, constant subscripts and calls of tensor methods are
followed, and only through `__dict__` and the methods of the plain containers.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import torch
from torch import nn

from inplace_tui.common.source_text import AUGMENTED
from inplace_tui.diagnosis.record.code.instructions import Expression, Instruction
from inplace_tui.diagnosis.record.compat import variables
from inplace_tui.diagnosis.record.naming.names import ACCESSORS, TENSOR, attributes_of
from inplace_tui.diagnosis.record.state.safe_reads import grad_of

_CONTAINERS = frozenset(
    {list, dict, set, tuple, deque, OrderedDict, defaultdict, nn.ModuleList, nn.ModuleDict}
)
"""Whose `+=` and `[...] =` keep tensors, and write none."""

_SAME_TENSOR = frozenset({"data", "T", "mT", "H", "mH", "real", "imag"})
_UNKNOWN = object()


class Resolved(NamedTuple):
    """What one expression is, as far as that is known."""

    value: object
    """The object, or for a part of a tensor (`x.data`, `x[0]`) that tensor."""

    kind: type | None
    """The class of what the expression gives."""


_NOTHING = Resolved(_UNKNOWN, None)


def operation(node: Expression | None, frame: FrameType) -> str | None:
    """Return the name of the operation that an expression is, as torch has it."""
    match node:
        case None:
            return None
        case ast.Call():
            return _call(node, frame)
        case ast.AugAssign(op=op, target=target):
            kind = resolve(target, frame).kind or torch.Tensor
            of_tensor, of_others = AUGMENTED[type(op)]
            is_tensor = issubclass(kind, torch.Tensor)
            return f"{_class(kind)}.{of_tensor if is_tensor else of_others}"
        case ast.Subscript(value=value):
            return f"{_class(resolve(value, frame).kind or torch.Tensor)}.__setitem__"
        case ast.Attribute(value=value, attr=attr):
            return f"{_class(resolve(value, frame).kind or torch.Tensor)}.{attr}"


def is_container_write(node: Expression, frame: FrameType) -> bool:
    """Whether it is `x += y` or `x[...] = y` of a container, which takes what it is given."""
    match node:
        case ast.AugAssign(target=at) | ast.Subscript(value=at):
            return resolve(at, frame).kind in _CONTAINERS
        case _:
            return False


def stores(instruction: Instruction, frame: FrameType) -> bool:
    """Whether C code that it runs may change what a container holds."""
    if isinstance(instruction.stores, bool):
        return instruction.stores
    with torch._C.DisableTorchFunction():
        kind = resolve(instruction.stores, frame).kind
    return kind is None or ACCESSORS[kind] not in (None, TENSOR)


_IN_PLACE = frozenset(
    name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")
) - {"apply_", "map_", "map2_", "set_"}


def is_method_in_place(node: Expression | None) -> bool:
    """Whether a write is an in-place method of a tensor, or an operator that is one."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _IN_PLACE
    return isinstance(node, ast.AugAssign)


def is_plain_write(node: Expression | None) -> bool:
    """Whether a write is of torch's own kind, if a version counter moved by it."""
    return isinstance(node, ast.Subscript) or is_method_in_place(node)


def receivers(node: Expression | None, frame: FrameType) -> Iterator[object]:
    """Return what an expression may have written through, the likeliest first."""
    at: ast.expr | None = None
    match node:
        case ast.Call(func=ast.Attribute(value=value)):
            at = value
        case ast.Call(args=[first, *_]):
            at = first
        case ast.AugAssign(target=target):
            at = target
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            at = value
        case _:
            return
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "out":
                yield resolve(keyword.value, frame).value
    while at is not None:
        yield resolve(at, frame).value
        match at:
            case ast.Subscript(value=inner) | ast.Attribute(value=inner):
                at = inner
            case ast.Call(func=ast.Attribute(value=inner)):
                at = inner
            case _:
                at = None


def resolve(node: ast.expr, frame: FrameType) -> Resolved:
    found = _NOTHING
    match node:
        case ast.Name(id=name):
            for namespace in (vars(builtins), frame.f_globals, variables(frame)):
                found = _in(namespace, name, found)
        case ast.Attribute(value=value, attr=attr):
            found = _attribute(resolve(value, frame), attr)
        case ast.Subscript(value=value, slice=index):
            found = _item(resolve(value, frame), index, frame)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            found = _result(resolve(value, frame), attr)
        case ast.NamedExpr(target=target):
            found = resolve(target, frame)
        case _:
            pass
    return found


def _result(of: Resolved, method: str) -> Resolved:
    """Return what a method call gives: of a tensor, most likely a tensor."""
    if of.value is sys.modules["torch"]:
        return Resolved(_UNKNOWN, torch.Tensor)
    if not _is_tensor(of.kind):
        return _NOTHING
    if method in ("numpy", "__array__"):
        numpy = sys.modules.get("numpy")
        return _NOTHING if numpy is None else Resolved(of.value, numpy.ndarray)
    storage = method in ("untyped_storage", "storage")
    return Resolved(of.value, torch.UntypedStorage if storage else torch.Tensor)


def _is_tensor(kind: type | None) -> bool:
    return kind is not None and issubclass(kind, torch.Tensor)


def _is_a(value: object, *kinds: type) -> bool:
    """Whether it is an instance, without asking it for its `__class__`."""
    return issubclass(type(value), kinds)


def _is(value: object) -> Resolved:
    return Resolved(value, type(value))


def _attribute(of: Resolved, attr: str) -> Resolved:
    value = of.value
    if _is_tensor(of.kind):
        if attr == "grad" and isinstance(value, torch.Tensor):
            return _is(grad_of(value))
        return Resolved(value, torch.Tensor) if attr in _SAME_TENSOR else _NOTHING
    if isinstance(value, ModuleType):
        return _in(vars(value), attr)
    found = attributes_of(value)
    if _is_a(value, nn.Module):
        for table in ("_parameters", "_buffers", "_modules"):
            inside = found.get(table)
            if isinstance(inside, dict) and attr in inside:
                return _is(inside[attr])
    return _in(found, attr)


def _in(namespace: Mapping[str, Any], name: str, otherwise: Resolved = _NOTHING) -> Resolved:
    return _is(namespace[name]) if name in namespace else otherwise


def _item(of: Resolved, index: ast.expr, frame: FrameType) -> Resolved:
    if of.kind is not None and (_is_tensor(of.kind) or of.kind.__name__ == "ndarray"):
        return of  # a part of it
    try:
        key: object = ast.literal_eval(index)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        key = resolve(index, frame).value
    if type(key) not in (int, str):
        return _NOTHING
    container: Any = of.value
    if _is_a(container, nn.Sequential, nn.ModuleList, nn.ModuleDict):
        container = attributes_of(container)["_modules"]
        if type(key) is int:
            container = list(dict.values(container))
    found = _UNKNOWN
    if _is_a(container, dict):
        # Not `[]`: a defaultdict would make an item.
        found = dict.get(container, key, _UNKNOWN)
    elif _is_a(container, list, tuple) and isinstance(key, int):
        read: Any = list.__getitem__ if _is_a(container, list) else tuple.__getitem__
        with suppress(IndexError):
            found = read(container, key)
    return _NOTHING if found is _UNKNOWN else _is(found)


def _call(node: ast.Call, frame: FrameType) -> str | None:
    function = resolve(node.func, frame).value
    out = "(out=)" if any(keyword.arg == "out" for keyword in node.keywords) else ""
    if _is_a(function, nn.Module):
        return f"{type(function).__name__}.__call__"
    if isinstance(node.func, ast.Attribute):
        return _method(resolve(node.func.value, frame), node.func.attr, out)
    if isinstance(node.func, ast.Name):
        if isinstance(function, (FunctionType, BuiltinFunctionType)):
            return _in_module(function.__module__, node.func.id + out)
        return node.func.id
    return None


def _method(of: Resolved, name: str, out: str) -> str | None:
    if isinstance(of.value, ModuleType):
        return _in_module(of.value.__name__, name + out)
    if isinstance(of.value, type):
        return f"{_class(of.value)}.{name}{out}"
    if of.kind is not None:
        return f"{_class(of.kind)}.{name}{out}"
    return f"Tensor.{name}" if hasattr(torch.Tensor, name) else name


def _in_module(module: str | None, name: str) -> str | None:
    """Return a function's name with its module's, the way programs write it."""
    parts = (module or "torch").split(".")
    if parts[0] == "ctypes":
        return None  # raw memory
    if parts[0] in ("__main__", "builtins"):
        return name
    last = "torch" if parts[-1].startswith("_") else parts[-1]
    return f"{last}.{name}"


def _class(kind: type) -> str:
    return "Tensor" if issubclass(kind, torch.Tensor) else kind.__name__
