"""Copies of what nodes save, which no later write can reach.

What two nodes save of the same tensor, as a layer saves what the one before it
made, is copied once if not a bit of it changed in between.
"""

from __future__ import annotations

from ctypes import CDLL, c_int, c_size_t, c_void_p
from typing import TypeAlias
from weakref import WeakValueDictionary

import torch

from inplace_tui.diagnosis.record.state.safe_reads import is_held, is_opaque, span_of

SPREAD = 4
"""A view that spans more than this many times its elements is not worth its gaps."""

SPREAD_BYTES = 2**20
"""Unless it is as small as this, gaps included."""

ALIGNED = 64
"""Bytes. Kernels take sums in another order where memory begins or lies otherwise, and a training
makes more than a rounding of the last bit: a copy begins as far behind a cache line's begin."""

MIN_BYTES = 131_072
"""Bytes from which on a copy is shared: to look for that of a smaller tensor costs more."""

Place: TypeAlias = tuple[int, torch.dtype, torch.Size, tuple[int, ...]]

_compare = CDLL(None).memcmp
_compare.argtypes = (c_void_p, c_void_p, c_size_t)
_compare.restype = c_int


class Copy:
    """A copy that several nodes may hold."""

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


class Copies:
    """The copies that nodes hold just now."""

    def __init__(self) -> None:
        self._latest: WeakValueDictionary[Place, Copy] = WeakValueDictionary()

    def shared(self, tensor: torch.Tensor) -> Copy | torch.Tensor:
        """Return a copy of a detached tensor, or the one that was made when it held the same bits.

        Raises:
            BufferError: there is nothing to read.
        """
        nbytes = tensor.numel() * tensor.element_size()
        if nbytes < MIN_BYTES or not _is_block(tensor):
            return copied(tensor)
        address = tensor.data_ptr()
        place = (address, tensor.dtype, tensor.shape, tensor.stride())
        latest = self._latest.get(place)
        # Bits, not values: -0.0 equals 0.0, and a NaN nothing.
        if latest is not None and _compare(address, latest.tensor.data_ptr(), nbytes) == 0:
            return latest
        made = self._latest[place] = Copy(copied(tensor))
        return made


def copied(tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy that lies as the tensor does: its strides, also where elements share memory.

    Raises:
        BufferError: there is nothing to read.
    """
    if is_opaque(tensor) or tensor.layout is not torch.strided or tensor.is_nested:
        return tensor.clone()
    if not is_held(tensor):
        raise BufferError("its storage was resized to less than it needs")
    if not tensor.is_cpu or tensor.is_conj() or tensor.is_neg():
        return tensor.clone()
    start = tensor.data_ptr() % ALIGNED // tensor.element_size()
    if not start and tensor.is_contiguous():
        return tensor.clone()
    count, span = tensor.numel(), span_of(tensor)
    if not count or (span > SPREAD * count and span > SPREAD_BYTES // tensor.element_size()):
        return tensor.clone()
    whole = tensor.new_empty(start + span)
    whole[start:].copy_(tensor.as_strided((span,), (1,)))
    return whole.as_strided(tensor.shape, tensor.stride(), start)


def _is_block(tensor: torch.Tensor) -> bool:
    return (
        not is_opaque(tensor)
        and tensor.layout is torch.strided
        and tensor.is_cpu
        and tensor.is_contiguous()
        and not (tensor.is_conj() or tensor.is_neg() or tensor.is_quantized or tensor.is_nested)
        and not tensor._is_zerotensor()
        and is_held(tensor)
    )
