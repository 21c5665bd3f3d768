"""Storages by ordinal, and which of them hold other bytes than before.

Bytes are compared because not every write moves a version counter: `.data`,
numpy, ctypes, fused optimizers and batch norm's buffers do not. They are read
from raw memory: a torch operation would run in the program's own modes.
"""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import Array, c_char
from itertools import islice

import torch

from inplace_tui.model.snapshot import WHOLE_BYTES, Storage
from inplace_tui.worker.layout import measure

SAMPLE_BYTES = 512
"""How much of each end of a larger storage is compared."""

HOT = 256
"""Saved storages without a name that are compared at every line; the latest."""

_PRUNE_EVERY = 256


_alive = torch.UntypedStorage._new_with_weak_ptr


class Block:
    """One storage. Holds it weakly: its address can't be reused, its bytes can go."""

    __slots__ = (
        "data",
        "head",
        "id",
        "memory",
        "names",
        "nbytes",
        "place",
        "readable",
        "seen",
        "sent",
        "slots",
        "stamp",
        "weak",
    )

    def __init__(self, ordinal: int, storage: torch.UntypedStorage) -> None:
        self.id = ordinal
        self.names = 0
        """How many named tensors are on it."""

        self.slots = 0
        """How many saved slots hold it."""

        self.sent = 0
        """Its stamp when the screen was last told of it; 0 if it is not on the screen."""

        self.stamp = 1
        """Moves whenever its bytes or its size were seen to change."""

        self.readable = storage.device.type == "cpu" and _has_memory(storage)
        self.nbytes: int = storage.nbytes()
        self.data: list[bytes] = []
        """As last read: everything, or both ends of a large one."""

        self.weak: int = storage._weak_ref()
        self.head = measure().memory_of(storage)
        """Where its memory is: live bytes, which the weak reference keeps."""

        self.seen = b""
        """As they were when it was last read."""

        self.place = (0, 0)
        self.memory: list[Array[c_char]] = []
        self.refresh()

    def __del__(self) -> None:
        torch.UntypedStorage._free_weak_ref(self.weak)

    @property
    def is_whole(self) -> bool:
        """Whether `data` is everything in it."""
        return bool(self.readable and self.nbytes <= WHOLE_BYTES)

    def expired(self) -> bool:
        """Whether the storage is gone."""
        return bool(torch.UntypedStorage._expired(self.weak))

    def refresh(self) -> bool:
        """Read it again and return whether it changed."""
        storage = _alive(self.weak)
        if storage is None:
            return False
        if not self.readable:
            return self._resized(storage.nbytes())
        place = (storage.data_ptr(), storage.nbytes())
        self.seen = self.head.raw
        if place != self.place:
            self.place = place
            self.memory = list(_views(*place))
        data = [part.raw for part in self.memory]
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


def _has_memory(storage: torch.UntypedStorage) -> bool:
    """Whether there is any behind it: a gradient that torch knows to be zero has none."""
    try:
        storage.data_ptr()
    except RuntimeError:
        return False
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
        self._named: dict[Block, None] = {}
        self._saved: dict[Block, None] = {}
        self._touched: dict[Block, None] = {}
        """Those of which the screen may have to be told something."""

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

    def name(self, block: Block | None, by: int) -> None:
        """Take down that one more (1) or one less (-1) named tensor is on it."""
        if block is not None:
            block.names += by
            self._use(self._named, block, block.names)

    def save(self, block: Block | None, by: int) -> None:
        """Take down that one more (1) or one less (-1) saved slot holds it."""
        if block is not None:
            block.slots += by
            self._use(self._saved, block, block.slots)

    def refresh(self, block: Block) -> bool:
        """Read one again and return whether it changed."""
        changed = block.refresh()
        if changed:
            self._touched[block] = None
        return changed

    def changed(self, *, everywhere: bool) -> list[Block]:
        """Compare what names and slots hold, and return what has other bytes now.

        Args:
            everywhere: not only the named and the latest saved ones.
        """
        saved: Iterable[Block] = reversed(self._saved)
        if not everywhere:
            saved = islice(saved, HOT)
        found: list[Block] = []
        # As `refresh` would, without calling it: nearly always nothing changed.
        for block in (*self._named, *[block for block in saved if not block.names]):
            # What died has given its memory away, and says so in its head.
            if block.readable and block.head.raw == block.seen:
                for part, read in zip(block.memory, block.data, strict=True):
                    if part.raw != read:
                        break
                else:
                    continue
            if self.refresh(block):
                found.append(block)
        return found

    def news(self) -> tuple[tuple[Storage, ...], tuple[int, ...]]:
        """Return what the next step says: (new or changed, no longer held)."""
        told: list[Storage] = []
        freed: list[int] = []
        for block in self._touched:
            if block.names or block.slots:
                if block.sent != block.stamp:
                    told.append(block.describe())
                    block.sent = block.stamp
            elif block.sent:
                freed.append(block.id)
                block.sent = 0
        self._touched.clear()
        self._prune()
        return tuple(told), tuple(freed)

    def _use(self, users: dict[Block, None], block: Block, count: int) -> None:
        if count == 0:
            users.pop(block, None)
        elif block not in users:
            users[block] = None
            # Nobody looked at it since it was last held.
            block.refresh()
        self._touched[block] = None

    def _prune(self) -> None:
        self._looks += 1
        if self._looks % _PRUNE_EVERY == 0:
            idle = [(a, b) for a, b in self._by_address.items() if not b.names and not b.slots]
            for address, block in idle:
                if block.expired():
                    del self._by_address[address]
