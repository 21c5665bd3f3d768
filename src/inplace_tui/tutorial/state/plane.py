"""Where an element of a tensor is: in its index, in its row-major order, in memory, on a page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inplace_tui.common.run.snapshot import Tensor


@dataclass(frozen=True)
class Plane:
    """The two dimensions of a tensor that a page shows: its last two, at one place of the others.

    A vector is wrapped; a single number is a row of one.
    """

    shape: tuple[int, ...]
    lead: int = 0
    """Which plane, row-major over the dimensions before the last two."""

    wrap: int = 10
    """Elements of a row, of a vector."""

    @property
    def is_vector(self) -> bool:
        return len(self.shape) == 1

    @property
    def planes(self) -> int:
        return math.prod(self.shape[:-2])

    @property
    def rows(self) -> int:
        if self.is_vector:
            return -(-self.shape[0] // self.wrap)
        return self.shape[-2] if self.shape else 1

    @property
    def columns(self) -> int:
        if self.is_vector:
            return min(self.wrap, self.shape[0])
        return self.shape[-1] if self.shape else 1

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    def at(self, row: int, column: int) -> int | None:
        """Return the row-major place of a cell of the page; None beyond the end of a vector."""
        if self.is_vector:
            place = row * self.wrap + column
            return place if place < self.shape[0] else None
        return (self.lead * self.rows + row) * self.columns + column

    def index(self, place: int) -> tuple[int, ...]:
        """Return the index of a row-major place.

        >>> Plane((2, 3, 4)).index(13)
        (1, 0, 1)
        """
        found: list[int] = []
        for size in reversed(self.shape):
            place, at = divmod(place, size)
            found.append(at)
        return tuple(reversed(found))

    def cell(self, place: int) -> tuple[int, int, int]:
        if self.is_vector:
            return (0, *divmod(place, self.wrap))
        row, column = divmod(place, max(1, self.columns))
        lead, row = divmod(row, max(1, self.rows))
        return lead, row, column

    def leading(self) -> tuple[int, ...]:
        return Plane(self.shape[:-2]).index(self.lead) if self.shape[:-2] else ()


def offset_of(tensor: Tensor, index: tuple[int, ...]) -> int | None:
    """Return how many elements from the start of its storage one lies; None without strides."""
    if len(tensor.stride) != len(index):
        return None
    return tensor.offset + sum(at * step for at, step in zip(index, tensor.stride, strict=True))
