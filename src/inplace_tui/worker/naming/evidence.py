"""Whether containers still hold what they held, without looking into them.

Told by what Python keeps in memory: every dictionary has a number that no other
one ever had and that is new after each write, a list says where its items are,
an object where its dictionary is. All is read from the outside in: what is
found unchanged still holds what is read next.
"""

from __future__ import annotations

import gc
from ctypes import c_uint64
from types import MemberDescriptorType

import torch
from torch import nn

from inplace_tui.worker.state.gather import Live, live

MOST_ITEMS = 256
"""Of one container; a list of a million numbers is not read at every line."""

TAG = 24
"""Where a dictionary has that number, up to Python 3.11; tests/worker/test_evidence.py looks."""

_TYPE = 8
_SIZE = 16
_ITEMS = 24
_DICTIONARY = -24
_STAGES = 4
"""That one depth of containers is read in."""


class Evidence:
    """What was seen of all containers in one look at them."""

    __slots__ = ("_pool", "_seen", "_stages", "is_complete")

    def __init__(self, before: Evidence | None) -> None:
        """Begin with nothing.

        Args:
            before: of the look before; most containers are still the same.
        """
        self.is_complete = True
        """Whether every container can be told to be unchanged."""

        self._pool = {} if before is None else before._views()
        self._stages: dict[int, dict[tuple[int, int], Live]] = {}
        self._seen: list[tuple[list[Live], bytes]] = []

    def add(self, value: object, depth: int) -> None:
        """Take in a container.

        Args:
            value: looked into by the methods of `list`, `tuple` and `dict` themselves.
            depth: one more than that of what holds it.
        """
        kind, at, stage = type(value), id(value), depth * _STAGES
        self._see(stage, at + _TYPE, 8)
        if issubclass(kind, dict):
            self._see(stage + 1, at + TAG, 8)
        elif issubclass(kind, list):
            assert isinstance(value, list)
            self._see(stage + 1, at + _SIZE, 16)
            items = c_uint64.from_address(at + _ITEMS).value
            self._see(stage + 2, items, 8 * min(list.__len__(value), MOST_ITEMS))
        elif issubclass(kind, tuple):
            assert isinstance(value, tuple)
            self._see(stage + 1, at + _SIZE, 8)
            self._see(stage + 2, at + _ITEMS, 8 * min(tuple.__len__(value), MOST_ITEMS))
        elif issubclass(kind, type):
            assert isinstance(value, type)
            if value.__module__ == "__main__":
                for attributes in gc.get_referents(vars(value)):
                    self._see(stage + 1, id(attributes) + TAG, 8)
        else:
            self._object(value, depth)

    def seal(self) -> None:
        """Take down what all of it is now."""
        parts = [list(views.values()) for _, views in sorted(self._stages.items())]
        self._seen = [(views, b"".join(views)) for views in parts]
        self._pool = {}

    def holds(self) -> bool:
        """Whether every container is as it was, or another one that holds the same."""
        if self.is_complete:
            for views, seen in self._seen:
                if b"".join(views) != seen:
                    return False
        return self.is_complete

    def _object(self, value: object, depth: int) -> None:
        at, stage = id(value), depth * _STAGES
        try:
            attributes = object.__getattribute__(value, "__dict__")
        except AttributeError:
            attributes = None
        word = type(value).__dictoffset__ and c_uint64.from_address(at + _DICTIONARY).value
        if not isinstance(attributes, dict) or word != id(attributes) or _SLOTTED[type(value)]:
            self.is_complete = False
            return
        self._see(stage + 1, at + _DICTIONARY, 8)
        self._see(stage + 2, id(attributes) + TAG, 8)
        if issubclass(type(value), nn.Module):
            for name in ("_parameters", "_buffers", "_modules"):
                table = attributes.get(name)
                if isinstance(table, dict):
                    self._see(stage + 3, id(table) + TAG, 8)
        elif issubclass(type(value), torch.optim.Optimizer):
            self._optimizer(attributes, depth + 1)

    def _optimizer(self, attributes: dict[str, object], depth: int) -> None:
        groups, state = attributes.get("param_groups"), attributes.get("state")
        if not isinstance(groups, list) or not isinstance(state, dict):
            self.is_complete = False
            return
        self.add(groups, depth)
        self.add(state, depth)
        inner = [*groups, *[kept for kept in dict.values(state) if isinstance(kept, dict)]]
        for each in inner:
            self.add(each, depth + 1)
        for group in groups:
            self.add(dict.get(group, "params", ()), depth + 2)

    def _see(self, stage: int, address: int, size: int) -> None:
        if size:
            key = (address, size)
            view = self._pool.get(key)
            self._stages.setdefault(stage, {})[key] = live(*key) if view is None else view

    def _views(self) -> dict[tuple[int, int], Live]:
        return {key: view for views in self._stages.values() for key, view in views.items()}


class _Slotted(dict[type, bool]):
    """Whether objects of a type have `__slots__`, which keep no number of their own."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = found = any(
            isinstance(member, MemberDescriptorType) and not name.startswith("__")
            for base in kind.__mro__
            for name, member in vars(base).items()
        )
        return found


_SLOTTED = _Slotted()
