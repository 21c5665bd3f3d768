"""The elements of one tensor for somebody who looks around in it: where each is, and what."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from msgspec.structs import replace

from inplace_tui.common.run.elements import FORMATS, Element
from inplace_tui.common.run.snapshot import Snapshot, Tensor, Unreadable
from inplace_tui.common.run.statistics import MAX_NON_FINITE, Statistics
from inplace_tui.common.run.values import ElementReader, element_reader

TILE = 64
"""Neighbours in a row that are asked for together."""

MAX_TILES = 4_096
"""Tiles that are kept."""

AT_ONCE = 200
"""Tiles of one question."""


def find_elements(tensor: Tensor, snapshot: Snapshot) -> ElementReader | Unreadable | None:
    """Return the recorded elements, or why nobody can read them.

    None: the recording has not all of them, and the program has to be run again to that step.
    """
    found = element_reader(tensor, snapshot)
    if isinstance(found, ElementReader):
        return found if found.whole else None
    if tensor.device != "cpu" or tensor.dtype not in FORMATS:
        return found
    is_there = tensor.storage is not None and _fits(tensor, snapshot)
    return None if tensor.layout == "strided" and is_there else found


def _fits(tensor: Tensor, snapshot: Snapshot) -> bool:
    """Whether its storage is as large as its shape needs."""
    storage = snapshot.storage_of(tensor)
    if storage is None or 0 in tensor.shape or len(tensor.stride) != len(tensor.shape):
        return False
    reach = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride, strict=True))
    return (tensor.offset + reach + 1) * FORMATS[tensor.dtype].size <= storage.nbytes


class RecordedElements:
    """Elements that are all in the recording."""

    def __init__(self, tensor: Tensor, found: ElementReader) -> None:
        self.shape, self.dtype = tensor.shape, tensor.dtype
        self._found = found

    @cached_property
    def elements(self) -> list[Element]:
        return [self._found.element(place) for place in range(self._found.count)]

    @cached_property
    def statistics(self) -> Statistics:
        return statistics(self.elements)

    def at(self, place: int) -> Element:
        """Return an element by its row-major place."""
        return self.elements[place]

    def next_odd(self, after: int) -> int | None:
        """Return the place of the next element that is not finite; after the last, the first."""
        odd = [place for place, each in enumerate(self.elements) if not is_finite(each)]
        return next((place for place in odd if place > after), odd[0] if odd else None)


@dataclass
class FetchedElements:
    """Elements fetched as they are looked at; what is missing is noted."""

    shape: tuple[int, ...]
    dtype: str
    statistics: Statistics | None = None
    wanted: OrderedDict[int, None] = field(default_factory=OrderedDict)
    """Tiles that were looked for in vain, as their first places."""

    _tiles: OrderedDict[int, list[Element]] = field(default_factory=OrderedDict)

    @property
    def last(self) -> int:
        """How many elements a row of the tensor has: no tile goes beyond one."""
        return max(1, self.shape[-1]) if self.shape else 1

    def at(self, place: int) -> Element | None:
        """Return an element; None until it has been fetched."""
        tile = place - place % self.last % TILE
        found = self._tiles.get(tile)
        if found is None:
            self.wanted[tile] = None
            return None
        self._tiles.move_to_end(tile)
        return found[place - tile]

    def spans(self) -> tuple[tuple[int, int], ...]:
        """Return (first, how many) of the tiles to ask for next, those looked for last first."""
        wanted, last = islice(reversed(self.wanted), AT_ONCE), self.last
        return tuple((tile, min(TILE, last - tile % last)) for tile in wanted)

    def fill(self, spans: Iterable[tuple[int, int]], data: bytes) -> None:
        """Take in what was read; as many bytes as the spans need."""
        form, at = FORMATS[self.dtype], 0
        for tile, many in spans:
            self._tiles[tile] = [form.decode(data, at + form.size * n) for n in range(many)]
            at += form.size * many
            self.wanted.pop(tile, None)
        while len(self._tiles) > MAX_TILES:
            self._tiles.popitem(last=False)


ElementSource = RecordedElements | FetchedElements


def is_finite(element: Element) -> bool:
    if isinstance(element, complex):
        return math.isfinite(element.real) and math.isfinite(element.imag)
    return math.isfinite(element)


def size_of(element: Element | None) -> float:
    """Return how far an element is from 0; 0.0 if it is not finite or not here."""
    if element is None or not is_finite(element):
        return 0.0
    return min(abs(element), 1.7e308)


Number = int | float


def statistics(elements: Sequence[Element]) -> Statistics:
    """Return them as torch would have them in float64."""
    numbers = [abs(each) if isinstance(each, complex) else each for each in elements]
    finite = [each for each in numbers if math.isfinite(each)]
    non_finite = (place for place, each in enumerate(numbers) if not math.isfinite(each))
    count = len(numbers)
    counts = Statistics(
        count=count,
        seen=count,
        nan=sum(map(math.isnan, numbers)),
        positive=sum(each == math.inf for each in numbers),
        negative=sum(each == -math.inf for each in numbers),
        zeros=sum(each == 0 for each in numbers),
        odd=tuple(islice(non_finite, MAX_NON_FINITE)),
    )
    if not finite:
        return counts
    return _of_finite(counts, [int(x) if isinstance(x, bool) else x for x in finite])


def _of_finite(counts: Statistics, finite: list[Number]) -> Statistics:
    count, mean = len(finite), _mean(finite)
    std = None
    if count > 1:
        std = math.hypot(*(float(x) - mean for x in finite)) / math.sqrt(count - 1)
    return replace(
        counts,
        minimum=min(finite),
        maximum=max(finite),
        mean=mean,
        std=std,
        norm=math.hypot(*finite),
    )


def _mean(numbers: list[Number]) -> float:
    if all(isinstance(each, int) for each in numbers):
        return sum(numbers) / len(numbers)
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:  # it leaves float64 on the way, as the sum does in torch
        return math.fsum(each / len(numbers) for each in numbers)


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
