"""What is read from torch's memory: the only place that knows a private layout.

Each reading has its reason at the field of `Layout` that it is done with. The offsets are
looked for when a worker starts, on the build that runs, in a process of their own. Nothing is
read beyond an object: the allocator says how large one is; of a `SavedVariable`, which lies
within a node, the distance to the next one does. So it is done on Linux alone, and elsewhere, or
where an offset is not found, `torch_asked` takes its place.
"""

from __future__ import annotations

import sys
from _ctypes import PyObj_FromPtr
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CDLL, Array, c_size_t, c_ubyte, c_uint32, c_uint64, c_void_p, pythonapi
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from struct import Struct
from typing import ClassVar, TypeAlias

import torch

from inplace_tui.diagnosis.record import compat
from inplace_tui.diagnosis.record.compat import set_version
from inplace_tui.diagnosis.record.readings import Look, Readings, Slot

Live: TypeAlias = "Array[c_ubyte] | bytes"

NOTHING = b""
"""Where nothing is."""


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


BYTES = Look(b"".join, bytes, b"".join)


class _TensorPointer:
    """A tensor object that can be pointed at what only C++ holds.

    `_saved_*` will not do: it runs hooks, checks versions and makes nodes.
    """

    def __init__(self) -> None:
        self._object = torch.empty(0)
        # The collector would take what this points at for its own.
        pythonapi.PyObject_GC_UnTrack(c_void_p(id(self._object)))
        self._own = self._object._cdata
        count = type(self._object).__basicsize__ // 8
        words = list((c_uint64 * count).from_address(id(self._object)))
        self._pointer = c_uint64.from_address(id(self._object) + 8 * words.index(self._own))
        known = torch.empty(0)
        self._back = 8 * _words(known._cdata).index(id(known))
        """Where a `TensorImpl` has the address of its Python object, if it has one."""

    @contextmanager
    def at(self, impl: int) -> Iterator[torch.Tensor]:
        # The lowest bit says who owns it.
        found = c_uint64.from_address(impl + self._back).value & ~1
        if found:
            yield PyObj_FromPtr(found)
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


_ATTEMPTS = 10
_WORD = Struct("=Q")


@dataclass(frozen=True)
class Layout(Readings):
    """Offsets in bytes."""

    counter: int
    """Of the pointer to the version counter, in a `TensorImpl`. Nothing in Python says which
    tensors share a counter: a `detach()` does, a `.data` does not."""

    version: int
    """Of the number, in a version counter. A saved tensor must not be held for its `_version`,
    and to fetch it through its node at every line takes time with the square of the graph."""

    meta: int
    """Of the pointer to the autograd metadata, in a `TensorImpl`."""

    attr_version: int
    """Of the version at which a view's `grad_fn` was made, in that metadata. To ask an outdated
    view for its `grad_fn` makes a node, or raises."""

    saved_version: int
    """In a `SavedVariable`; its flags follow 8 bytes later, its hooks 16. It has no attribute,
    and `unpack()` makes a node for a saved view."""

    memory: int
    """Of the address of its memory, in a `StorageImpl`. Where that was given back, reading the
    elements would be a segmentation fault; a weakly held storage can't be asked in time."""

    nbytes: int
    """Of how much that is."""

    versions: ClassVar[Look] = BYTES
    memories: ClassVar[Look] = BYTES
    knows_age: ClassVar[bool] = True

    def reference(self, tensor: torch.Tensor) -> Callable[[], torch.Tensor]:
        return partial(PyObj_FromPtr, id(tensor))

    def counter_of(self, tensor: torch.Tensor) -> int | None:
        # The pointer is null for an inference tensor.
        return c_uint64.from_address(tensor._cdata + self.counter).value or None

    def cell(self, counter: int) -> Live:
        return live(counter + self.version, 4)

    def version_in(self, seen: bytes) -> int:
        return int.from_bytes(seen, sys.byteorder)

    def moved(self, counter: int, tensor: torch.Tensor) -> None:
        """Its address is the counter: nothing is kept of it."""

    def release(self, counter: int) -> None:
        """Likewise."""

    def head(self, storage: torch.UntypedStorage, _weak: int) -> Live:
        first, last = self.memory, self.nbytes
        if last < first:
            first, last = last, first
        return live(storage._cdata + first, last - first + 8)

    def memory_in(self, seen: bytes) -> tuple[int, int]:
        first: int = _WORD.unpack_from(seen)[0]
        last: int = _WORD.unpack_from(seen, len(seen) - 8)[0]
        return (first, last) if self.memory < self.nbytes else (last, first)

    def outdated(self, view: torch.Tensor) -> bool:
        if not view.requires_grad:
            return False
        meta = c_uint64.from_address(view._cdata + self.meta).value
        return bool(c_uint32.from_address(meta + self.attr_version).value != view._version)

    def note_fresh(self, view: torch.Tensor) -> None:
        """The view says it itself: nothing is kept of it."""

    def let_go(self, tensor: torch.Tensor) -> None:
        """Likewise."""

    def holder(self, raw: object) -> tuple[int, bool]:
        held = self.read_slot(raw)
        return held.impl, bool(held.hooked)

    def slot(self, raw: object, _fn: torch.autograd.graph.Node, _name: str) -> Slot:
        return self.read_slot(raw)

    def read_slot(self, raw: object) -> Slot:
        saved = _saved(self.saved_version)
        return Slot(*saved.unpack(live(address_of(raw), saved.size)))


@cache
def _saved(version: int) -> Struct:
    """Return the form of a `SavedVariable`: tensor, version, flags, hooks."""
    return Struct(f"=Q{version - 8}xI4x?x3?3xQ")


_known: Layout | None = None


