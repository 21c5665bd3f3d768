"""By which names a program can reach its tensors, and how containers are read for that.

Through the methods of `list`, `tuple` and `dict` themselves, objects through their
`__dict__`, so that no property, no `__getattr__` and no `__iter__` of the program's
ever runs.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from types import CodeType, FrameType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, NamedTuple

import torch
from torch import nn

from inplace_tui.common.run.snapshot import MAX_NAME
from inplace_tui.diagnosis.record.compat import variables
from inplace_tui.diagnosis.record.state.safe_reads import PLAIN, grad_of, is_opaque

MAX_ITEMS = 256
"""Of one container; a list of a million numbers is not read at every line."""

MAX_OBJECTS = 2_000
"""Containers and tensors of one walk."""

DEPTH = 8
"""Containers inside containers."""

Parts = tuple[Sequence[object], Sequence[object]]
"""Of a container: keys of plain types, and the item at each."""


class Accessor(NamedTuple):
    """How to read the objects of a type, and how a program writes a part of one."""

    read: Callable[[Any], Parts]
    part: Callable[[str, Any], str]
    """Takes the name of the container and a key."""


def signature(values: Iterable[object]) -> list[object]:
    """Return a list that is the same again only if a walk from these values finds the same.

    It holds identities and keys, and keeps no tensor and no container alive.
    """
    found: list[object] = []
    seen: set[int] = set()
    level = list(values)
    for _ in range(DEPTH):
        deeper: list[object] = []
        for value in level:
            kind = ACCESSORS[type(value)]
            if kind is TENSOR:
                found.append(value._cdata)  # type: ignore[attr-defined]
            elif kind is not None and id(value) not in seen and len(seen) < MAX_OBJECTS:
                seen.add(id(value))
                keys, items = kind.read(value)
                found.append(id(kind))
                for key, item in zip(keys, items, strict=False):
                    if ACCESSORS[type(item)] is not None:
                        found += (key, id(item))
                        deeper.append(item)
        level = deeper
        if not deeper:
            break
    return found


class _Accessors(dict[type, Accessor | None]):
    """How to read objects of a type, found out once; None: they reach no tensor."""

    def __missing__(self, type_: type) -> Accessor | None:
        found = next((kind for base, kind in _KNOWN if issubclass(type_, base)), None)
        if found is None and not _is_of_python(type_):
            members = _members(type_)
            if members or type_.__dictoffset__:
                found = Accessor(lambda value: _read_object(value, members), _attribute)
        self[type_] = None if type_ is torch.Size else found
        return self[type_]


def _is_of_python(type_: type) -> bool:
    """Whether a type is Python's own: a logger leads to every other logger."""
    library = type_.__module__.partition(".")[0] if isinstance(type_.__module__, str) else ""
    named = type_.__module__ in ("types", "argparse") and type_.__name__.endswith("Namespace")
    return (library in sys.stdlib_module_names and library != "__main__") and not named


def _members(type_: type) -> tuple[tuple[str, MemberDescriptorType], ...]:
    """Return its `__slots__`, which can be read without running anything."""
    return tuple(
        (name, member)
        for base in type_.__mro__
        for name, member in vars(base).items()
        if isinstance(member, MemberDescriptorType) and not name.startswith("__")
    )


def _attribute(name: str, key: int | str) -> str:
    """Write `m.values` where a tuple has names; it says more than `m[0]`."""
    return f"{name}.{key}" if isinstance(key, str) else f"{name}[{key}]"


def _item(name: str, key: object) -> str:
    return f"{name}[{key!r}]"


def _submodule(name: str, key: str) -> str:
    if key == "_orig_mod":  # of a compiled module, which has the attributes of that one
        return name
    return f"{name}[{key}]" if key.isdecimal() else f"{name}.{key}"


def _read_tuple(value: tuple[object, ...]) -> Parts:
    items = list(islice(tuple.__iter__(value), MAX_ITEMS))
    if type(value) is tuple:
        return _INDICES, items
    fields = vars(type(value)).get("__match_args__", ())
    return fields if len(fields) == len(items) else _INDICES, items


def _read_dict(value: dict[object, object]) -> Parts:
    items = [each for each in islice(dict.items(value), MAX_ITEMS) if type(each[0]) in _KEYS]
    return [key for key, _ in items], [item for _, item in items]


