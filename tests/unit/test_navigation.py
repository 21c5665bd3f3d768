"""Movements, checked on random trees of calls whose structure the test knows."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.snapshot import Storage, Tensor
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session import movement


@dataclass
class Line:
    """One line of a frame, and the frames that it calls."""

    calls: list[list[Line]] = field(default_factory=list)


lines = st.recursive(
    st.builds(Line),
    lambda inner: st.builds(
        Line, calls=st.lists(st.lists(inner, min_size=1, max_size=3), max_size=2)
    ),
    max_leaves=12,
)
programs = st.lists(lines, min_size=1, max_size=4)


@dataclass
class Ran:
    """A timeline and what the test knows of it."""

    timeline: Timeline
    frame: list[int]
    """For each step, which call it belongs to; 0 is the module."""

    caller: dict[int, int]
    """For each call, the step of the line that made it."""


def run(program: list[Line]) -> Ran:
    """Run a tree of calls; every line of it has a line number of its own."""
    ran = Ran(Timeline(), [], {})
    numbers: dict[int, int] = {}
    _number(program, numbers)
    _run_frame(program, ran, numbers, depth=0, back_to=None)
    ran.timeline.outcome = Completed()
    return ran


def _number(frame: list[Line], numbers: dict[int, int]) -> None:
    for line in frame:
        numbers[id(line)] = len(numbers) + 1
        for call in line.calls:
            _number(call, numbers)


def _run_frame(
    frame: list[Line], ran: Ran, numbers: dict[int, int], *, depth: int, back_to: int | None
) -> None:
    identity = len(ran.caller) if depth else 0
    for place, line in enumerate(frame):
        began = len(ran.timeline)
        number = numbers[id(line)]
        made = []
        for call in line.calls:
            made.append(len(ran.caller) + 1)
            ran.caller[made[-1]] = -1
            _run_frame(call, ran, numbers, depth=depth + 1, back_to=number)
        index = len(ran.timeline)
        ran.caller.update(dict.fromkeys(made, index))
        ran.frame.append(identity)
        following = numbers[id(frame[place + 1])] if place + 1 < len(frame) else back_to
        ran.timeline.append(step(index, number, began=began, depth=depth, then=following))


def timeline(*steps: Step) -> Timeline:
    made = Timeline()
    for step in steps:
        made.append(step)
    made.outcome = Completed()
    return made


def step(index: int, line: int, **rest: object) -> Step:
    plain = Step(index=index, line=line, end_line=line, began=index)
    return msgspec.structs.replace(plain, **rest)


# 1 def f(x):      2 y = x + 1      3 return y      4 a = f(x)      5 a.sum()
CALL = (
    step(0, 1, then=4),
    step(1, 2, then=3, depth=1),
    step(2, 3, then=4, depth=1),
    step(3, 4, then=5, began=1),
    step(4, 5),
)


@given(programs)
def test_over_never_enters_a_call(program: list[Line]) -> None:
    """From a line, over leads to the next line of its frame, or to the caller."""
    ran = run(program)

    for cursor in range(len(ran.timeline)):
        reached = movement.over(ran.timeline, cursor)

        if reached is None:
            assert cursor == len(ran.timeline) - 1
        else:
            frame = ran.frame[cursor]
            assert ran.frame[reached] == frame or reached == ran.caller[frame]


@given(programs)
def test_over_from_the_start_walks_the_module_and_back_returns(program: list[Line]) -> None:
    """At module level, back undoes over exactly."""
    ran = run(program)
    cursor = -1

    for _ in program:
        reached = movement.over(ran.timeline, cursor)

        assert reached is not None
        assert ran.frame[reached] == 0
        assert movement.back(ran.timeline, reached) == cursor
        cursor = reached

    assert cursor == len(ran.timeline) - 1
    assert movement.over(ran.timeline, cursor) is None


@given(programs)
def test_into_visits_every_line_once(program: list[Line]) -> None:
    ran = run(program)
    visited = []
    reached = movement.into(ran.timeline, -1)

    while reached is not None:
        visited.append(reached)
        reached = movement.into(ran.timeline, reached)

    assert visited == list(range(len(ran.timeline)))


@given(programs)
def test_out_leads_to_the_caller_and_to_call_before_it(program: list[Line]) -> None:
    ran = run(program)

    for cursor, frame in enumerate(ran.frame):
        caller = ran.caller.get(frame)
        before = None if caller is None else ran.timeline.steps[caller].began - 1

        assert movement.out(ran.timeline, cursor) == caller
        assert movement.to_call(ran.timeline, cursor) == before


@given(programs)
def test_to_return_leads_to_the_last_line_of_a_call(program: list[Line]) -> None:
    ran = run(program)

    for cursor in range(len(ran.timeline)):
        reached = movement.to_return(ran.timeline, cursor)
        ends = [i for i in range(cursor) if ran.frame[i] and ran.frame[i] not in ran.frame[i + 1 :]]

        assert reached == max(ends, default=None)


@pytest.mark.parametrize(
    ("move", "cursor", "expected"),
    [
        (movement.over, -1, 0),
        (movement.over, 0, 3),
        (movement.over, 1, 2),
        (movement.over, 2, 3),
        (movement.over, 4, None),
        (movement.back, 3, 0),
        (movement.back, 2, 1),
        (movement.back, 1, 0),
        (movement.back, -1, None),
        (movement.into, 0, 1),
        (movement.out, 1, 3),
        (movement.out, 0, None),
        (movement.to_call, 2, 0),
        (movement.to_call, 4, None),
        (movement.to_return, 3, 2),
        (movement.to_return, 2, None),
    ],
)
def test_movements_around_one_call(move: object, cursor: int, expected: int | None) -> None:
    assert callable(move)
    assert move(timeline(*CALL), cursor) == expected


def test_over_waits_while_the_call_is_still_running() -> None:
    running = timeline(*CALL[:3])
    running.outcome = None

    assert movement.over(running, 0) is None


def test_over_a_call_that_never_returned_leads_to_the_end_of_the_run() -> None:
    assert movement.over(timeline(*CALL[:3]), 0) == 2


def test_running_to_a_line_stops_before_its_next_visit() -> None:
    loop = timeline(step(0, 1, then=2), *(step(i, 2, then=2, visit=i) for i in (1, 2, 3)))

    assert movement.run_to(loop, -1, line=2) == 0
    assert movement.run_to(loop, 0, line=2) == 1


def test_running_to_a_line_that_lies_behind_goes_back() -> None:
    assert movement.run_to(timeline(*CALL), 4, line=4) == 0


def test_running_to_the_first_line_of_a_function_shows_it_when_it_ran() -> None:
    assert movement.run_to(timeline(*CALL), 0, line=2) == 1


def test_running_to_a_line_in_which_the_run_died_leads_before_it() -> None:
    died = timeline(step(0, 1, then=2), step(1, 2, then=3))

    assert movement.run_to(died, -1, line=3) == 1


def test_a_line_that_never_runs_is_nowhere() -> None:
    assert movement.run_to(timeline(*CALL), -1, line=9) is None


def test_an_exception_is_one_failure_however_many_frames_it_leaves() -> None:
    raised = timeline(
        step(0, 1, then=4),
        step(1, 2, depth=1, then=4, raised="ValueError: no"),
        step(2, 4, began=1, then=6, raised="ValueError: no"),
        step(3, 6, then=7),
        step(4, 7, raised="ValueError: no"),
    )

    assert raised.index.failed == [1, 4]


@pytest.mark.parametrize(
    ("cursor", "following", "preceding"), [(-1, 2, None), (2, 5, -1), (5, 9, 2), (9, None, 5)]
)
def test_stops_lead_both_ways_and_end_at_the_ends(
    cursor: int, following: int | None, preceding: int | None
) -> None:
    assert movement.next_stop([5, 2], cursor, last=9) == following
    assert movement.previous_stop([5, 2], cursor) == preceding


def test_the_last_write_is_found_through_any_alias_and_asking_again_goes_further_back() -> None:
    x = Tensor(id=1, names=("x",), shape=(2,), dtype="float32", storage=1)
    view = Tensor(id=2, names=("v",), shape=(1,), dtype="float32", storage=1)
    write = Mutation(line=2, op="Tensor.add_", tensor=2, storage=1, before=0, after=1)
    written = timeline(
        step(0, 1, tensors=(x, view), storages=(Storage(id=1, nbytes=8),)),
        step(1, 2, events=(write,)),
        step(2, 3, events=(write,)),
        step(3, 4),
    )

    assert movement.last_write(written, 3, tensor=1) == 2
    assert movement.last_write(written, 2, tensor=1) == 1
    assert movement.last_write(written, 1, tensor=1) is None


def test_the_next_write_is_found_through_any_alias_and_asking_again_goes_further_on() -> None:
    x = Tensor(id=1, names=("x",), shape=(2,), dtype="float32", storage=1)
    write = Mutation(line=2, op="Tensor.add_", tensor=2, storage=1, before=0, after=1)
    written = timeline(
        step(0, 1, tensors=(x,), storages=(Storage(id=1, nbytes=8),)),
        step(1, 2),
        step(2, 2, events=(write,)),
        step(3, 3, events=(write,)),
    )

    assert movement.next_write(written, 0, tensor=1) == 2
    assert movement.next_write(written, 2, tensor=1) == 3
    assert movement.next_write(written, 3, tensor=1) is None


@given(programs)
def test_run_to_finds_what_a_search_through_all_steps_finds(program: list[Line]) -> None:
    """However often a line runs, and whatever it calls."""
    timeline = run([*program, *program]).timeline
    steps = timeline.steps
    for line in timeline.index.visits:
        places = set()
        for each in steps:
            before = steps[each.began - 1].depth if each.began else 0
            if each.line == line:
                places.add(each.index if before < each.depth else each.began - 1)
        for cursor in range(-1, len(steps)):
            ahead = min((place for place in places if place > cursor), default=None)
            behind = max((place for place in places if place < cursor), default=None)

            reached = movement.run_to(timeline, cursor, line=line)

            assert reached == (behind if ahead is None else ahead)
