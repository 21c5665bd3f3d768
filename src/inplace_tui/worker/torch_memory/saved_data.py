"""What a `SavedTensor` holds, as a tensor, though only C++ may hold it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_uint64, c_void_p, pythonapi

import torch

from inplace_tui.worker import compat
from inplace_tui.worker.torch_memory.live import object_at


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
