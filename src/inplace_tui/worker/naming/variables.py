"""The variables of a frame, and which of them are others than when last looked at.

A dictionary keeps its items in one row of memory, each with the addresses of its
key and its value: what was written there since is found by comparing two numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from ctypes import c_uint64
from itertools import compress, count
from operator import is_not
from types import CodeType, FrameType
from typing import TypeAlias

from inplace_tui.worker.naming.evidence import TAG
from inplace_tui.worker.naming.names import INSIDE, Inside, itself
from inplace_tui.worker.state.gather import NOTHING, Live, live

Changes: TypeAlias = list[tuple[str, int | None, object]]
"""Variables of a frame: (which, the object before by its address, the tensor now)."""

_TABLE = 32
"""Where a dictionary has the address of the table of its items, up to Python 3.11;
tests/worker/test_variables.py looks."""

_APART = 40
"""Where it has that of its values, if they are not in there: of attributes only."""

_HEAD = 32
"""Bytes that a table begins with; an index follows, and then the items."""

_FORM = slice(8, 11)
"""Of these: by powers of 2 the room for items and the size of the index; the kind of items."""

_COUNT = slice(24, 32)
"""Likewise: how many items there are, those included that were deleted."""

_WORDS = {0: 3, 1: 2}
"""Of an item, by the kind: a hash stands before key and value, unless all keys are texts."""

_WORD = 64
"""Bits."""

_SIMPLE = (None, itself)


class Variables:
    """The variables of one frame, as they were when last looked at."""

    __slots__ = (
        "_bits",
        "_cell",
        "_form",
        "_head",
        "_head_was",
        "_insides",
        "_keys",
        "_live",
        "_many",
        "_numbers",
        "_start",
        "_table",
        "_tag",
        "_types",
        "_was",
        "added",
        "at",
        "code",
        "seen",
    )

    def __init__(self, code: CodeType, variables: dict[str, object]) -> None:
        self.code = code
        self.at = id(variables)
        self.added: list[str] = []
        """Names that there were for the first time when changes were last asked for."""

        self._tag = c_uint64.from_address(self.at + TAG)
        self.seen = self._tag.value
        self._keys = list(variables)
        self._types = list(map(type, variables.values()))
        self._insides = list(map(_inside, self._keys, self._types))
        self._cell = c_uint64.from_address(self.at + _TABLE)
        self._table = self._cell.value
        self._head = live(self._table, _HEAD)
        head = self._head_was = bytes(self._head)
        self._form = head[_FORM]
        _, index, kind = self._form
        apart = c_uint64.from_address(self.at + _APART).value
        self._bits = 0 if apart else _WORDS.get(kind, 0) * _WORD
        """Of an item; 0 where items can't be read."""

        self._start = self._table + _HEAD + (1 << index)
        self._many = 0
        """How many items there are, those included that were deleted."""

        self._live: Live = NOTHING
        self._was = self._read(_number(head[_COUNT]))
        """All items as one number, the first of them in its last digits."""

        self._numbers = [item for item in range(self._many) if self._address(item)]
        """Of the items that were not deleted: one for each variable."""

    @property
    def ids(self) -> list[int]:
        """The objects that may reach a tensor, by their addresses."""
        return [self._address(item) for item in compress(self._numbers, self._insides)]

    def changes(self, variables: dict[str, object], *, acted: bool) -> Changes | None:
        """Return which variables are others: (which, object before, value).

        None where more than plain tensors and what reaches none took part; then
        they must be taken down anew.

        Args:
            variables: of the same frame as ever.
            acted: whether more ran than a line that writes each variable once: only then
                one object may have made room for another at the same address.
        """
        tag, self.added = self._tag.value, []
        if tag == self.seen:
            return []
        more = self._more(len(variables))
        if more is None:
            return None
        many, before, known = self._many, self._was, len(self._keys)
        now = self._read(many + more)
        other = now ^ before
        places = self._places(other & ((1 << many * self._bits) - 1) if more else other)
        if places is None:
            return None
        if more:
            self.added = list(variables)[known:]
            self._keys += self.added
            self._types += [type(None)] * more
            self._insides += [None] * more
            self._numbers += range(many, many + more)
            places += range(known, known + more)
        if acted:
            changed = map(is_not, map(type, variables.values()), self._types)
            places = sorted({*places, *compress(count(), changed)})
        found: Changes = []
        for at in places:
            key, was = self._keys[at], self._insides[at]
            value = variables[key]
            kind, inside = type(value), was
            if kind is not self._types[at]:
                self._types[at] = kind
                inside = self._insides[at] = _inside(key, kind)
            if was not in _SIMPLE or inside not in _SIMPLE:
                return None
            if was is not None or inside is not None:
                old = None if was is None else self._address(self._numbers[at])
                found.append((key, old, None if inside is None else value))
        self._was, self.seen = now, tag
        return found

    def _more(self, count: int) -> int | None:
        """Return how many variables were added at the end; None if other things happened.

        Args:
            count: how many there are.
        """
        if self._bits == 0 or self._cell.value != self._table:
            return None
        more, head = 0, bytes(self._head)
        if head != self._head_was:
            more, self._head_was = _number(head[_COUNT]) - self._many, head
            if head[_FORM] != self._form or more < 0:
                return None
        return more if count == len(self._keys) + more else None

    def _read(self, many: int) -> int:
        """Return all items as they are now."""
        if many != self._many:
            self._many, size = many, many * self._bits // 8
            self._live = live(self._start, size) if size else NOTHING
        return int.from_bytes(bytes(self._live), "little")

    def _places(self, other: int) -> list[int] | None:
        """Return which variables have other values; None if they are other variables.

        Args:
            other: all digits that differ.
        """
        found: list[int] = []
        bits = self._bits
        while other:
            item = (other.bit_length() - 1) // bits
            differing = other >> item * bits
            if differing & ((1 << bits - _WORD) - 1):
                return None
            other ^= differing << item * bits
            found.append(bisect_left(self._numbers, item))
        return found[::-1]

    def _address(self, item: int) -> int:
        """Return where the value of an item was."""
        return (self._was >> (item + 1) * self._bits - _WORD) & ((1 << _WORD) - 1)


def variables_of(frames: Sequence[FrameType]) -> list[tuple[CodeType, dict[str, object]]]:
    """Return the variables of frames as `names.reach` looks at them, the innermost first."""
    if not frames:
        return []
    inner = frames[0]
    plain, outside = inner.f_locals, inner.f_globals
    found = [(inner.f_code, plain)]
    if len(frames) > 1:
        found += [(f.f_code, f.f_locals) for f in frames[1:] if f.f_globals is not f.f_locals]
    if outside is not plain:
        found.append((inner.f_code, outside))
    return found


def _number(row: bytes) -> int:
    return int.from_bytes(row, "little")


def _inside(name: object, kind: type) -> Inside | None:
    """Return how to look into a variable; None where it can reach no tensor or is Python's."""
    return INSIDE[kind] if type(name) is str and name[:2] != "__" else None
