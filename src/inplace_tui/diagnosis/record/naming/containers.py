"""How containers are read: what they hold, and how a program writes a part of them.

Through the methods of `list`, `tuple` and `dict` themselves, objects through their
`__dict__`, so that no property, no `__getattr__` and no `__iter__` of the program's
ever runs.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from types import FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, NamedTuple

import torch
from torch import nn

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
        for base, kind in _KNOWN:
            if issubclass(type_, base):
                self[type_] = None if type_ is torch.Size else kind
                return self[type_]
        members = _members(type_)
        if (members or type_.__dictoffset__) and not _is_of_python(type_):
            self[type_] = Accessor(lambda value: _read_object(value, members), _attribute)
        else:
            self[type_] = None
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


def _attribute(name: str, key: str) -> str:
    return f"{name}.{key}"


def _item(name: str, key: object) -> str:
    return f"{name}[{key!r}]"


def _field(name: str, key: int | str) -> str:
    """Write `m.values` where a tuple has names; it says more than `m[0]`."""
    return f"{name}.{key}" if isinstance(key, str) else f"{name}[{key}]"


def _submodule(name: str, key: str) -> str:
    if key == "_orig_mod":  # of a compiled module, which has the attributes of that one
        return name
    return f"{name}[{key}]" if key.isdecimal() else f"{name}.{key}"


def _key_of_module(name: str, key: tuple[str, ...] | str) -> str:
    return f"{name}.{key}" if isinstance(key, str) else f"{name}[{key[0]!r}]"


def _read_list(value: list[object]) -> Parts:
    items = list(islice(list.__iter__(value), MAX_ITEMS))
    return _INDICES, items


def _read_deque(value: deque[object]) -> Parts:
    return _INDICES, list(islice(deque.__iter__(value), MAX_ITEMS))


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


def _read_module(value: nn.Module) -> Parts:
    attributes = attributes_of(value)
    keys: list[str] = []
    items: list[object] = []
    for table in ("_parameters", "_buffers", "_modules"):
        held = attributes.get(table)
        if held and isinstance(held, dict):
            keys += held
            items += dict.values(held)
    for key, item in list(dict.items(attributes)):
        if key not in _OWN_OF_MODULE:
            keys.append(key)
            items.append(item)
    return keys, items


def _read_module_dict(value: nn.Module) -> Parts:
    attributes = attributes_of(value)
    keys, items = _read_module(value)
    tables = [attributes.get(table) for table in ("_parameters", "_buffers", "_modules")]
    of_tables = sum(len(held) for held in tables if isinstance(held, dict))
    return [*((key,) for key in keys[:of_tables]), *keys[of_tables:]], items


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

_KEYED_MODULE = Accessor(_read_module_dict, _key_of_module)
_KNOWN: tuple[tuple[type, Accessor | None], ...] = (
    (torch.Tensor, TENSOR),
    (nn.ModuleDict, _KEYED_MODULE),
    (nn.ParameterDict, _KEYED_MODULE),
    (nn.Module, Accessor(_read_module, _submodule)),
    (torch.optim.Optimizer, OPTIMIZER),
    (ModuleType, None),
    (FunctionType, None),
    (MethodType, None),
    (tuple, Accessor(_read_tuple, _field)),
    (list, Accessor(_read_list, _item)),
    (deque, Accessor(_read_deque, _item)),
    (dict, Accessor(_read_dict, _item)),
    (type, Accessor(_read_class, _attribute)),
)
ACCESSORS = _Accessors()
