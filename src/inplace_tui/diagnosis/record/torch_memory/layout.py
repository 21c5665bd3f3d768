"""Offsets of what is read from torch's memory, and why each has to be.

They differ between builds, so they are looked for: magic version numbers are set on small
tensors and found again.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from ctypes import c_uint32, c_uint64
from dataclasses import asdict, dataclass
from functools import cache
from struct import Struct

import msgspec
import torch

from inplace_tui.diagnosis.record.compat import set_version
from inplace_tui.diagnosis.record.torch_memory.live import Live, live

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
    with suppress(OSError):  # no process to be had
        reading, writing = os.pipe()
        with open(reading, "rb") as reader:
            try:
                pid = os.fork()
                if pid == 0:
                    try:
                        os.write(writing, _offsets_report())
                    finally:
                        os._exit(0)
            finally:
                os.close(writing)
            found = reader.read()
        os.waitpid(pid, 0)
        if found:
            match json.loads(found):
                case str(failure):
                    raise LayoutError(failure)
                case known:
                    _known = Layout(**known)


def _offsets_report() -> bytes:
    """Return the offsets, or why they were not found."""
    try:
        return json.dumps(asdict(measure())).encode()
    except LayoutError as failure:
        return json.dumps(str(failure)).encode()


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
    counter, version = _find_counter(leaf)
    memory, nbytes = _find_memory()
    meta = _find_meta(leaf)
    return Layout(
        counter=counter,
        version=version,
        meta=meta,
        attr_version=_find_attr_version(leaf, meta),
        saved_version=_find_saved_version(leaf),
        memory=memory,
        nbytes=nbytes,
    )


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
    found: set[int] | None = None
    for magic in _MAGIC:
        set_version(tensor, magic)
        if refresh is not None:
            _ = refresh.grad_fn
        here = set(_offsets(address, magic, span))
        found = here if found is None else found & here
    if found is None or len(found) != 1:
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
