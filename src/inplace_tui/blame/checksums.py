"""What a tensor held, or a checksum of it: as long as they are alike, not a bit has changed.

Of what lies in the machine's own memory the checksum is Python's SipHash, 64 bits with a key that
is drawn for each process: a gigabyte a second or two, and nothing is copied. To copy small
tensors, and to compare those copies, takes a fifth of the time.
"""

from __future__ import annotations

from ctypes import Array, c_char, string_at
from functools import lru_cache
from typing import Any

MAX_BYTES = 16 * 2**20
"""Of a tensor that are looked at: of a larger one as many, in `PIECES` at equal distances."""

COPIED, MOST_COPIED = 128 * 2**10, 64 * 2**20
"""Bytes of a tensor that is copied, and of all copies between two backwards, at most."""

PIECES = 1024
MAX_VIEWS = 4096

_views: dict[tuple[int, int], memoryview] = {}
"""By address and size. Whether there is memory, a living tensor says: nothing else is read."""

_ODD = 0x1E3779B97F4A7C15
"""Mixes the bits of each element with its place, so that no two changes make up for each other."""


def hash_of_memory(address: int, size: int) -> int:
    """Return the hash of so many bytes. To make a view of them takes longer than to use one."""
    view = _views.get((address, size))
    if view is None:
        if len(_views) >= MAX_VIEWS:
            _views.clear()
        memory = _immutable(size).from_address(address)
        view = _views[address, size] = memoryview(memory).cast("B").toreadonly()
    return hash(view[:])  # a view remembers its hash


@lru_cache(maxsize=256)
def _immutable(size: int) -> type[Array[c_char]]:
    """Return the type of memory that claims not to change: nothing else has a hash."""
    return type("Memory", (c_char * size,), {"__hash__": object.__hash__})


class Checksums:
    """Makes checksums of tensors. No mode may be on."""

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self._plain = frozenset({torch.Tensor, torch.nn.Parameter})
        self._integers = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
        self._known: dict[tuple[int, int, bool], int | bytes] = {}
        """Those of the memory that was looked at since nobody else ran."""

        self._copied = 0
        """Bytes since the last backward."""

        self.has_sampled = False
        """Whether a tensor was larger than `MAX_BYTES`."""

    def forget(self) -> None:
        """From now on, look at all memory again."""
        self._known.clear()

    def begin(self) -> None:
        """A backward begins: what was copied for it is needed no more when it is over."""
        self.forget()
        self._copied = 0

    def of(self, tensor: Any, storage: Any, before: Any = None) -> Any:
        """Return what changes when a value does, of the kind of `before`; None if unreadable.

        Of a tensor on a device it stays there until it is compared: nothing waits for the device
        while the graph is built.
        """
        width, cells = tensor.element_size(), tensor.numel()
        if not tensor.is_contiguous():
            cells = _cells(tensor.shape, tensor.stride())
        span = cells or sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) + 1
        if storage.nbytes() < (tensor.storage_offset() + span) * width:
            return None  # resized to nothing: to read it would be to crash
        size = cells * width
        if 0 < size <= MAX_BYTES and tensor.is_cpu and type(tensor) in self._plain:
            is_copied = type(before) is bytes if before is not None else self._is_to_copy(size)
            address = tensor.data_ptr()
            known = self._known.get((address, size, is_copied))
            if known is None and address:
                known = string_at(address, size) if is_copied else hash_of_memory(address, size)
                self._known[address, size, is_copied] = known
                self._copied += size if is_copied and before is None else 0
            return known
        if tensor.layout is not self._torch.strided or tensor.is_meta or not tensor.numel():
            return None
        with self._torch.no_grad():
            return self._of_copy(tensor.detach(), cells)

    def _is_to_copy(self, size: int) -> bool:
        return size <= COPIED and self._copied + size <= MOST_COPIED

    def _of_copy(self, tensor: Any, cells: int) -> Any:
        """Return the same of elements that are not here, not side by side, or too many."""
        torch = self._torch
        copy = self._sampled(tensor, cells).resolve_conj().resolve_neg().contiguous()
        if copy.is_cpu and type(copy) in self._plain:
            return hash_of_memory(copy.data_ptr(), copy.numel() * copy.element_size())
        real = torch.view_as_real(copy) if copy.is_complex() else copy
        bits = real.reshape(-1).view(self._integers[real.element_size()]).long()
        mixed = bits ^ torch.arange(bits.numel(), device=bits.device) * _ODD
        mixed = (mixed ^ mixed >> 32) * _ODD
        total = (mixed ^ mixed >> 29).sum()  # all wraps around: it is a number to compare only
        return int(total) if total.is_cpu else total

    def _sampled(self, tensor: Any, cells: int) -> Any:
        """Return as much of a tensor as is looked at."""
        width = tensor.element_size()
        if (cells or tensor.numel()) * width <= MAX_BYTES:
            return tensor
        self.has_sampled = True
        if not cells:
            size, longest = max((size, at) for at, size in enumerate(tensor.shape))
            every = min(size, -(-tensor.numel() * width // MAX_BYTES))
            return tensor[(slice(None),) * longest + (slice(None, None, every),)]
        length, begin = MAX_BYTES // PIECES // width, tensor.storage_offset()
        apart = (cells - length) // (PIECES - 1)
        last = tensor.as_strided((1, length), (length, 1), begin + cells - length)
        return self._torch.cat([tensor.as_strided((PIECES, length), (apart, 1), begin), last])


@lru_cache(maxsize=1024)
def _cells(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Return how many cells elements lie in, side by side in any order; 0 if they do not."""
    cells = 1
    for step, size in sorted(zip(strides, shape)):
        if step and size > 1:
            if step != cells:
                return 0
            cells *= size
    return cells
