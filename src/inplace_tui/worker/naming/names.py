"""By which names a program can reach its tensors.

Only looks: containers are read through the methods of `list`, `tuple` and
`dict` themselves, objects through their `__dict__`, so that no property, no
`__getattr__` and no `__iter__` of the program's ever runs.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from types import FrameType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import TypeGuard

import torch
from torch import nn

from inplace_tui.model.snapshot import MOST_NAME
from inplace_tui.worker.naming.evidence import MOST_ITEMS, Evidence
from inplace_tui.worker.state.passive import grad_of, is_opaque

MOST_OBJECTS = 2_000
"""Containers and tensors of one look."""

DEPTH = 8
"""Containers inside containers."""

Found = tuple[str, object]
Inside = Callable[[str, object], Iterable[Found]]


class Reached:
    """Every tensor that a name reaches, by the identity of the object."""

    __slots__ = ("grads", "names", "optimized", "tensors")

    def __init__(self) -> None:
        self.tensors: dict[int, torch.Tensor] = {}
        self.names: dict[int, list[str]] = {}
        """Every expression that reaches it, those of few parts first."""

        self.grads: dict[int, torch.Tensor] = {}
        """Its `.grad`, if it has one."""

        self.optimized: set[int] = set()
        """Parameters of optimizers, after which these name what they keep."""


def reach(frames: Sequence[FrameType], evidence: Evidence | None = None) -> Reached:
    """Return every tensor that a name reaches.

    Args:
        evidence: takes in every container that is looked into.
        frames: the program's frames, the innermost first, the module's last.
            Names of the first and of the module are plain; those of the frames
            between are written `function:name`, and so is a module's name that
            a local one hides, as `<module>:name`.
    """
    with torch._C.DisableTorchFunction():
        return _walk(_roots(frames), evidence or Evidence(None))


def bindings(frames: Sequence[FrameType]) -> Iterator[tuple[str, torch.Tensor]]:
    """Return every expression that reaches a tensor, simple ones first.

    Args:
        frames: as for `reach`.
    """
    found = reach(frames)
    return ((n, tensor) for key, tensor in found.tensors.items() for n in found.names[key])


def frames_of(filename: str, frame: FrameType | None) -> list[FrameType]:
    """Return the frames of a file on the stack, innermost first.

    Comprehensions and class bodies are no frames to a reader: they are left out.
    """
    found: list[FrameType] = []
    while frame is not None:
        if frame.f_code.co_filename == filename and is_function(frame):
            found.append(frame)
        frame = frame.f_back
    return found


def is_function(frame: FrameType) -> bool:
    """Whether a reader sees a call here: a function, a lambda or the module."""
    code = frame.f_code
    if code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        return False
    is_optimized = bool(code.co_flags & 0x1)
    return is_optimized or code.co_name == "<module>"


def _roots(frames: Sequence[FrameType]) -> list[Found]:
    if not frames:
        return []
    inner = frames[0]
    plain = inner.f_locals
    found = _variables(plain)
    for frame in frames[1:]:
        if frame.f_globals is not frame.f_locals:
            prefix = f"{frame.f_code.co_name}:"
            found += [(prefix + name, value) for name, value in _variables(frame.f_locals)]
    if inner.f_globals is not plain:
        hidden = "<module>:"
        found += [
            (hidden + name if name in plain else name, value)
            for name, value in _variables(inner.f_globals)
        ]
    return found


def _variables(namespace: dict[str, object]) -> list[Found]:
    return [
        (name, value)
        for name, value in list(dict.items(namespace))
        if INSIDE[type(value)] is not None and type(name) is str and name[:2] != "__"
    ]


def _walk(roots: list[Found], evidence: Evidence) -> Reached:
    """Look breadth first, so that the first name of each thing is a short one."""
    reached = Reached()
    tensors, names = reached.tensors, reached.names
    seen: set[int] = set()
    optimizers: list[Found] = []
    level = roots
    in_transform = torch._C._functorch.peek_interpreter_stack() is not None
    for depth in range(DEPTH):
        deeper: list[Found] = []
        for name, value in level:
            inside = INSIDE[type(value)]
            if inside is None or len(name) > MOST_NAME:
                continue
            key = id(value)
            if key in tensors:
                names[key].append(name)
            elif inside is itself:
                if len(tensors) < MOST_OBJECTS and _is_clear(value, in_transform):
                    tensors[key] = tensor = value
                    names[key] = [name]
                    grad = grad_of(tensor)
                    if grad is not None:
                        reached.grads[key] = grad
                        deeper.append((f"{name}.grad", grad))
            elif key not in seen and len(seen) < MOST_OBJECTS:
                seen.add(key)
                evidence.add(value, depth)
                if inside is _optimizer:
                    optimizers.append((name, value))
                else:
                    deeper.extend(inside(name, value))
        level = deeper
        if not deeper:
            break
    for name, optimizer in optimizers:
        _add_optimizer(name, optimizer, reached)
    return reached


def _is_clear(value: object, in_transform: bool) -> TypeGuard[torch.Tensor]:
    """Whether a tensor can be read; quick where nothing unusual is going on."""
    if not in_transform and type(value) in _PLAIN:
        return True
    assert isinstance(value, torch.Tensor)
    return not is_opaque(value)


class _Inside(dict[type, Inside | None]):
    """How to look into values of a type, found out once; None: not at all."""

    def __missing__(self, kind: type) -> Inside | None:
        for base, inside in _KNOWN:
            if issubclass(kind, base):
                self[kind] = None if kind is torch.Size else inside
                return self[kind]
        members = _members(kind)
        if (members or kind.__dictoffset__) and not _is_foreign(kind):
            self[kind] = lambda name, value: _object(name, value, members)
        else:
            self[kind] = None
        return self[kind]


def _is_foreign(kind: type) -> bool:
    """Whether a type is Python's own: a logger leads to every other logger."""
    library = kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
    named = kind.__module__ in ("types", "argparse") and kind.__name__.endswith("Namespace")
    return (library in sys.stdlib_module_names and library != "__main__") and not named


