"""Raw memory of many things, compared in one go.

A look at each takes 100 ns; a join of all of them takes 10 ns each, and nearly
always it says that nothing moved.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from ctypes import Array, c_ubyte
from itertools import accumulate
from operator import attrgetter
from typing import Generic, TypeAlias, TypeVar

K = TypeVar("K")

Live: TypeAlias = "Array[c_ubyte] | bytes"

NOTHING = b""
"""Where nothing is."""

_FEW = 256
"""Bytes of something left out that may stay until ranks are closed."""


_MOST_SIZES = 512
"""Types that are kept."""

_SHORT = 65_536
"""Bytes that make numbers to be reckoned with."""


def live(address: int, size: int) -> Live:
    """Return bytes of this process as they are whenever they are read.

    Args:
        address: of memory that must not be read once it was given back.
        size: at least 1.
    """
    return _OF_SIZE[size](address)


class _OfSize(dict[int, Callable[[int], Live]]):
    """What makes them; to make a type for it takes a hundred times as long."""

    def __missing__(self, size: int) -> Callable[[int], Live]:
        if len(self) >= _MOST_SIZES:
            self.clear()
        self[size] = make = (c_ubyte * size).from_address
        return make


_OF_SIZE = _OfSize()


Column: TypeAlias = tuple[str, str]
"""Attributes of a thing: where its bytes are, and as what they were last seen, as many."""


class _Row:
    """One place of each thing."""

    __slots__ = ("live_of", "seen_of", "starts", "views", "was", "whole")

    def __init__(self, column: Column) -> None:
        self.live_of, self.seen_of = map(attrgetter, column)
        self.views: list[Live] = []
        self.was: list[bytes] = []
        self.whole: bytes | None = None
        """All that was seen, if it was needed since that changed."""

        self.starts: list[int] | None = None
        """Where in there that of each thing begins, likewise; and where it ends. None without
        `whole`."""

    def forget(self) -> None:
        """Put all that was seen together anew when it is needed."""
        self.whole = self.starts = None

    def put(self, at: int, now: bytes) -> None:
        """Take down as what one was seen last."""
        before, self.was[at] = self.was[at], now
        if now != before:
            if self.whole is None or self.starts is None or len(now) != len(before):
                self.forget()
            else:
                first, last = self.starts[at : at + 2]
                self.whole = self.whole[:first] + now + self.whole[last:]


class LiveTable(Generic[K]):
    """Things that have live bytes in some places, in the order in which they were added."""

    __slots__ = ("_at", "_keys", "_rows")

    def __init__(self, *columns: Column) -> None:
        """Gather nothing yet.

        Args:
            columns: the places.
        """
        self._at: dict[K, int] = {}
        self._keys: list[K | None] = []
        """None, with bytes that stay as they are, where one was left out."""

        self._rows = [_Row(column) for column in columns]

    def __iter__(self) -> Iterator[K]:
        return iter(self._at)

    def __len__(self) -> int:
        """Return how many places there are, those included of what was left out."""
        return len(self._keys)

    def add(self, key: K) -> None:
        """Take in one more."""
        self._at[key] = len(self._keys)
        self._keys.append(key)
        for row in self._rows:
            seen: bytes = row.seen_of(key)
            row.views.append(row.live_of(key))
            row.was.append(seen)
            if row.whole is not None:
                row.whole += seen
                if row.starts is not None:
                    row.starts.append(row.starts[-1] + len(seen))

    def drop(self, key: K) -> None:
        """Leave one out, if it is there."""
        at = self._at.pop(key, None)
        if at is None:
            return
        self._keys[at] = None
        for row in self._rows:
            if len(row.was[at]) > _FEW:
                row.put(at, NOTHING)
            row.views[at] = row.was[at]
        if 2 * len(self._keys) > 3 * len(self._at) + 16:
            self._close_ranks()

    def again(self, key: K) -> None:
        """Ask anew where the bytes of one are and as what they were last seen."""
        at = self._at.get(key)
        if at is not None:
            for row in self._rows:
                row.views[at] = row.live_of(key)
                row.put(at, row.seen_of(key))

    def is_still(self, columns: int | None = None) -> bool:
        """Whether everything reads as it was last seen.

        Args:
            columns: in so many places, which are read in their order; None for all.
        """
        for row in self._rows[:columns]:
            if row.whole is None:
                row.whole = b"".join(row.was)
            if row.whole and b"".join(row.views) != row.whole:
                return False
        return True

    def moved(self, column: int = 0, latest: int | None = None) -> list[K]:
        """Return what reads differently than when it was last seen.

        Who asks takes down as what it was seen now.

        Args:
            column: where to look.
            latest: look only at those that were added last, about so many.
        """
        row = self._rows[column]
        if row.whole is None:
            row.whole = b"".join(row.was)
        if not row.whole:
            return []
        first, views, whole, starts = 0, row.views, row.whole, row.starts
        if latest is not None and len(views) > latest:
            first = len(views) - latest
            views, whole, starts = views[first:], b"".join(row.was[first:]), None
        now = b"".join(views)
        if now == whole:
            return []
        if starts is None:
            starts = [0, *accumulate(map(len, views))]
        found: list[K] = []
        for at in _differing(now, whole, starts):
            row.was[first + at] = now[starts[at] : starts[at + 1]]
            key = self._keys[first + at]
            if key is not None:
                found.append(key)
        row.whole, row.starts = (None, None) if first else (now, starts)
        return found

    def _close_ranks(self) -> None:
        kept = list(self._at.values())
        self._keys = [self._keys[at] for at in kept]
        for row in self._rows:
            row.views = [row.views[at] for at in kept]
            row.was = [row.was[at] for at in kept]
            row.forget()
        self._at = {key: at for at, key in enumerate(self._at)}


def _differing(now: bytes, was: bytes, starts: list[int]) -> list[int]:
    """Return which parts differ: nearly always it is one."""
    found: list[int] = []
    if len(now) <= _SHORT:
        other = int.from_bytes(now, "little") ^ int.from_bytes(was, "little")
        while other:
            # Its last bit is in the first part that differs.
            at = bisect_right(starts, ((other & -other).bit_length() - 1) // 8) - 1
            found.append(at)
            other = other >> starts[at + 1] * 8 << starts[at + 1] * 8
        return found
    waiting = [(0, len(starts) - 1)]
    while waiting:
        first, last = waiting.pop()
        if now[starts[first] : starts[last]] == was[starts[first] : starts[last]]:
            continue
        if last - first == 1:
            found.append(first)
        else:
            middle = (first + last) // 2
            waiting += [(middle, last), (first, middle)]
    return found
