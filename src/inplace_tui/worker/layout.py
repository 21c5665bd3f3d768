"""Where torch keeps numbers that its Python side gives out only by acting, or slowly.

Reading `grad_fn` or `is_leaf` of an outdated view makes a node, or raises;
`SavedTensor.unpack()` does the same to a saved view; the saved version has no
attribute at all. All three lie in plain memory, at offsets that differ between
builds, so they are looked for once a process: magic version numbers are set on
small tensors and found again. So are the bytes that tell where the elements of
a tensor and the memory of a storage are: as long as they are as they were,
neither has moved, and nothing else of it needs to be asked.
"""

from __future__ import annotations

import ctypes
from ctypes import c_uint32, c_uint64, string_at
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import NamedTuple

import torch

from inplace_tui.worker.gather import NOTHING, live

_SCAN = 384
"""Bytes looked at; longer than the longest of the structures on any build seen."""

_META = 256
"""Likewise, of the autograd metadata."""

_ATTEMPTS = 10
_MAGIC = (0x5A17_1337, 0x2B0B_CAFE)

INLINE = 5
"""Dimensions of which torch keeps the sizes in the tensor, not in memory of their own."""

_WORD = c_uint64
_FLAGS = Struct("=I4x5?")
"""The version of a `SavedVariable` and what follows it."""


class LayoutError(RuntimeError):
    """This torch keeps its numbers where they were not found."""


class Slot(NamedTuple):
    """What one `SavedVariable` says of itself."""

    impl: int
    """Address of the `TensorImpl` that it holds."""

    version: int
    """The version when it was saved."""

    empty: bool
    """Nothing was ever saved in it."""

    leaf: bool
    """It was a leaf when it was saved."""

    original: bool
    """It holds the tensor itself, not another one on the same memory."""

    output: bool
    """It is a result of its own node."""

    hooked: bool
    """Packed by a hook."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Offsets in bytes."""

    counter: int
    """Of the pointer to the version counter, in a `TensorImpl`."""

    version: int
    """Of the number, in a version counter."""

    meta: int
    """Of the pointer to the autograd metadata, in a `TensorImpl`."""

    attr_version: int
    """Of the version at which a view's `grad_fn` was made, in that metadata."""

    saved_version: int
    """In a `SavedVariable`; its flags follow 8 bytes later, its hooks 16."""

    tensor: tuple[int, int]
    """First and last of a `TensorImpl`: storage, counter, sizes, strides, offset."""

    storage: tuple[int, int]
    """Likewise of a `StorageImpl`: where its memory is and how much."""

    autograd: tuple[int, int]
    """Likewise of the autograd metadata: gradient and node."""

    flags: tuple[int, int]
    """Likewise: `requires_grad` and `retains_grad`."""

    wrapper: int
    """Of the pointer to the `TensorImpl`, in the Python object."""

    def place_of(self, tensor: torch.Tensor) -> memoryview:
        """Return the bytes, live, that move when it gets another place, shape or storage.

        They are to be trusted up to `INLINE` dimensions, and while the tensor
        lives or is held by a `_WeakTensorRef`.
        """
        first, last = self.tensor
        return live(tensor._cdata + first, last - first)

    def autograd_of(self, tensor: torch.Tensor) -> tuple[memoryview, memoryview]:
        """Return the bytes, live, that move when its gradient or its node does, or its flags.

        They can be read while the tensor lives and `place_of` reads the same:
        that has the pointer to them. No bytes while it has no such metadata.
        """
        meta = c_uint64.from_address(tensor._cdata + self.meta).value
        if meta == 0:
            return NOTHING, NOTHING
        (first, last), (flags, end) = self.autograd, self.flags
        return live(meta + first, last - first), live(meta + flags, end - flags)

    def wrapper_of(self, tensor: torch.Tensor) -> memoryview:
        """Return the bytes, live, that tell which `TensorImpl` a Python object has."""
        return live(id(tensor) + self.wrapper, 8)

    def memory_of(self, storage: torch.UntypedStorage) -> memoryview:
        """Return the bytes, live, that move when a storage gets other memory or loses it.

        They can be read while the storage lives or has a weak reference.
        """
        first, last = self.storage
        return live(storage._cdata + first, last - first)

    def counter_of(self, tensor: torch.Tensor) -> int:
        """Return the address of the version counter; 0 for an inference tensor.

        Tensors have the same counter exactly if they have the same address
        here, while one of them lives or is held by a `_WeakTensorRef`.
        """
        return c_uint64.from_address(tensor._cdata + self.counter).value

    def cell(self, counter: int) -> c_uint32:
        """Return the number in a counter, live: reading `.value` asks nobody."""
        return c_uint32.from_address(counter + self.version)

    def outdated(self, view: torch.Tensor) -> bool:
        """Whether torch would make a new `grad_fn` for this view when asked.

        Args:
            view: one whose `_is_view()` is true.
        """
        if not view.requires_grad:
            return False
        meta = c_uint64.from_address(view._cdata + self.meta).value
        return bool(c_uint32.from_address(meta + self.attr_version).value != view._version)

    def slot(self, raw: object) -> Slot:
        """Return what a `SavedTensor` (a `_raw_saved_*` attribute) holds."""
        saved = _address(raw)
        impl, hooks = _WORD.from_address(saved), _WORD.from_address(saved + self.saved_version + 16)
        version, empty, _, original, leaf, output = _FLAGS.unpack(
            string_at(saved + self.saved_version, _FLAGS.size)
        )
        return Slot(impl.value, version, empty, leaf, original, output, hooks.value != 0)


