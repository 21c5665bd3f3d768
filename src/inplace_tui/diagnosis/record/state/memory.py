"""Storages by ordinal, and which of them hold other bytes than before.

Bytes are compared because not every write moves a version counter: `.data`,
numpy, ctypes, fused optimizers and batch norm's buffers do not. They are read
from raw memory: a torch operation would run in the program's own modes.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

import torch

from inplace_tui.common.run.snapshot import WHOLE_BYTES, Storage
from inplace_tui.diagnosis.record.readings import readings
from inplace_tui.diagnosis.record.state.live_table import LiveTable
from inplace_tui.diagnosis.record.torch_memory import BYTES, NOTHING, Live, live

SAMPLE_BYTES = 512
"""How much of each end of a larger storage is compared."""

MAX_RECENT = 256
"""Saved storages without a name that are compared at every line; the latest."""

MAX_UNHELD = 64
"""Storages that nothing seen holds which are asked at every line whether they live; the latest."""

_PRUNE_EVERY = 256

_alive = torch.UntypedStorage._new_with_weak_ptr
_expired = torch.UntypedStorage._expired
_free = torch.UntypedStorage._free_weak_ref


class Block:
    """One storage. Holds it weakly: its address can't be reused, its bytes can go."""

    __slots__ = (
        "_readings", "address", "first", "first_memory", "first_was", "head", "id", "last",
        "last_memory", "last_was", "names", "nbytes", "place", "readable", "seen", "sent",
        "slots", "stamp", "weak",
    )  # fmt: skip

    def __init__(self, ordinal: int, storage: torch.UntypedStorage) -> None:
        self.id = ordinal
        self.address: int = storage._cdata
        self.names = 0
        """How many named tensors are on it."""

        self.slots = 0
        """How many saved slots hold it."""

        self.sent = 0
        """Its stamp when it was last reported; 0 if it is not reported."""

        self.stamp = 1
        """Moves whenever its bytes or its size were seen to change."""

        self.readable = False
        if storage.device.type == "cpu":
            with suppress(RuntimeError):  # a gradient that torch knows to be zero has no memory
                storage.data_ptr()
                self.readable = True
        self.nbytes: int = storage.nbytes()
        self.first = self.last = b""
        """As last read: everything, or both ends of a large one."""

        self.weak: int = storage._weak_ref()
        self._readings = readings()
        self.head = self._readings.head(storage, self.weak)
        """Where it stands which memory it has."""

        self.seen: object = None
        """What stood there when it was last read."""

        self.place = (0, 0)
        self.first_memory: Live = NOTHING
        self.last_memory: Live = NOTHING
        """Where those bytes are, while there is such a place."""

        self.first_was = self.last_was = b""
        """What is compared with what is there: `first` and `last` if the memory is there."""

        self._read(self._readings.memories.one(self.head))

    def __del__(self) -> None:
        _free(self.weak)

    @property
    def is_whole(self) -> bool:
        return bool(self.readable and self.nbytes <= WHOLE_BYTES)

    def expired(self) -> bool:
        return bool(_expired(self.weak))

    def refresh(self) -> bool:
        """Read it again and return whether it changed."""
        head = self._readings.memories.one(self.head)
        if _expired(self.weak):
            self.lose()
            self.seen = head
            return False
        return self._read(head)

    def _read(self, head: object) -> bool:
        self.seen = head
        if not self.readable:
            storage = _alive(self.weak)
            if storage is None or storage.nbytes() == self.nbytes:
                return False
            self.nbytes = storage.nbytes()
            self.stamp += 1
            return True
        place = self._readings.memory_in(head)
        if place != self.place:
            self.place = place
            self.first_memory, self.last_memory = _views(*place)
        self.first_was = first = bytes(self.first_memory)
        self.last_was = last = bytes(self.last_memory)
        if first == self.first and last == self.last and place[1] == self.nbytes:
            return False
        self.first, self.last, self.nbytes = first, last, place[1]
        self.stamp += 1
        return True

    def lose(self) -> None:
        """Stop reading where its memory was, until it is refreshed."""
        self.first_memory = self.last_memory = NOTHING
        self.first_was = self.last_was = b""
        self.place = (0, 0)

    def describe(self) -> Storage:
        whole = self.first if self.is_whole else None
        return Storage(id=self.id, nbytes=self.nbytes, data=whole)


def _views(address: int, nbytes: int) -> tuple[Live, Live]:
    """Return the live bytes that are compared: everything, or both ends."""
    if nbytes == 0 or address == 0:
        return NOTHING, NOTHING
    if nbytes <= WHOLE_BYTES:
        return live(address, nbytes), NOTHING
    return live(address, SAMPLE_BYTES), live(address + nbytes - SAMPLE_BYTES, SAMPLE_BYTES)


