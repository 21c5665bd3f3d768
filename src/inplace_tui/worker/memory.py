"""Storages by ordinal, and which of them hold other bytes than before.

Bytes are compared because not every write moves a version counter: `.data`,
numpy, ctypes, fused optimizers and batch norm's buffers do not. They are read
from raw memory: a torch operation would run in the program's own modes.
"""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import Array, c_char

import torch

from inplace_tui.model.snapshot import WHOLE_BYTES, Storage

SAMPLE_BYTES = 512
"""How much of each end of a larger storage is compared."""

_PRUNE_EVERY = 256


class Block:
    """One storage. Holds it weakly: its address can't be reused, its bytes can go."""

    __slots__ = ("_memory", "_place", "_weak", "data", "id", "nbytes", "readable", "stamp", "users")

    def __init__(self, ordinal: int, storage: torch.UntypedStorage) -> None:
        self.id = ordinal
        self.users = 0
        """Named tensors and saved slots that are known to hold it."""

        self.stamp = 0
        """Moves whenever its bytes or its size were seen to change."""

        self.readable = storage.device.type == "cpu"
        self.nbytes: int = storage.nbytes()
        self.data: tuple[bytes, ...] = ()
        """As last read: everything, or both ends of a large one."""

        self._weak: int = storage._weak_ref()
        self._place = (0, 0)
        self._memory: tuple[Array[c_char], ...] = ()
        self.refresh()

    def __del__(self) -> None:
        torch.UntypedStorage._free_weak_ref(self._weak)

    @property
    def is_whole(self) -> bool:
        """Whether `data` is everything in it."""
        return bool(self.readable and self.nbytes <= WHOLE_BYTES)

    def expired(self) -> bool:
        """Whether the storage is gone."""
        return bool(torch.UntypedStorage._expired(self._weak))

    def refresh(self) -> bool:
        """Read it again and return whether it changed."""
        storage = torch.UntypedStorage._new_with_weak_ptr(self._weak)
        if storage is None:
            return False
        if not self.readable:
            return self._resized(storage.nbytes())
        place = (storage.data_ptr(), storage.nbytes())
        if place != self._place:
            self._place = place
            self._memory = tuple(_views(*place))
        data = tuple([part.raw for part in self._memory])
        if data == self.data and place[1] == self.nbytes:
            return False
        self.data, self.nbytes = data, place[1]
        self.stamp += 1
        return True

    def describe(self) -> Storage:
        """Return what the screen is told of it."""
        whole = b"".join(self.data) if self.is_whole else None
        return Storage(id=self.id, nbytes=self.nbytes, data=whole)

    def _resized(self, nbytes: int) -> bool:
        if nbytes == self.nbytes:
            return False
        self.nbytes = nbytes
        self.stamp += 1
        return True


def _views(address: int, nbytes: int) -> Iterable[Array[c_char]]:
    if nbytes == 0 or address == 0:
        return
    if nbytes <= WHOLE_BYTES:
        yield (c_char * nbytes).from_address(address)
        return
    yield (c_char * SAMPLE_BYTES).from_address(address)
    yield (c_char * SAMPLE_BYTES).from_address(address + nbytes - SAMPLE_BYTES)


class Blocks:
    """Every storage seen that still lives."""

    def __init__(self) -> None:
        self._by_address: dict[int, Block] = {}
        self._sent: dict[int, int] = {}
        self._next = 1
        self._looks = 0

    def of(self, tensor: torch.Tensor) -> Block | None:
        """Return the storage of a tensor; None where its layout has none."""
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):
            return None
        block = self._by_address.get(storage._cdata)
        if block is None:
            block = self._by_address[storage._cdata] = Block(self._next, storage)
            self._next += 1
        return block

    def changed(self) -> list[Block]:
        """Compare all that are in use and return those that hold other bytes."""
        return [block for block in self._by_address.values() if block.users and block.refresh()]

    def news(self) -> tuple[tuple[Storage, ...], tuple[int, ...]]:
        """Return what the next step says: (new or changed, no longer held)."""
        held = [block for block in self._by_address.values() if block.users]
        sent = {block.id: block.stamp for block in held}
        if sent == self._sent:
            return (), ()
        changed = [block for block in held if self._sent.get(block.id) != block.stamp]
        freed = tuple(id_ for id_ in self._sent if id_ not in sent)
        self._sent = sent
        self._prune()
        return tuple(block.describe() for block in changed), freed

    def _prune(self) -> None:
        self._looks += 1
        if self._looks % _PRUNE_EVERY == 0:
            gone = [a for a, b in self._by_address.items() if not b.users and b.expired()]
            for address in gone:
                del self._by_address[address]
