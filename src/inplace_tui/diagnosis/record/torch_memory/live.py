"""Memory of this process, read as it is at that moment, of one thing or of many in one go."""

from __future__ import annotations

from _ctypes import PyObj_FromPtr
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import Array, c_char, c_ubyte, c_uint64, c_void_p, pythonapi
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

import torch

from inplace_tui.diagnosis.record import compat

K = TypeVar("K")

Live: TypeAlias = "Array[c_ubyte] | bytes"

NOTHING = b""
"""Where nothing is."""

Column: TypeAlias = tuple[str, str]
"""Attributes of a thing: where its bytes are, and as what they were last seen."""


def live(address: int, size: int) -> Live:
    """Return bytes of this process, one at least, as they are whenever they are read.

    They must not be read once the memory was given back.
    """
    return _array(size).from_address(address)


@lru_cache(maxsize=512)
def _array(size: int) -> type[Array[c_ubyte]]:
    """Return a type of arrays; to make one takes a hundred times as long as to use it."""
    return c_ubyte * size


def read(address: int, size: int) -> bytes:
    return bytes(live(address, size)) if size else NOTHING


def hashable(address: int, size: int) -> memoryview:
    """Return a view of bytes for their hash; only what claims to be immutable has one."""
    return memoryview(_immutable(size).from_address(address)).cast("B").toreadonly()


@lru_cache(maxsize=256)
def _immutable(size: int) -> type[Array[c_char]]:
    return type("Memory", (c_char * size,), {"__hash__": object.__hash__})


def object_at(address: int) -> Any:
    """Return the living object at an address; nothing here holds a reference to it."""
    return PyObj_FromPtr(address)


_Column: TypeAlias = tuple[Callable[[K], Live], Callable[[K], bytes], dict[K, Live], dict[K, bytes]]


class LiveTable(Generic[K]):
    """Things that have live bytes in some places, in the order in which they were added.

    A look at each takes 100 ns; a join of all takes 10 ns each, and nearly always it says that
    nothing moved.
    """

    __slots__ = ("_columns",)

    def __init__(self, *columns: Column) -> None:
        self._columns: list[_Column[K]] = [
            (attrgetter(live_of), attrgetter(seen_of), {}, {}) for live_of, seen_of in columns
        ]

    def __iter__(self) -> Iterator[K]:
        return iter(self._columns[0][2])

    def __len__(self) -> int:
        return len(self._columns[0][2])

    def add(self, key: K) -> None:
        for live_of, seen_of, places, seen in self._columns:
            places[key], seen[key] = live_of(key), seen_of(key)

    def refresh(self, key: K) -> None:
        """Read again where the bytes of one are and what they were, if it is there."""
        if key in self._columns[0][2]:
            self.add(key)

    def drop(self, key: K) -> None:
        for _, _, places, seen in self._columns:
            places.pop(key, None)
            seen.pop(key, None)

    def is_unchanged(self) -> bool:
        """Whether everything reads as it was last seen."""
        return all(
            b"".join(places.values()) == b"".join(seen.values())
            for _, _, places, seen in self._columns
        )

    def changed(self, column: int = 0, latest: int | None = None) -> list[K]:
        """Return what reads differently than when it was last seen, and from now on as it does."""
        _, _, places, seen = self._columns[column]
        if latest is None or latest >= len(places):
            keys: list[K] = []
            now, before = b"".join(places.values()), b"".join(seen.values())
        else:
            keys = list(islice(reversed(places), latest))[::-1]
            now = b"".join([places[key] for key in keys])
            before = b"".join([seen[key] for key in keys])
        if now == before:
            return []
        found = [key for key in keys or places if bytes(places[key]) != seen[key]]
        for key in found:
            seen[key] = bytes(places[key])
        return found


class _TensorPointer:
    """A tensor object that can be pointed at what only C++ holds.

    `_saved_*` will not do: it runs hooks, checks versions and makes nodes.
    """

    def __init__(self) -> None:
        self._object = torch.empty(0)
        # The collector would take what this points at for its own.
        pythonapi.PyObject_GC_UnTrack(c_void_p(id(self._object)))
        self._own = self._object._cdata
        words = list((c_uint64 * 8).from_address(id(self._object)))
        self._pointer = c_uint64.from_address(id(self._object) + 8 * words.index(self._own))
        known = torch.empty(0)
        inside = list((c_uint64 * 16).from_address(known._cdata))
        self._back = 8 * inside.index(id(known))
        """Where a `TensorImpl` has the address of its Python object, if it has one."""

    @contextmanager
    def at(self, impl: int) -> Iterator[torch.Tensor]:
        # The lowest bit says who owns it.
        found = c_uint64.from_address(impl + self._back).value & ~1
        if found:
            yield object_at(found)
            return
        assert self._pointer.value == self._own
        self._pointer.value = impl
        try:
            yield self._object
        finally:
            self._pointer.value = self._own


_alias: _TensorPointer | None = None


@contextmanager
def saved_data(raw: object, impl: int) -> Iterator[torch.Tensor | None]:
    """Give what a `SavedTensor` holds, for as long as the block runs."""
    global _alias  # noqa: PLW0603  # a process has one
    if compat.SHOWS_DATA:
        yield raw.data  # type: ignore[attr-defined]
    elif not impl:
        yield None
    else:
        if _alias is None:
            _alias = _TensorPointer()
        with _alias.at(impl) as tensor:
            yield tensor