def attributes_of(value: object) -> dict[str, object]:
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def _read_object(value: object, members: tuple[tuple[str, MemberDescriptorType], ...]) -> Parts:
    attributes = dict(islice(dict.items(attributes_of(value)), MAX_ITEMS))
    for attribute, member in members:
        try:
            attributes[attribute] = member.__get__(value)
        except AttributeError:
            continue  # declared and not set
    return list(attributes), list(attributes.values())


def _read_class(value: type) -> Parts:
    """Read a class of the program's own for what all its objects share."""
    if value.__module__ != "__main__":
        return (), ()
    attributes = {
        attribute: item
        for attribute, item in list(islice(vars(value).items(), MAX_ITEMS))
        if not attribute.startswith("__") and isinstance(item, (torch.Tensor, list, dict))
    }
    return list(attributes), list(attributes.values())


def _read_module(value: nn.Module, *, is_keyed: bool = False) -> Parts:
    attributes = attributes_of(value)
    keys: list[object] = []
    items: list[object] = []
    for table in ("_parameters", "_buffers", "_modules"):
        held = attributes.get(table)
        if held and isinstance(held, dict):
            keys += [(key,) for key in held] if is_keyed else held
            items += dict.values(held)
    for key, item in list(dict.items(attributes)):
        if key not in _OWN_OF_MODULE:
            keys.append(key)
            items.append(item)
    return keys, items


def _read_optimizer(value: object) -> Parts:
    """Read what `_add_optimizer` may find names for."""
    keys: list[object] = []
    items: list[object] = []
    groups, state = groups_and_state(value)
    for group in groups:
        parameters = dict.get(group, "params", ())
        keys += range(len(parameters))
        items += parameters
    for parameter, kept in state:
        keys += (None, *kept)
        items += (parameter, *dict.values(kept))
    return keys, items


def groups_and_state(
    optimizer: object,
) -> tuple[list[dict[str, Any]], list[tuple[object, dict[str, object]]]]:
    attributes = attributes_of(optimizer)
    groups, state = attributes.get("param_groups"), attributes.get("state")
    entries = list(dict.items(state)) if isinstance(state, dict) else []
    kept = [(of, values) for of, values in entries if isinstance(values, dict)]
    return groups if isinstance(groups, list) else [], kept


_KEYS = frozenset({str, int, bool, float, type(None)})
_INDICES = tuple(range(MAX_ITEMS))
_OWN_OF_MODULE = frozenset(vars(nn.Module()))

TENSOR = Accessor(lambda _: ((), ()), _attribute)
OPTIMIZER = Accessor(_read_optimizer, _attribute)
"""Its tensors are named by the parameters, so it is read last."""

_KEYED_MODULE = Accessor(
    partial(_read_module, is_keyed=True),
    lambda name, key: f"{name}.{key}" if isinstance(key, str) else f"{name}[{key[0]!r}]",
)
_KNOWN: tuple[tuple[type, Accessor | None], ...] = (
    (torch.Tensor, TENSOR),
    (nn.ModuleDict, _KEYED_MODULE),
    (nn.ParameterDict, _KEYED_MODULE),
    (nn.Module, Accessor(_read_module, _submodule)),
    (torch.optim.Optimizer, OPTIMIZER),
    (ModuleType, None),
    (FunctionType, None),
    (MethodType, None),
    (tuple, Accessor(_read_tuple, _attribute)),
    (list, Accessor(lambda value: (_INDICES, [*islice(list.__iter__(value), MAX_ITEMS)]), _item)),
    (deque, Accessor(lambda value: (_INDICES, [*islice(deque.__iter__(value), MAX_ITEMS)]), _item)),
    (dict, Accessor(_read_dict, _item)),
    (type, Accessor(_read_class, _attribute)),
)
ACCESSORS = _Accessors()


Found = tuple[str, object]


@dataclass(eq=False, slots=True)
class ReachableTensors:
    """Every tensor that a name reaches, by the identity of the object."""

    tensors: dict[int, torch.Tensor] = field(default_factory=dict)
    names: dict[int, list[str]] = field(default_factory=dict)
    """Every expression that reaches it, those of few parts first."""

    grads: dict[int, torch.Tensor] = field(default_factory=dict)
    """Its `.grad`, if it has one."""

    optimized: set[int] = field(default_factory=set)
    """Parameters of optimizers: their names are part of the names of optimizer state."""


def reach(frames: Sequence[FrameType]) -> ReachableTensors:
    """Return every tensor that a name reaches.

    Args:
        frames: the program's frames, the innermost first, the module's last.
            Names of the first and of its module are plain; those of the frames
            between are written `function:name`, and so is a module's name that
            a local one hides, as `<module>:name`, and those of another file's
            module, as `<__main__>:name`.
    """
    with torch._C.DisableTorchFunction():
        return _walk(_roots(frames))