@cache
def measure() -> Layout:
    """Find the offsets on this build.

    Runs a few operations on three elements: not before a process may.

    Raises:
        LayoutError: they are not where any build was seen to have them.
    """
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
            # chance, and looked like an answer, shall lie elsewhere the next time.
            beside += [torch.ones(3, requires_grad=True) * 1 for _ in range(5)]
    raise failure


def _measured() -> Layout:
    leaf = torch.ones(3, requires_grad=True)
    counter, version = _counter(leaf)
    meta = _pointer_to_meta(leaf)
    return Layout(
        counter=counter,
        version=version,
        meta=meta,
        attr_version=_attr_version(leaf, meta),
        saved_version=_saved_version(leaf),
        tensor=_geometry(counter, meta),
        storage=_memory(),
        autograd=_autograd(meta),
        flags=_flags(meta),
        wrapper=_wrapper(leaf),
    )


def _counter(leaf: torch.Tensor) -> tuple[int, int]:
    other = leaf * 1
    words, alias, apart = (_words(t) for t in (other, other.detach(), other.data))
    found = [i for i, word in enumerate(words) if word and word == alias[i] != apart[i]]
    if len(found) != 1:
        raise LayoutError("the pointer to the version counter was not found")
    return found[0] * 8, _find(other, words[found[0]], span=32)


def _pointer_to_meta(leaf: torch.Tensor) -> int:
    """Find the one pointer of a view that a tensor without a history lacks."""
    words, plain = _words((leaf * 1)[:2]), _words((leaf.detach() * 1)[:2].detach())
    found = [i for i, word in enumerate(words[:8]) if word > 4096 and plain[i] == 0]
    if len(found) != 1:
        raise LayoutError("the pointer to the autograd metadata was not found")
    return found[0] * 8


def _attr_version(leaf: torch.Tensor, meta: int) -> int:
    base = leaf * 1
    view = base[:2]
    address = c_uint64.from_address(view._cdata + meta).value
    return _find(base, address, refresh=view)


def _saved_version(leaf: torch.Tensor) -> int:
    """Find it in a saved input and see that a saved output has it there too."""
    base = leaf * 1
    _set_version(base, _MAGIC[0])
    sine, exponential = base.sin().grad_fn, base.exp_().grad_fn
    assert sine is not None
    assert exponential is not None
    found = set(_offsets(_address(sine._raw_saved_self), _MAGIC[0], 96))
    found &= set(_offsets(_address(exponential._raw_saved_result), _MAGIC[0] + 1, 96))
    if len(found) != 1:
        raise LayoutError("the saved version was not found")
    return found.pop()


