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

from inplace_tui.worker.torch_memory import offsets
from inplace_tui.worker.torch_memory.live import Live, live
from inplace_tui.worker.torch_memory.offsets import LayoutError, address_of

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
    counter, version = offsets.counter(leaf)
    memory, nbytes = offsets.memory()
    meta = offsets.pointer_to_meta(leaf)
    return Layout(
        counter=counter,
        version=version,
        meta=meta,
        attr_version=offsets.attr_version(leaf, meta),
        saved_version=offsets.saved_version(leaf),
        memory=memory,
        nbytes=nbytes,
    )