def measure() -> Layout:
    """Return the offsets on this build.

    Runs a few operations on three elements if they are not known yet: not before a
    process may.

    Raises:
        LayoutError: they are not where any build was seen to have them.
    """
    global _known  # noqa: PLW0603  # a build has one
    if _known is None:
        _known = _agreed()
    return _known


def _agreed() -> Layout:
    """Return what two measurements agree on."""
    beside: list[torch.Tensor] = []
    seen: list[Layout] = []
    failure = LayoutError("no two measurements agree")
    with torch.enable_grad(), torch.inference_mode(False), torch.device("cpu"):
        for _ in range(_ATTEMPTS):
            try:
                found = _measured()
            except LayoutError as error:
                failure = error
            else:
                if found in seen:
                    return found
                seen.append(found)
            # What looked like an answer by chance has to lie elsewhere the next time.
            beside += [torch.ones(3, requires_grad=True) * 1 for _ in range(5)]
    raise failure


def _measured() -> Layout:
    leaf = torch.ones(3, requires_grad=True)
    counter, memory, meta = _find_counter(leaf), _find_memory(), _find_meta(leaf)
    attr_version, saved_version = _find_attr_version(leaf, meta), _find_saved_version(leaf)
    return Layout(*counter, meta, attr_version, saved_version, *memory)


_MAGIC = (0x5A17_1337, 0x2B0B_CAFE)

_HEADER = 16
"""Bytes of the header of a Python object."""


class LayoutError(RuntimeError):
    """This torch keeps its numbers where they were not found."""


def _find_counter(leaf: torch.Tensor) -> tuple[int, int]:
    """Find the pointer to the version counter, and in there the version."""
    other = leaf * 1
    words, alias, apart = (_words(t._cdata) for t in (other, other.detach(), other.data))
    found = [i for i, word in enumerate(words) if word and word == alias[i] != apart[i]]
    if len(found) != 1:
        raise LayoutError("the pointer to the version counter was not found")
    return found[0] * 8, _find(other, words[found[0]])


def _find_meta(leaf: torch.Tensor) -> int:
    """Find the one pointer of a view that a tensor without a history lacks."""
    view, other = (leaf * 1)[:2], (leaf.detach() * 1)[:2].detach()
    both = list(zip(_words(view._cdata), _words(other._cdata), strict=False))[:8]
    found = [i for i, (word, plain) in enumerate(both) if word > 4096 and plain == 0]
    if len(found) != 1:
        raise LayoutError("the pointer to the autograd metadata was not found")
    return found[0] * 8


def _find_attr_version(leaf: torch.Tensor, meta: int) -> int:
    """Find the version at which the `grad_fn` of a view was made."""
    base = leaf * 1
    view = base[:2]
    address = c_uint64.from_address(view._cdata + meta).value
    return _find(base, address, refresh=view)


def _find_saved_version(leaf: torch.Tensor) -> int:
    """Find it in a saved input and see that a saved output has it there too."""
    base = leaf * 1
    set_version(base, _MAGIC[0])
    square = (base * base).grad_fn
    exponential = base.exp_().grad_fn
    assert square is not None
    assert exponential is not None
    first, second = sorted(map(address_of, (square._raw_saved_self, square._raw_saved_other)))
    found = _offsets(first, _MAGIC[0], second - first)
    result = address_of(exponential._raw_saved_result)
    if len(found) != 1 or _saved(found[0]).size > second - first:
        raise LayoutError("the saved version was not found")
    if c_uint32.from_address(result + found[0]).value != _MAGIC[0] + 1:
        raise LayoutError("a result has its saved version elsewhere")
    return found[0]


def _find_memory() -> tuple[int, int]:
    """Find the address and the size that a storage has."""
    at, of = set(range(8)), set(range(8))
    for size in (24_593, 40_961):
        storage = torch.frombuffer(bytearray(size), dtype=torch.uint8).untyped_storage()
        words = _words(storage._cdata)[:8]
        at &= {i for i, word in enumerate(words) if word == storage.data_ptr()}
        of &= {i for i, word in enumerate(words) if word == size}
    if len(at) != 1 or len(of) != 1:
        raise LayoutError("the memory of a storage was not found")
    return at.pop() * 8, of.pop() * 8


def _find(tensor: torch.Tensor, address: int, *, refresh: torch.Tensor | None = None) -> int:
    """Return the only offset in an object that follows the version of `tensor`."""
    span = _size(address)
    found = set(range(span))
    for magic in _MAGIC:
        set_version(tensor, magic)
        if refresh is not None:
            _ = refresh.grad_fn
        found &= set(_offsets(address, magic, span))
    if len(found) != 1:
        raise LayoutError("a version was not found")
    return found.pop()


def _offsets(address: int, number: int, span: int) -> list[int]:
    numbers = (c_uint32 * (span // 4)).from_address(address)
    return [4 * i for i, found in enumerate(numbers) if found == number]


def _words(address: int) -> list[int]:
    """Return an object of C++ as numbers: 16 at most, which is where all is that is sought."""
    return list((c_uint64 * min(16, _size(address) // 8)).from_address(address))


def _size(address: int) -> int:
    """Return how many bytes there are of an object that was allocated by itself."""
    try:
        size = CDLL(None).malloc_usable_size
    except AttributeError:
        raise LayoutError("the allocator does not say how large an object is") from None
    size.argtypes, size.restype = [c_void_p], c_size_t
    found: int = size(address)
    return found


def address_of(raw: object) -> int:
    """Return the C++ object in a pybind11 wrapper: the word after its header."""
    assert type(raw).__basicsize__ >= _HEADER + 8
    return c_uint64.from_address(id(raw) + _HEADER).value