def named_tensors(frames: Sequence[FrameType]) -> Iterator[tuple[str, torch.Tensor]]:
    """Return every expression that reaches a tensor, simple ones first."""
    found = reach(frames)
    return ((n, tensor) for key, tensor in found.tensors.items() for n in found.names[key])


def is_variable(name: object) -> bool:
    return type(name) is str and name[:2] != "__"


class Scope(NamedTuple):
    """The variables of one frame, or of the module around the innermost."""

    frame: int
    """Its address; 0 for that module."""

    code: CodeType
    prefix: str
    """Of their names, with a colon; empty where they are plain."""

    variables: Mapping[str, object]


def spaces_of(frames: Sequence[FrameType]) -> list[Scope]:
    """Return where names are looked for, as `reach` says it, the innermost first."""
    if not frames:
        return []
    inner = frames[0]
    plain, outside = variables(inner), inner.f_globals
    found = [Scope(id(inner), inner.f_code, "", plain)]
    for frame in frames[1:]:
        code, around, local = frame.f_code, frame.f_globals, variables(frame)
        if around is not local:
            found.append(Scope(id(frame), code, f"{code.co_name}:", local))
        elif around is not outside:
            name = str(around.get("__name__")).rpartition(".")[2]
            found.append(Scope(id(frame), code, f"<{name}>:", around))
    if outside is not plain:
        found.append(Scope(0, inner.f_code, "", outside))
    return found


def _roots(frames: Sequence[FrameType]) -> list[Found]:
    found: list[Found] = []
    hidden: Mapping[str, object] = {}
    for number, space in enumerate(spaces_of(frames)):
        hidden = hidden if number else space.variables
        for name, value in list(space.variables.items()):
            if ACCESSORS[type(value)] is not None and is_variable(name):
                hides = space.frame == 0 and name in hidden
                found.append(("<module>:" + name if hides else space.prefix + name, value))
    return found


def _walk(roots: list[Found]) -> ReachableTensors:
    """Look breadth first, so that the first name of each thing is a short one."""
    reached = ReachableTensors()
    tensors, names = reached.tensors, reached.names
    seen: set[int] = set()
    optimizers: list[Found] = []
    level = roots
    in_transform = torch._C._functorch.peek_interpreter_stack() is not None
    for _ in range(DEPTH):
        deeper: list[Found] = []
        for name, value in level:
            kind = ACCESSORS[type(value)]
            if kind is None or len(name) > MAX_NAME:
                continue
            key = id(value)
            if key in tensors:
                names[key].append(name)
            elif kind is TENSOR:
                tensor: Any = value
                is_plain = not in_transform and type(value) in PLAIN
                if len(tensors) < MAX_OBJECTS and (is_plain or not is_opaque(tensor)):
                    tensors[key] = tensor
                    names[key] = [name]
                    grad = grad_of(tensor)
                    if grad is not None:
                        reached.grads[key] = grad
                        deeper.append((f"{name}.grad", grad))
            elif key not in seen and len(seen) < MAX_OBJECTS:
                seen.add(key)
                if kind is OPTIMIZER:
                    optimizers.append((name, value))
                else:
                    keys, items = kind.read(value)
                    deeper += [
                        (kind.part(name, at), item)
                        for at, item in zip(keys, items, strict=False)
                        if ACCESSORS[type(item)] is not None
                    ]
        level = deeper
        if not deeper:
            break
    for name, optimizer in optimizers:
        _add_optimizer(name, optimizer, reached)
    return reached


def _add_optimizer(name: str, optimizer: object, reached: ReachableTensors) -> None:
    """Add its state by parameter, and the parameters that have no other name."""
    groups, state = groups_and_state(optimizer)
    for i, group in enumerate(groups):
        for j, parameter in enumerate(dict.get(group, "params", ())):
            reached.optimized.add(id(parameter))
            if id(parameter) not in reached.tensors:
                _add(f"{name}.param_groups[{i}]['params'][{j}]", parameter, reached)
    for parameter, kept in state:
        if id(parameter) in reached.names:
            of = reached.names[id(parameter)][0]
            for key, item in list(dict.items(kept)):
                _add(f"{name}.state[{of}][{key!r}]", item, reached)


def _add(name: str, value: object, reached: ReachableTensors) -> None:
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
