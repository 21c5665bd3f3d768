"""What happens to one storage, cut into as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from inplace_tui.model.index import Life


class Event(StrEnum):
    """The most telling thing that happened to a storage within a column."""

    NONE = "none"
    BORN = "born"
    WRITTEN = "written"
    UNSEEN = "unseen"
    """Written, and no version counter moved."""

    SPOILED = "spoiled"
    """Written while a node held it, which then would fail the version check."""

    FREED = "freed"


_RANK = {
    event: rank
    for rank, event in enumerate(
        (Event.NONE, Event.BORN, Event.FREED, Event.WRITTEN, Event.UNSEEN, Event.SPOILED)
    )
}


@dataclass(frozen=True)
class Cell:
    """One storage during the steps of one column, at the end of which it is alive or held."""

    event: Event = Event.NONE
    alive: bool = False
    held: bool = False


def columns(steps: int, room: int) -> list[range]:
    """Share `steps` among at most `room` columns: one each, or runs of equal length."""
    if steps <= 0 or room <= 0:
        return []
    each = -(-steps // room)
    return [range(start, min(start + each, steps)) for start in range(0, steps, each)]


def lane(life: Life, cut: list[range], *, until: int) -> list[Cell]:
    """Return the cells of one storage; steps from `until` on are left empty.

    One pass over what happened, whatever the number of columns: `cut` is what
    `columns` returned.
    """
    if not cut:
        return []
    each = len(cut[0])
    events = [Event.NONE] * len(cut)
    for step, event in _happened(life):
        if step < until and _RANK[event] > _RANK[events[step // each]]:
            events[step // each] = event
    held = _held(life, cut, until)
    cells = []
    for place, steps in enumerate(cut):
        last = min(steps.stop, until) - 1
        if last < steps.start or life.born > last:
            cells.append(Cell())
            continue
        alive = life.freed is None or life.freed > last
        cells.append(Cell(events[place], alive, held[place]))
    return cells


def _happened(life: Life) -> Iterator[tuple[int, Event]]:
    yield life.born, Event.BORN
    if life.freed is not None:
        yield life.freed, Event.FREED
    for step, version in life.writes:
        yield step, Event.UNSEEN if version is None else Event.WRITTEN
    before = 0
    for step, count in life.stale:
        if count > before:
            yield step, Event.SPOILED
        before = count


def _held(life: Life, cut: list[range], until: int) -> list[bool]:
    """Return, for each column, whether a node holds the storage at its end."""
    found = []
    changes = iter([*life.held, (cut[-1].stop, 0)])
    count, (step, following) = 0, next(changes)
    for steps in cut:
        last = min(steps.stop, until) - 1
        while step <= last:
            count = following
            step, following = next(changes)
        found.append(count > 0)
    return found
