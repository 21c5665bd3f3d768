"""What happens to one storage, cut into as many columns as there is room for."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum

from inplace_tui.model.index import Life, value_at


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
    """Return the cells of one storage; steps from `until` on are left empty."""
    return [_cell(life, steps, until) for steps in cut]


def _cell(life: Life, steps: range, until: int) -> Cell:
    stop = min(steps.stop, until)
    if stop <= steps.start or life.born >= stop:
        return Cell()
    last = stop - 1
    alive = life.freed is None or life.freed > last
    held = value_at(life.held, last) > 0
    return Cell(_event(life, range(steps.start, stop)), alive, held)


def _event(life: Life, steps: range) -> Event:
    first = bisect_left(life.writes, steps.start, key=lambda write: write[0])
    end = bisect_left(life.writes, steps.stop, key=lambda write: write[0])
    versions = [version for _, version in life.writes[first:end]]
    spoiled = (
        at for at, count in life.stale if at in steps and count > value_at(life.stale, at - 1)
    )
    if next(spoiled, None) is not None:
        return Event.SPOILED
    if None in versions:
        return Event.UNSEEN
    if versions:
        return Event.WRITTEN
    if life.freed is not None and life.freed in steps:
        return Event.FREED
    return Event.BORN if life.born in steps else Event.NONE
