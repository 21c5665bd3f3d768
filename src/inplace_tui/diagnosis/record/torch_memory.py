"""What is read from torch's memory: the only place that knows a private layout.

Each reading has its reason at the field of `Layout` that it is done with. The offsets are
looked for when a process starts, on the build that runs; where they are not found, nothing
is recorded, and that is said.
"""

from __future__ import annotations

import json
import mmap
import os
from _ctypes import PyObj_FromPtr
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import Array, c_ubyte, c_uint32, c_uint64, c_void_p, pythonapi
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from itertools import islice
from operator import attrgetter
from struct import Struct
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import torch

from inplace_tui.diagnosis.record import compat
from inplace_tui.diagnosis.record.compat import set_version

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


_ATTEMPTS = 10
_WORD = Struct("=Q")


class Slot(msgspec.Struct, frozen=True, gc=False):
    """What one `SavedVariable` says of itself."""

    impl: int
    """Address of the `TensorImpl` that it holds."""

    version: int
    """The version when it was saved."""

    empty: bool
    """Nothing was ever saved in it."""

    original: bool
    """It holds the tensor itself, not another one on the same memory."""

    leaf: bool
    """It was a leaf when it was saved."""

    output: bool
    """It is a result of its own node."""

    hooked: int
    """Address of what packed it; 0 if no hook did."""


@dataclass(frozen=True, slots=True)
class Layout:
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

    def memory_of(self, storage: torch.UntypedStorage) -> Live:
        """Return the bytes, live, that move when a storage gets other memory or loses it.

        They can be read while the storage lives or has a weak reference.
        """
        first, last = self.memory, self.nbytes
        if last < first:
            first, last = last, first
        return live(storage._cdata + first, last - first + 8)

    def memory_in(self, head: bytes) -> tuple[int, int]:
        """Return where the memory of a storage is, and how many bytes."""
        first: int = _WORD.unpack_from(head)[0]
        last: int = _WORD.unpack_from(head, len(head) - 8)[0]
        return (first, last) if self.memory < self.nbytes else (last, first)

    def counter_of(self, impl: int) -> int:
        """Return the address of the version counter; 0 for an inference tensor.

        Tensors have the same counter exactly if they have the same address
        here, while one of them lives or is held by a `_WeakTensorRef`.
        """
        return c_uint64.from_address(impl + self.counter).value

    def cell(self, counter: int) -> Live:
        return live(counter + self.version, 4)

    def outdated(self, view: torch.Tensor) -> bool:
        """Whether torch would make a new `grad_fn` for this view when asked."""
        if not view.requires_grad:
            return False
        meta = c_uint64.from_address(view._cdata + self.meta).value
        return bool(c_uint32.from_address(meta + self.attr_version).value != view._version)

    def slot(self, raw: object) -> Slot:
        """Return what a `SavedTensor` (a `_raw_saved_*` attribute) holds."""
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


def measure_in_child() -> None:
    """Have a process of their own find the offsets, for all that are forked from this one.

    To find them takes a third of a short run. Without a process, each run tries by itself.

    Raises:
        LayoutError: as for `measure`.
    """
    global _known  # noqa: PLW0603
    if _known is not None:
        return
    with suppress(OSError), mmap.mmap(-1, mmap.PAGESIZE) as shared:  # no process to be had
        pid = os.fork()
        if pid == 0:
            try:
                shared.write(json.dumps(asdict(measure())).encode())
            except LayoutError as failure:
                shared.write(json.dumps(str(failure)).encode())
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        if found := shared[:].rstrip(b"\0"):
            match json.loads(found):
                case str(reason):
                    raise LayoutError(reason)
                case known:
                    _known = Layout(**known)


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
            # Memory is looked at beyond the ends of what is in it. What lay there by
            # chance, and looked like an answer, has to lie elsewhere the next time.
            beside += [torch.ones(3, requires_grad=True) * 1 for _ in range(5)]
    raise failure


def _measured() -> Layout:
    leaf = torch.ones(3, requires_grad=True)
    counter, memory, meta = _find_counter(leaf), _find_memory(), _find_meta(leaf)
    attr_version, saved_version = _find_attr_version(leaf, meta), _find_saved_version(leaf)
    return Layout(*counter, meta, attr_version, saved_version, *memory)


_SCAN = 384
"""Bytes looked at; longer than the longest of the structures on any build seen."""

_MAGIC = (0x5A17_1337, 0x2B0B_CAFE)

_HEADER = 16
"""Bytes of the header of a Python object."""


class LayoutError(RuntimeError):
    """This torch keeps its numbers where they were not found."""


def _find_counter(leaf: torch.Tensor) -> tuple[int, int]:
    """Find the pointer to the version counter, and in there the version."""
    other = leaf * 1
    words, alias, apart = (_words(t) for t in (other, other.detach(), other.data))
    found = [i for i, word in enumerate(words) if word and word == alias[i] != apart[i]]
    if len(found) != 1:
        raise LayoutError("the pointer to the version counter was not found")
    return found[0] * 8, _find(other, words[found[0]], span=32)


def _find_meta(leaf: torch.Tensor) -> int:
    """Find the one pointer of a view that a tensor without a history lacks."""
    words, plain = _words((leaf * 1)[:2]), _words((leaf.detach() * 1)[:2].detach())
    found = [i for i, word in enumerate(words[:8]) if word > 4096 and plain[i] == 0]
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
    sine, exponential = base.sin().grad_fn, base.exp_().grad_fn
    assert sine is not None
    assert exponential is not None
    found = set(_offsets(address_of(sine._raw_saved_self), _MAGIC[0], 96))
    found &= set(_offsets(address_of(exponential._raw_saved_result), _MAGIC[0] + 1, 96))
    if len(found) != 1:
        raise LayoutError("the saved version was not found")
    return found.pop()


def _find_memory() -> tuple[int, int]:
    """Find the address and the size that a storage has."""
    at, of = set(range(8)), set(range(8))
    for size in (24_593, 40_961):
        storage = torch.frombuffer(bytearray(size), dtype=torch.uint8).untyped_storage()
        words = list((c_uint64 * 8).from_address(storage._cdata))
        at &= {i for i, word in enumerate(words) if word == storage.data_ptr()}
        of &= {i for i, word in enumerate(words) if word == size}
    if len(at) != 1 or len(of) != 1:
        raise LayoutError("the memory of a storage was not found")
    return at.pop() * 8, of.pop() * 8


def _find(
    tensor: torch.Tensor, address: int, *, refresh: torch.Tensor | None = None, span: int = _SCAN
) -> int:
    """Return the only offset that follows the version of `tensor`."""
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


def _words(tensor: torch.Tensor) -> list[int]:
    return list((c_uint64 * 16).from_address(tensor._cdata))


def address_of(raw: object) -> int:
    """Return the C++ object in a pybind11 wrapper: the word after its header."""
    return c_uint64.from_address(id(raw) + _HEADER).value
