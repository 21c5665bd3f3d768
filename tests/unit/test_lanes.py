"""The lives of storages, cut into columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.engine.state.lanes import Cell, Event, columns, lane
from inplace_tui.model.index import Life

LIFE = Life(born=1, freed=8, writes=[(3, 1), (5, None), (6, 2)], held=[(2, 1), (7, 0)],
            stale=[(6, 1), (7, 0)])  # fmt: skip


@given(steps=st.integers(0, 500), room=st.integers(0, 80))
def test_every_step_is_in_exactly_one_column(steps: int, room: int) -> None:
    cut = columns(steps, room)

    assert len(cut) <= room
    assert [step for column in cut for step in column] == (list(range(steps)) if room else [])


def test_a_life_column_by_column() -> None:
    cells = lane(LIFE, columns(9, 80), until=9)

    assert [cell.event.value for cell in cells] == [
        "none", "born", "none", "written", "none", "unseen", "spoiled", "none", "freed",
    ]  # fmt: skip
    assert [cell.held for cell in cells] == [False, False, *[True] * 5, False, False]
    assert [cell.alive for cell in cells] == [False, *[True] * 7, False]


def test_a_column_of_many_steps_shows_the_most_telling_one() -> None:
    assert [cell.event for cell in lane(LIFE, columns(9, 3), until=9)] == [
        Event.BORN,
        Event.UNSEEN,
        Event.SPOILED,
    ]


def test_nothing_is_drawn_beyond_the_cursor() -> None:
    cells = lane(LIFE, columns(9, 80), until=3)

    assert cells[3:] == [Cell()] * 6
