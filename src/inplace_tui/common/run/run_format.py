"""How names and values of a run are written: the same in all panels, at each of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from weakref import WeakKeyDictionary

from inplace_tui.common.cells import clean, initialed, shorten, width
from inplace_tui.common.run.aliasing import letter
from inplace_tui.common.run.snapshot import EMPTY, Snapshot, Storage, Tensor
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import DECIMALS, decimals_that_fit

NAME = 22
"""Cells that a name has at most where names stand below each other."""

GRADIENT = ".grad"

MAX_MOMENTS = 64
"""Contents of a tensor, from its first on, that are read to find out how much room it needs."""


class RunFormat:
    """What the tensors of one run need, as far as it was recorded."""

    def __init__(self) -> None:
        self.longest_name = 0
        """Cells of the longest name as it is spelled."""

        self.longest_shape = self.longest_letter = 0
        self.lines: set[int] = set()
        """Lines that ran."""

        self.has_views = False
        """Two tensors were on one storage."""

        self._first_on: dict[int | None, int] = {}
        self._read = 0
        self._spelled: dict[str, str] = {}
        self._taken: set[str] = set()
        self._decimals: dict[tuple[int, int], tuple[tuple[int, int], int]] = {}

    def read(self, timeline: Timeline) -> None:
        """Take the steps that have come since."""
        for step in timeline.steps[self._read :]:  # `islice` would go through those before
            self.lines.add(step.line)
            for tensor in step.tensors:
                names = tensor_name(tensor), clean((*tensor.names, "?")[0])
                cells = max(width(self.spell(name)) for name in names)
                self.longest_name = max(self.longest_name, cells)
                first = self._first_on.setdefault(tensor.storage, tensor.id)
                self.has_views |= first != tensor.id
                shape = len(",".join(map(str, tensor.shape))) + 2
                self.longest_shape = max(self.longest_shape, shape)
        self.longest_letter = len(letter(max(0, len(timeline.index.ranks) - 1)))
        self._read = len(timeline.steps)

    def spell(self, name: str) -> str:
        """Return a name in at most `NAME` cells, as no other one is spelled."""
        if name not in self._spelled:
            found = (each for each in self._spellings(name) if each not in self._taken)
            short = next(found, name)
            self._spelled[name] = short
            self._taken.add(short)
        return self._spelled[name]

    def spelled(self, text: str) -> str:
        """Return the name of a tensor as it is spelled, any other text as it is."""
        return self._spelled.get(text, text)

    def _spellings(self, name: str) -> Iterator[str]:
        """Yield how a name may be spelled, the best first: with its gradient's in mind."""
        room = NAME - len(GRADIENT)
        base = name.removesuffix(GRADIENT)
        if base != name:
            yield shorten(self.spell(base), room) + GRADIENT
        short = base
        while width(short) > room and (shorter := initialed(short)) != short:
            short = shorter
        if base == name and width(short) <= NAME:
            yield short
        yield shorten(name, NAME)
        for head in range(NAME - 2, 0, -1):
            yield f"{name[:head]}…{name[head + 1 - NAME :]}" if width(name) > NAME else name
        for number in range(2, 1000):
            yield f"{shorten(name, NAME - 1 - len(str(number)))}~{number}"

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


def spell(timeline: Timeline, name: str, room: int) -> str:
    """Return a name as it stands in all panels; shorter where there is less room than for that."""
    short = run_format(timeline).spell(name)
    return short if width(short) <= room else shorten(name, room)


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