def _members(kind: type) -> tuple[tuple[str, MemberDescriptorType], ...]:
    """Return its `__slots__`, which can be read without running anything."""
    return tuple(
        (name, member)
        for base in kind.__mro__
        for name, member in vars(base).items()
        if isinstance(member, MemberDescriptorType) and not name.startswith("__")
    )


def itself(_name: str, _value: object) -> Iterable[Found]:
    """Stands for "this is a tensor" in the table below."""
    return ()


def _optimizer(_name: str, _value: object) -> Iterable[Found]:
    """Stands for "look into it last": its tensors are named by the parameters."""
    return ()


def _list(name: str, value: object) -> Iterable[Found]:
    assert isinstance(value, list)
    return _items(name, islice(list.__iter__(value), MOST_ITEMS))


def _deque(name: str, value: object) -> Iterable[Found]:
    assert isinstance(value, deque)
    return _items(name, islice(deque.__iter__(value), MOST_ITEMS))


def _items(name: str, items: Iterable[object]) -> Iterable[Found]:
    return [(f"{name}[{i}]", item) for i, item in enumerate(items) if INSIDE[type(item)]]


def _tuple(name: str, value: object) -> Iterable[Found]:
    """Look into a tuple; `m.values` says more than `m[0]`, where it has names."""
    assert isinstance(value, tuple)
    items = list(islice(tuple.__iter__(value), MOST_ITEMS))
    fields = vars(type(value)).get("__match_args__", ())
    if type(value) is tuple or len(fields) != len(items):
        return _items(name, items)
    return [(f"{name}.{field}", item) for field, item in zip(fields, items, strict=True)]


def _dict(name: str, value: object) -> Iterable[Found]:
    assert isinstance(value, dict)
    return [
        (f"{name}[{key!r}]", item)
        for key, item in islice(dict.items(value), MOST_ITEMS)
        if type(key) in (str, int, bool, float, type(None)) and INSIDE[type(item)]
    ]


def _attributes(value: object) -> dict[str, object]:
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def _object(
    name: str, value: object, members: tuple[tuple[str, MemberDescriptorType], ...]
) -> Iterator[Found]:
    for attribute, item in list(islice(dict.items(_attributes(value)), MOST_ITEMS)):
        yield f"{name}.{attribute}", item
    for attribute, member in members:
        try:
            yield f"{name}.{attribute}", member.__get__(value)
        except AttributeError:
            continue  # declared and not set


def _class(name: str, value: object) -> Iterator[Found]:
    """Look into a class of the program's own for what all its objects share."""
    assert isinstance(value, type)
    if value.__module__ == "__main__":
        for attribute, item in list(islice(vars(value).items(), MOST_ITEMS)):
            if not attribute.startswith("__") and isinstance(item, (torch.Tensor, list, dict)):
                yield f"{name}.{attribute}", item


def _module(name: str, value: object) -> Iterator[Found]:
    assert isinstance(value, nn.Module)
    by_key = isinstance(value, (nn.ModuleDict, nn.ParameterDict))
    attributes = _attributes(value)
    for table in ("_parameters", "_buffers", "_modules"):
        items = attributes.get(table)
        for key, item in list(dict.items(items)) if isinstance(items, dict) else ():
            if item is None:
                continue
            if by_key:
                yield f"{name}[{key!r}]", item
            elif key.isdecimal():
                yield f"{name}[{key}]", item
            else:
                yield f"{name}.{key}", item
    for key, item in list(dict.items(attributes)):
        if key not in _OWN_OF_MODULE and INSIDE[type(item)] is not None:
            yield f"{name}.{key}", item


def _add_optimizer(name: str, optimizer: object, reached: Reached) -> None:
    """Add its state by parameter, and the parameters that have no other name."""
    attributes = _attributes(optimizer)
    groups, state = attributes.get("param_groups"), attributes.get("state")
    for i, group in enumerate(groups if isinstance(groups, list) else ()):
        for j, parameter in enumerate(dict.get(group, "params", ())):
            reached.optimized.add(id(parameter))
            if id(parameter) not in reached.tensors:
                _add(f"{name}.param_groups[{i}]['params'][{j}]", parameter, reached)
    for parameter, kept in list(dict.items(state)) if isinstance(state, dict) else ():
        if isinstance(kept, dict) and id(parameter) in reached.names:
            of = reached.names[id(parameter)][0]
            for key, item in list(dict.items(kept)):
                _add(f"{name}.state[{of}][{key!r}]", item, reached)


def _add(name: str, value: object, reached: Reached) -> None:
    key = id(value)
    if key in reached.names:
        reached.names[key].append(name)
    elif isinstance(value, torch.Tensor) and not is_opaque(value):
        reached.tensors[key] = value
        reached.names[key] = [name]
        grad = grad_of(value)
        if grad is not None:
            reached.grads[key] = grad
            _add(f"{name}.grad", grad, reached)


_PLAIN = frozenset({torch.Tensor, nn.Parameter})
_KNOWN: tuple[tuple[type, Inside | None], ...] = (
    (torch.Tensor, itself),
    (nn.Module, _module),
    (torch.optim.Optimizer, _optimizer),
    (ModuleType, None),
    (FunctionType, None),
    (MethodType, None),
    (tuple, _tuple),
    (list, _list),
    (deque, _deque),
    (dict, _dict),
    (type, _class),
)
INSIDE = _Inside()
_OWN_OF_MODULE = frozenset(vars(nn.Module()))
