"""Where questions are asked, while the steps of a run arrive."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.questions import Gates, place


def step(index: int, line: int, then: int | None, *, began: int = -1, visit: int = 1) -> Step:
    began = index if began < 0 else began
    return Step(index=index, line=line, end_line=line, began=began, then=then, visit=visit)


def ended(*steps: Step) -> Timeline:
    timeline = Timeline()
    for each in steps:
        timeline.append(each)
    return timeline


@pytest.mark.parametrize(("anchor", "found"), [("loop", (3, 1)), ("loop#4", (3, 4))])
def test_an_anchor_names_a_line_and_a_visit(anchor: str, found: tuple[int, int]) -> None:
    assert place(anchor, {"loop": 3}) == found


def test_a_gate_is_known_as_soon_as_the_line_before_it_has_run() -> None:
    gates = Gates([("q", (3, 1))])

    gates.add(step(0, 1, then=3))

    assert (gates.before, gates.asked) == ({"q": 1}, {})


def test_the_first_line_of_a_program_can_be_asked_about() -> None:
    gates = Gates([("q", (1, 1))])

    gates.begin(1)

    assert gates.before == {"q": 0}


def test_a_later_visit_waits_for_its_turn() -> None:
    gates = Gates([("q", (2, 3))])

    for index in range(2):
        gates.add(step(index, 2, then=2, visit=index + 1))

    assert gates.before == {"q": 2}


def test_a_line_that_calls_functions_is_asked_about_before_they_run() -> None:
    """Line 4 calls a function whose lines finish first."""
    gates = Gates([("q", (4, 1))])
    for each in (step(0, 1, then=4), step(1, 2, then=4), step(2, 4, then=None, began=1)):
        gates.add(each)

    assert (gates.before, gates.asked) == ({"q": 1}, {"q": 2})


def test_a_line_in_which_the_run_died_is_still_asked_about() -> None:
    gates = Gates([("q", (3, 1))])
    died = step(0, 1, then=3)
    gates.add(died)

    gates.end(ended(died))

    assert gates.before == {"q": 1}


def test_a_line_that_was_announced_and_never_begun_is_not_asked_about() -> None:
    gates = Gates([("q", (3, 1))])
    steps = (step(0, 1, then=3), step(1, 5, then=None))
    for each in steps:
        gates.add(each)

    gates.end(ended(*steps))

    assert gates.before == {}