def _geometry(counter: int, meta: int) -> tuple[int, int]:
    """Find the strides and the offset of a tensor; the storage is what its head begins with.

    On `meta`, where the largest tensor takes no memory.
    """
    whole = torch.empty(1 << 40, dtype=torch.uint8, device="meta")
    found: set[int] | None = None
    for magic in _MAGIC:
        view = whole.as_strided((3,) * INLINE, (magic + 1,) * INLINE, magic)
        words = list((c_uint64 * (_SCAN // 8)).from_address(view._cdata))
        here = {i for i in range(INLINE, len(words)) if words[i] == magic}
        here = {i for i in here if words[i - INLINE : i] == [magic + 1] * INLINE}
        found = here if found is None else found & here
    if found is None or len(found) != 1:
        raise LayoutError("the place of a tensor was not found")
    last = found.pop() * 8
    first, other = torch.empty(3), torch.empty(3)
    held = [
        8 * i
        for i, (mine, its) in enumerate(zip(_words(first), _words(other), strict=True))
        if (mine, its) == (first.untyped_storage()._cdata, other.untyped_storage()._cdata)
    ]
    if len(held) != 1 or not held[0] < meta < last or not held[0] < counter < last:
        raise LayoutError("the storage of a tensor was not found")
    return held[0], last + 8


def _memory() -> tuple[int, int]:
    """Find the address and the size that a storage has."""
    at, of = set(range(8)), set(range(8))
    for size in (24_593, 40_961):
        storage = torch.frombuffer(bytearray(size), dtype=torch.uint8).untyped_storage()
        words = list((c_uint64 * 8).from_address(storage._cdata))
        at &= {i for i, word in enumerate(words) if word == storage.data_ptr()}
        of &= {i for i, word in enumerate(words) if word == size}
    if len(at) != 1 or len(of) != 1:
        raise LayoutError("the memory of a storage was not found")
    found = (at.pop() * 8, of.pop() * 8)
    return min(found), max(found) + 8


def _autograd(meta: int) -> tuple[int, int]:
    """Find the gradient and the node."""
    leaf = torch.ones(3, requires_grad=True)
    leaf.grad = torch.ones(3)
    result = leaf * 1
    ours, other = (c_uint64.from_address(t._cdata + meta).value for t in (leaf, result))
    found = _offset(ours, leaf.grad._cdata), _offset(other, _address(result.grad_fn))
    return min(found), max(found) + 8


def _flags(meta: int) -> tuple[int, int]:
    """Find what moves with `requires_grad` and `retains_grad`."""
    leaf = torch.ones(3, requires_grad=True)
    result = leaf * 1
    ours, other = (c_uint64.from_address(t._cdata + meta).value for t in (leaf, result))
    found: list[int] = []
    for address, change in (
        (ours, lambda: leaf.requires_grad_(False)),
        (other, result.retain_grad),
    ):
        before = ctypes.string_at(address, _META)
        change()
        after = ctypes.string_at(address, _META)
        here = [at for at in range(_META) if before[at] != after[at]]
        if not here:
            raise LayoutError("the flags of a tensor were not found")
        found.append(here[0])  # others are of what was made beside it meanwhile
    return min(found) // 8 * 8, max(found) // 8 * 8 + 8


def _wrapper(tensor: torch.Tensor) -> int:
    return _offset(id(tensor), tensor._cdata, 64)


def _offset(address: int, word: int, span: int = 256) -> int:
    """Return where a word is."""
    words = list((c_uint64 * (span // 8)).from_address(address))
    if words.count(word) != 1:
        raise LayoutError("a pointer was not found")
    return 8 * words.index(word)


def _find(
    tensor: torch.Tensor, address: int, *, refresh: torch.Tensor | None = None, span: int = _SCAN
) -> int:
    """Return the only offset that follows the version of `tensor`."""
    found: set[int] | None = None
    for magic in _MAGIC:
        _set_version(tensor, magic)
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


def _address(raw: object) -> int:
    """Return the C++ object in a pybind11 wrapper: the word after its header."""
    return c_uint64.from_address(id(raw) + 2 * ctypes.sizeof(ctypes.c_void_p)).value


def _set_version(tensor: torch.Tensor, version: int) -> None:
    torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))
