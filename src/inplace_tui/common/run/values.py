"""How values and names of a run are written: the same in all panels, at each of its steps.

Bytes are decoded here, without torch or numpy, through shape, stride and offset
as torch would. An element is decoded only when somebody looks at it: a view
expanded to 10^8 elements costs what fits on the line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from weakref import WeakKeyDictionary

from inplace_tui.common.cells import clean, clip, in_parts, shorten, width
from inplace_tui.common.run.elements import FORMATS, Element, Format
from inplace_tui.common.run.snapshot import (
    EMPTY,
    SAMPLE_ELEMENTS,
    Snapshot,
    Storage,
    Tensor,
    Unreadable,
    bounds,
    letter,
)
from inplace_tui.common.run.timeline import Timeline

MAX_ELEMENTS = 32_768
"""Tensors with more elements than this are read as a sample, whatever their storage is."""

DECIMALS = (4, 2, 1)
"""With so many a number is written, the first that let all elements be seen."""

NAME = 22
"""Cells that a name has at most where names stand below each other."""

_STATE = re.compile(r"^.*?\.state\[([^'\"\d].*)\]\['(\w+)'\]")

MAX_MOMENTS = 64
"""Contents of a tensor, from its first on, that are read to find out how much room it needs."""


@dataclass(frozen=True)
class ElementReader:
    """The elements of one tensor, row-major, decoded on demand."""

    count: int
    """How many elements the tensor has."""

    head: int
    """How many of the first ones can be read; all of them unless sampled."""

    tail: int
    """How many of the last ones can be read, if it is a sample."""

    element: Callable[[int], Element]
    """The element at a row-major index below `head` or among the last `tail`."""

    @property
    def whole(self) -> bool:
        return self.head == self.count


def element_reader(tensor: Tensor, snapshot: Snapshot) -> ElementReader | Unreadable:
    form = FORMATS.get(tensor.dtype)
    if isinstance(tensor.values, Unreadable):
        return tensor.values
    if form is None:
        return Unreadable(f"{tensor.dtype} is not decoded")
    count = math.prod(tensor.shape)
    if tensor.values is not None:
        return _from_elements(form, tensor.values.head, tensor.values.tail, count)
    if count == 0:
        return ElementReader(0, 0, 0, lambda _: 0)
    data = _bytes(tensor, snapshot, form)
    return data if isinstance(data, Unreadable) else _from_storage(form, data, tensor, count)


def _bytes(tensor: Tensor, snapshot: Snapshot, form: Format) -> bytes | Unreadable:
    storage = snapshot.storage_of(tensor)
    if storage is None:
        return Unreadable("no storage")
    if storage.data is None:
        return Unreadable("not recorded" if storage.nbytes else "storage resized to 0 bytes")
    if (bounds(tensor)[1] + 1) * form.size > len(storage.data):
        return Unreadable("reaches beyond its storage")
    return storage.data


def is_contiguous(tensor: Tensor) -> bool:
    expected = 1
    if 0 in tensor.shape:
        return True
    for size, step in zip(reversed(tensor.shape), reversed(tensor.stride), strict=True):
        if size != 1:
            if step != expected:
                return False
            expected *= size
    return True


def flat(tensor: Tensor, snapshot: Snapshot) -> tuple[list[Element], bool] | Unreadable:
    """Return the elements row-major, and whether those are all of them.

    A sample is the first elements followed by the last ones.
    """
    found = element_reader(tensor, snapshot)
    if isinstance(found, Unreadable):
        return found
    ends = (*range(found.head), *range(found.count - found.tail, found.count))
    return [found.element(index) for index in ends], found.whole


def text(number: Element, dtype: str, *, decimals: int = 4) -> str:
    """Return `number` the way torch prints it, without the trailing zeros.

    A float keeps its point, so that `1.` and `1` are not the same. One that only
    rounds to a whole number keeps a zero: `1.0` is near 1, `1.` is 1.

    >>> text(2.718281828, "float32"), text(3.0, "float32"), text(7, "int64")
    ('2.7183', '3.', '7')
    """
    if isinstance(number, complex) or dtype.startswith("complex"):
        value = complex(number)
        sign = "-" if math.copysign(1.0, value.imag) < 0 else "+"
        imaginary = _float_text(abs(value.imag), decimals)
        return f"{_float_text(value.real, decimals)}{sign}{imaginary}j"
    if isinstance(number, float) or dtype.startswith(("float", "bfloat")):
        return _float_text(float(number), decimals)
    return str(bool(number)) if dtype == "bool" else str(number)


def _float_text(number: float, decimals: int) -> str:
    if not math.isfinite(number):
        return str(number)
    if number == 0:
        return "-0." if math.copysign(1.0, number) < 0 else "0."
    size = abs(number)
    if not 1e-4 <= size < 1e7:
        mantissa, exponent = f"{number:.{decimals}e}".split("e")
        return f"{_stripped(mantissa, exact=False).removesuffix('.0')}e{exponent}"
    if size < 1:
        # Significant digits, not decimals: 0.0123 and 0.0124 are different gradients.
        places = decimals - 1 - math.floor(math.log10(size))
        return _stripped(f"{number:.{places}f}", exact=False)
    near = abs(number - round(number)) <= size * 1e-7
    return _stripped(f"{number:.{decimals}f}", exact=near)


def _stripped(digits: str, *, exact: bool) -> str:
    """Drop trailing zeros; after the point one stays if the number was rounded to it."""
    short = digits.rstrip("0")
    return short if exact or not short.endswith(".") else f"{short}0"


def summary(tensor: Tensor, snapshot: Snapshot, width: int, *, most: int = DECIMALS[0]) -> str:
    """Return the values in at most `width` cells, with at most so many decimals.

    The outermost brackets are left out: the shape says as much. Fewer decimals
    are preferred to fewer elements; `…` stands for elements that did not fit,
    and a sample ends with how many of how many elements it is. Where no element
    fits with its brackets, the first one stands without them.

    A tensor without elements is `[]`; one that can't be read is `⊘` and why.
    """
    found = element_reader(tensor, snapshot)
    if isinstance(found, Unreadable):
        return clip(f"⊘ {found.reason}", width)
    if found.count == 0:
        return "[]"
    note = "" if found.whole else f" ({found.head + found.tail}/{found.count})"
    room = width - len(note)
    if note and room < 4:
        return clip(f"…{note.lstrip()}", width)
    fullest = ""
    for decimals in _tried(tensor, most):
        line, complete = _line(found, tensor, room, decimals)
        if complete:
            return line
        fullest = fullest or line
    if not fullest:
        fullest = _with_ellipsis(text(found.element(0), tensor.dtype, decimals=DECIMALS[-1]), room)
    return (fullest or clip("…", room)) + note


def decimals_that_fit(tensor: Tensor, snapshot: Snapshot, width: int) -> int | None:
    """Return the most decimals with which all values fit, else those with which one does.

    None if none does with its brackets, and for a sample.
    """
    found = element_reader(tensor, snapshot)
    if isinstance(found, Unreadable) or not found.whole:
        return None
    some = None
    for decimals in _tried(tensor, DECIMALS[0]):
        line, complete = _line(found, tensor, width, decimals)
        if complete:
            return decimals
        if some is None and line:
            some = decimals
    return some


def _tried(tensor: Tensor, most: int) -> list[int]:
    tried = [each for each in DECIMALS if each <= most]
    return tried if tensor.dtype.startswith(("float", "bfloat", "complex")) else tried[:1]


def _line(found: ElementReader, tensor: Tensor, room: int, decimals: int) -> tuple[str, bool]:
    """Return the values that fit in `room`, which may be none, and whether those are all."""
    line = ""
    for piece in _pieces(found, tensor, decimals):
        if len(line) + len(piece) > room:
            return _with_ellipsis(line, room), False
        line += piece
    return (line, True) if found.whole else (_with_ellipsis(line, room), False)


def _pieces(found: ElementReader, tensor: Tensor, decimals: int) -> Iterator[str]:
    """Yield the elements with their separators and brackets, but the outermost."""
    inner = tensor.shape[1:]
    for index in range(found.head):
        opens = closes = 0
        for dimension in range(len(inner)):
            block = math.prod(inner[dimension:])
            opens += index % block == 0
            closes += (index + 1) % block == 0
        gap = " " if index else ""
        number = text(found.element(index), tensor.dtype, decimals=decimals)
        yield f"{gap}{'[' * opens}{number}{']' * closes}"


def _with_ellipsis(line: str, room: int) -> str:
    """End `line` with `…` after a whole element; return nothing if there is no room for one."""
    while line and len(line) + 2 > room:
        line = line.rpartition(" ")[0]
    return f"{line} …" if line else ""


def _from_elements(
    form: Format, head: bytes, tail: bytes, count: int
) -> ElementReader | Unreadable:
    heads = min(len(head) // form.size, count)
    tails = min(len(tail) // form.size, count - heads)
    if heads + tails < count and not (heads and tails):
        return Unreadable("not recorded")

    def element(index: int) -> Element:
        if index < heads:
            return form.decode(head, index * form.size)
        return form.decode(tail, (index - (count - tails)) * form.size)

    return ElementReader(count, heads, tails if heads < count else 0, element)


def _from_storage(form: Format, data: bytes, tensor: Tensor, count: int) -> ElementReader:
    axes = tuple(reversed(tuple(zip(tensor.shape, tensor.stride, strict=True))))

    def element(index: int) -> Element:
        position = tensor.offset
        for size, step in axes:
            index, along = divmod(index, size)
            position += along * step
        return form.decode(data, position * form.size)

    if count <= MAX_ELEMENTS:
        return ElementReader(count, count, 0, element)
    return ElementReader(count, SAMPLE_ELEMENTS, SAMPLE_ELEMENTS, element)


class RunFormat:
    """What the tensors of one run need, as far as it was recorded."""

    def __init__(self) -> None:
        self.longest_name = 0
        """Cells of the longest name, in full."""

        self.longest_shape = self.longest_letter = 0
        self.lines: set[int] = set()
        """Lines that ran."""

        self.has_views = False
        """Two tensors were on one storage."""

        self._first_on: dict[int | None, int] = {}
        self._read = 0
        self._spelled: dict[tuple[str, int], str] = {}
        self._taken: set[tuple[str, int]] = set()
        self._decimals: dict[tuple[int, int], tuple[tuple[int, int], int]] = {}

    def read(self, timeline: Timeline) -> None:
        """Take the steps that have come since."""
        for step in timeline.steps[self._read :]:  # `islice` would go through those before
            self.lines.add(step.line)
            for tensor in step.tensors:
                names = tensor_name(tensor), clean((*tensor.names, "?")[0])
                cells = max(width(said(name)) for name in names)
                self.longest_name = max(self.longest_name, cells)
                first = self._first_on.setdefault(tensor.storage, tensor.id)
                self.has_views |= first != tensor.id
                shape = len(",".join(map(str, tensor.shape))) + 2
                self.longest_shape = max(self.longest_shape, shape)
        self.longest_letter = len(letter(max(0, len(timeline.index.ranks) - 1)))
        self._read = len(timeline.steps)

    def spell(self, name: str, room: int = NAME) -> str:
        """Return a name in at most `room` cells, as no other one is spelled in so many."""
        if (name, room) not in self._spelled:
            ways = filter(None, _spellings(said(name), room))
            found = (each for each in ways if (each, room) not in self._taken)
            self._spelled[name, room] = next(found, name) if name else name
            self._taken.add((self._spelled[name, room], room))
        return self._spelled[name, room]

    def decimals(self, timeline: Timeline, tensor: Tensor, room: int) -> int:
        """Return with how many decimals all that a tensor held fits, or as much of it as can."""
        past, key = timeline.histories, (tensor.id, room)
        rows = past.rows.get(tensor.id, ())
        contents = () if tensor.storage is None else past.contents.get(tensor.storage, ())
        size = min(len(rows), MAX_MOMENTS), min(len(contents), MAX_MOMENTS)
        known = self._decimals.get(key)
        if known is None or known[0] != size:
            moments = islice(_moments(timeline, tensor.id), MAX_MOMENTS)
            fitting = [decimals_that_fit(row, shot, room) for row, shot in moments]
            least = min((each for each in fitting if each is not None), default=DECIMALS[0])
            known = self._decimals[key] = size, least
        return known[1]


_FORMATS: WeakKeyDictionary[Timeline, RunFormat] = WeakKeyDictionary()


def run_format(timeline: Timeline) -> RunFormat:
    """Return how a run is written; it is read on as steps arrive."""
    found = _FORMATS.setdefault(timeline, RunFormat())
    found.read(timeline)
    return found


def spell(timeline: Timeline, name: str, room: int = NAME) -> str:
    """Return a name as it stands in panels that have so much room for it: in full if it fits."""
    return run_format(timeline).spell(name, room)


def said(name: str) -> str:
    """Return a name as a person would say it: `w.exp_avg` for what an optimizer keeps for `w`.

    >>> said("optimizer.state[model.fc.weight]['exp_avg']"), said("self.state['h']['c']")
    ('model.fc.weight.exp_avg', "self.state['h']['c']")
    """
    return _STATE.sub(r"\1.\2", name)


def _spellings(name: str, room: int) -> Iterator[str]:
    """Yield how a name may be spelled, the best first."""
    yield shorten(name, room)
    parts = name.count(".") + name.count("[")
    for wanted in reversed(range(parts)):
        yield in_parts(name, room, wanted)
    for head in range(0 if parts or width(name) <= room else room - 2, 0, -1):
        yield f"{clip(name, head + 1)}{clip(name[::-1], room - 1 - head, mark='')[::-1]}"
    for number in range(2, 1000):
        yield f"{shorten(name, room - 1 - len(str(number)))}~{number}"


def tensor_name(tensor: Tensor) -> str:
    """Return what to call a tensor: `a = b` where two variables mean the same tensor."""
    plain = [name for name in tensor.names if name.isidentifier()]
    return clean(" = ".join(plain[:2]) if len(plain) > 1 else (*tensor.names, "?")[0])


def _moments(timeline: Timeline, tensor: int) -> Iterator[tuple[Tensor, Snapshot]]:
    """Yield a tensor as it was, each time with what its storage held."""
    past = timeline.histories
    rows = past.rows.get(tensor, ())
    for place, (start, row) in enumerate(rows):
        end = rows[place + 1][0] if place + 1 < len(rows) else len(timeline.steps)
        contents = () if row.storage is None else past.contents.get(row.storage, ())
        if not contents:
            yield row, EMPTY
        for at, (since, data) in enumerate(contents):
            until = contents[at + 1][0] if at + 1 < len(contents) else end
            if row.storage is not None and since < end and until > start:
                held = Storage(id=row.storage, nbytes=len(data or b""), data=data)
                yield row, Snapshot(tensors={}, storages={row.storage: held}, nodes={}, saved={})