_HEADS, _FIRSTS, _LASTS = range(3)


def _table() -> LiveTable[Block]:
    return LiveTable(
        ("head", "seen", readings().memories),
        ("first_memory", "first_was", BYTES),
        ("last_memory", "last_was", BYTES),
    )


def _differing(table: LiveTable[Block], latest: int | None) -> list[Block]:
    """Return those to read again, because something about them has changed.

    With `latest`, look only at so many, which were held last.
    """
    if (latest is None or len(table) <= latest) and table.is_unchanged():
        return []
    # What died has given its memory away, and says so in its head: heads first,
    # and of the same blocks.
    found = table.changed(_HEADS, latest)
    for block in found:
        block.lose()
        table.refresh(block)
    found += table.changed(_FIRSTS, latest) + table.changed(_LASTS, latest)
    if len(found) > 1:
        order = {block: at for at, block in enumerate(table)}
        found = sorted(dict.fromkeys(found), key=order.__getitem__)
    return found


class Blocks:
    """Every living storage that was seen."""

    def __init__(self) -> None:
        self._by_address: dict[int, Block] = {}
        self._named = _table()
        """In the order in which they were first held."""

        self._saved = _table()
        """What slots hold and no name does."""

        self._touched: dict[Block, None] = {}
        """Those that may have to be reported."""

        self._unheld: dict[Block, None] = {}
        """Reported ones that no name and no slot reaches, and that something keeps alive."""

        self.dirty: set[Block] = set()
        """Those whose bytes or size changed; the watcher removes them."""

        self.fresh: Block | None = None
        """One that was just read for the first time; None again when the program goes on."""

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
            block = self.fresh = self._by_address[storage._cdata] = Block(self._next, storage)
            self._next += 1
        return block

    def name(self, block: Block | None) -> None:
        if block is not None:
            block.names += 1
            self._touched[block] = None
            if block.names == 1:
                self._hold(self._named, block)
                if block.slots:
                    self._saved.drop(block)

    def unname(self, block: Block | None) -> None:
        if block is not None:
            block.names -= 1
            self._touched[block] = None
            if block.names == 0:
                self._named.drop(block)
                if block.slots:
                    self._saved.add(block)

    def save(self, block: Block | None) -> None:
        if block is not None:
            block.slots += 1
            self._touched[block] = None
            if block.slots == 1 and not block.names:
                self._hold(self._saved, block)

    def unsave(self, block: Block | None) -> None:
        if block is not None:
            block.slots -= 1
            self._touched[block] = None
            if block.slots == 0 and not block.names:
                self._saved.drop(block)

    def refresh(self, block: Block) -> bool:
        """Read one again and return whether it changed."""
        changed = block.refresh()
        self._named.refresh(block)
        self._saved.refresh(block)
        if changed:
            self._touched[block] = None
            self.dirty.add(block)
        return changed

    def changed(self, *, everywhere: bool) -> list[Block]:
        """Compare what names and slots hold, and return what has other bytes now."""
        suspects = _differing(self._named, None)
        suspects += _differing(self._saved, None if everywhere else MAX_RECENT)[::-1]
        return [block for block in suspects if self.refresh(block)]

    def changes(self) -> tuple[tuple[Storage, ...], tuple[int, ...]]:
        """Return what the next step says: (new or changed, freed)."""
        self._looks += 1
        asked: Iterable[Block] = islice(reversed(self._unheld), MAX_UNHELD)
        if self._looks % _PRUNE_EVERY == 0:
            self._prune()
            asked = self._unheld
        if not self._touched and not self._unheld:
            return (), ()
        reported: list[Storage] = []
        freed: list[int] = []
        for block in {**self._touched, **dict.fromkeys(asked)}:
            if block.names or block.slots:
                self._unheld.pop(block, None)
                if block.sent != block.stamp:
                    reported.append(block.describe())
                    block.sent = block.stamp
            elif block.expired():
                self._unheld.pop(block, None)
                self._by_address.pop(block.address, None)
                if block.sent:
                    freed.append(block.id)
                    block.sent = 0
            elif block.sent:
                self._unheld[block] = None
        self._touched.clear()
        return tuple(reported), tuple(freed)

    def _hold(self, held: LiveTable[Block], block: Block) -> None:
        # Perhaps it was not read since it was last held.
        if block is not self.fresh:
            block.refresh()
        held.add(block)

    def _prune(self) -> None:
        for block in [*self._by_address.values()]:
            if not (block.names or block.slots or block in self._unheld) and block.expired():
                del self._by_address[block.address]
