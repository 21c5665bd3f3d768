"""Looks for where torch keeps its numbers, on the build that runs."""

from __future__ import annotations

from ctypes import c_uint32, c_uint64

import torch

from inplace_tui.worker.compat import set_version

_SCAN = 384
"""Bytes looked at; longer than the longest of the structures on any build seen."""

_MAGIC = (0x5A17_1337, 0x2B0B_CAFE)

_HEADER = 16
"""Bytes of the header of a Python object."""


class LayoutError(RuntimeError):
    """This torch keeps its numbers where they were not found."""


def counter(leaf: torch.Tensor) -> tuple[int, int]:
    """Find the pointer to the version counter, and in there the version."""
    other = leaf * 1
    words, alias, apart = (_words(t) for t in (other, other.detach(), other.data))
    found = [i for i, word in enumerate(words) if word and word == alias[i] != apart[i]]
    if len(found) != 1:
        raise LayoutError("the pointer to the version counter was not found")
    return found[0] * 8, _find(other, words[found[0]], span=32)


def pointer_to_meta(leaf: torch.Tensor) -> int:
    """Find the one pointer of a view that a tensor without a history lacks."""
    words, plain = _words((leaf * 1)[:2]), _words((leaf.detach() * 1)[:2].detach())
    found = [i for i, word in enumerate(words[:8]) if word > 4096 and plain[i] == 0]
    if len(found) != 1:
        raise LayoutError("the pointer to the autograd metadata was not found")
    return found[0] * 8


def attr_version(leaf: torch.Tensor, meta: int) -> int:
    """Find the version at which the `grad_fn` of a view was made."""
    base = leaf * 1
    view = base[:2]
    address = c_uint64.from_address(view._cdata + meta).value
    return _find(base, address, refresh=view)


def saved_version(leaf: torch.Tensor) -> int:
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


def memory() -> tuple[int, int]:
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
