"""The lives of storages, cut into columns, against a walk over every step."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.histories import Life, value_at
from inplace_tui.tutorial.present.lanes import LaneLayout, LaneOptions, rows
from inplace_tui.tutorial.state.lifetimes import (
    LifetimeCell,
    LifetimeEvent,
    neighbours,
    scales,
    storage_cell,
    tensor_cell,
    window,
)
from support.recording import record
from support.views import asking, at

MAX_STEPS = 40
RANK = list(LifetimeEvent)


@dataclass(frozen=True)
class Lived:
    """A life, and what was so at each step of it."""

    life: Life
    writes: dict[int, list[int | None]]
    held: list[int]
    stale: list[int]


def changes(values: list[int], born: int) -> list[tuple[int, int]]:
    """Return what a list of values is as changes."""
    told, before = [], 0
    for step, value in enumerate(values):
        if step >= born and value != before:
            told.append((step, value))
            before = value
    return told


@st.composite
def lives(draw: st.DrawFn) -> Lived:
    """Draw a life of at most `MAX_STEPS` steps, with whatever may happen in it."""
    born = draw(st.integers(0, MAX_STEPS - 1))
    freed = draw(st.none() | st.integers(born, MAX_STEPS - 1))
    end = MAX_STEPS if freed is None else freed
    inside = range(born, end)
    held = [draw(st.integers(0, 2)) if step in inside else 0 for step in range(MAX_STEPS)]
    stale = [draw(st.integers(0, each)) if each else 0 for each in held]
    writes: dict[int, list[int | None]] = {
        step: draw(st.lists(st.none() | st.integers(1, 9), max_size=2)) for step in inside
    }
    rose = [step for step in inside if stale[step] > (stale[step - 1] if step else 0)]
    life = Life(
        born=born,
        freed=freed,
        writes=[(step, version) for step in inside for version in writes[step]],
        uncounted=[step for step in inside for version in writes[step] if version is None],
        held=changes(held, born),
        stale=changes(stale, born),
        spoiled=rose,
    )
    return Lived(life, writes, held, stale)


def walked(lived: Lived, start: int, stop: int) -> LifetimeCell:
    """Return the cell of a column by looking at each of its steps."""
    life, events, count, spoiled, written = lived.life, {LifetimeEvent.NONE}, 0, 0, 0
    for step in range(start, min(stop, MAX_STEPS)):
        for version in lived.writes.get(step, []):
            events.add(LifetimeEvent.UNCOUNTED if version is None else LifetimeEvent.WRITTEN)
            written += 1
        if step in life.spoiled:
            events.add(LifetimeEvent.SPOILED)
            spoiled += 1
        for event, when in ((LifetimeEvent.BORN, life.born), (LifetimeEvent.FREED, life.freed)):
            if step == when:
                events.add(event)
                count += 1
    there = range(life.born, MAX_STEPS if life.freed is None else life.freed)
    column = range(start, min(stop, MAX_STEPS))
    return LifetimeCell(
        event=max(events, key=RANK.index),
        count=count + max(written, spoiled),
        alive=any(step in there for step in column),
        held=any(value_at(life.held, step) for step in column),
        stale=any(value_at(life.stale, step) for step in column),
    )


@given(lived=lives(), start=st.integers(0, MAX_STEPS), length=st.integers(0, MAX_STEPS))
def test_a_column_is_what_a_walk_over_its_steps_finds(
    lived: Lived, start: int, length: int
) -> None:
    """The most telling event, how many there were, and what was so at any step."""
    found = storage_cell(lived.life, start, min(start + length, MAX_STEPS))

    assert found == walked(lived, start, start + length)


@given(
    steps=st.integers(1, 5000),
    room=st.integers(4, 200),
    cursor=st.integers(-1, 4999),
    scale=st.none() | st.integers(0, 12),
    start=st.integers(0, 5000),
)
def test_the_window_has_the_cursor_in_it_and_fits(
    steps: int, room: int, cursor: int, scale: int | None, start: int
) -> None:
    """On every scale, wherever it stood before; all steps are in it where there is room."""
    cursor = min(cursor, steps - 1)

    shown = window(steps, room, cursor=cursor, scale=scale, start=start)

    assert shown.columns * shown.cells <= max(room, shown.cells)
    assert shown.column(max(0, cursor)) is not None
    assert shown.start % shown.each == 0
    assert shown.stop - shown.each < steps
    if scale is None:
        assert (shown.start, shown.stop >= steps) == (0, True)


@given(steps=st.integers(1, 100_000), room=st.integers(8, 200))
def test_each_scale_shows_more_steps_than_the_one_before(steps: int, room: int) -> None:
    """From eight cells a step to the whole run."""
    shown = [each / cells for each, cells in scales(steps, room)]

    assert shown == sorted(set(shown))
    assert scales(steps, room)[-1][0] * (room // scales(steps, room)[-1][1]) >= steps


@given(lived=lives(), cursor=st.integers(-1, MAX_STEPS))
def test_what_happens_next_is_where_the_lane_is_not_empty(lived: Lived, cursor: int) -> None:
    """Births, ends, writes, and changes of what nodes hold."""
    life = lived.life
    told = {life.born, *(step for step, _ in (*life.writes, *life.held, *life.stale))}
    told |= set() if life.freed is None else {life.freed}

    before, after = neighbours(life, cursor, until=MAX_STEPS)

    assert before == max((step for step in told if step < cursor), default=None)
    assert after == min((step for step in told if step > cursor), default=None)


def test_nothing_is_drawn_of_what_must_not_be_seen() -> None:
    life = Life(born=1, freed=8, writes=[(3, 1), (5, 2)])

    cells = [storage_cell(life, step, min(step + 1, 3)) for step in range(9)]

    assert cells[3:] == [LifetimeCell()] * 6


def test_a_view_is_there_from_its_birth_to_its_end() -> None:
    assert [tensor_cell(2, 5, (3,), step, step + 1) for step in range(7)] == [
        LifetimeCell(),
        LifetimeCell(),
        LifetimeCell(LifetimeEvent.BORN, 1, alive=True),
        LifetimeCell(LifetimeEvent.WRITTEN, 1, alive=True),
        LifetimeCell(alive=True),
        LifetimeCell(LifetimeEvent.FREED, 1),
        LifetimeCell(),
    ]


VIEWS = """\
import torch
x = torch.arange(12.0)
v = x[2:5]
col = x.view(3, 4)[:, 2]
v.add_(1)
del v
"""


def test_views_have_rows_beneath_their_base_with_the_part_they_cover() -> None:
    timeline = record(VIEWS).timeline

    told = [row.text.rstrip() for row in rows(at(5, timeline), 70, "en")]

    lanes = [line for line in told if "○" in line and "made" not in line]
    assert [line.split("○")[0].split() for line in lanes] == [
        ["A", "x", "v1"],
        ["└v[2:5]"],
        ["└col[2:11:4]", "v1"],
    ]
    assert lanes[1].rstrip(" │").endswith("∅")


def test_behind_an_open_question_there_are_no_columns() -> None:
    view = asking()

    layout = LaneLayout(view, 70, LaneOptions(), "en")

    assert layout.window.stop == layout.until == view.reachable + 1
    assert "✗" not in "".join(row.text for row in rows(view, 70, "en"))


LOOP = """\
import torch
x = torch.ones(3, requires_grad=True)
total = torch.zeros(3)
for _ in range(6):
    y = x.exp()
    total.add_(1)
    y.add_(1)
"""


def test_a_step_changes_what_drawing_all_lanes_anew_would_change() -> None:
    timeline = record(LOOP).timeline
    walk = [*range(-1, len(timeline)), *range(len(timeline) - 1, -1, -3)]
    for room in (40, 70):
        layout, same = None, 0
        for cursor in walk:
            drawn = rows(at(cursor, timeline), room, "en", before=layout)

            assert [*drawn] == [*rows(at(cursor, timeline), room, "en")]
            same += layout is not None and drawn.layout.drawn is layout.drawn
            layout = drawn.layout
        assert same > len(timeline)
