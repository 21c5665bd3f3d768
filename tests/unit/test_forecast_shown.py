"""Where a forecast is shown, who finds it, and that no open question is answered by it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.forecast import WORDS
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    FindForecast,
    ForecastKnown,
    ForecastRequested,
    Move,
    Moved,
    RunBegan,
    RunEnded,
    StepsArrived,
)
from inplace_tui.tutorial.activity.session.view import Mask, View
from inplace_tui.tutorial.forecast.forecast import (
    Runs,
    RunsWrong,
    StepForecasts,
    Unknown,
    UnknownReason,
)
from inplace_tui.tutorial.present import table
from support.played import begun, move
from support.views import SOURCE, asking, at, failing, saved_output, timeline

PROGRAM = Program(source=SOURCE, origin=Origin.OWN)


def text(view: View, *, language: str = "en", room: int = 160) -> str:
    rows = table.rows(view, room, language, selected=2, column="forecast")
    return "\n".join(row.text for row in rows)


def test_the_table_has_a_column_for_it() -> None:
    assert "▸ bwd?" in text(at(2))
    assert "▸ ok" in text(at(2))
    assert "▸ !err" in text(at(4))
    assert "backward from here: raises at ExpBackward0" in text(at(4))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("room", [40, 80, 120, 200])
def test_the_column_that_is_pointed_at_is_there_at_every_width(room: int, language: str) -> None:
    assert WORDS["raises"][language] in text(at(4), language=language, room=room)


@pytest.mark.parametrize("cursor", range(5))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_forecast_is_told_while_a_question_is_open(cursor: int, language: str) -> None:
    shown = text(asking(cursor), language=language)
    asked_of_a_cell = text(
        at(cursor, mask=Mask(cells=frozenset({("y", "grad_fn")}))), language=language
    )

    for said in (shown, asked_of_a_cell):
        words = [WORDS[key][language] for key in ("runs", "raises", "wrong")]
        cells = [word for row in said.splitlines() for word in row.split() if word in words]
        assert cells == []
        assert "backward from here" not in said
        assert "从这里反向传播" not in said


def test_with_the_mask_the_screen_is_the_same_whatever_backward_would_do() -> None:
    doomed = failing()
    steps = [
        msgspec.structs.replace(step, saved=(saved_output(),)) if step.index == 3 else step
        for step in doomed
    ]
    fine = timeline(*steps)

    assert text(asking(4)) == text(
        replace(asking(4), timeline=fine, snapshot=fine.at(4), previous=fine.at(3))
    )


def test_what_a_replay_found_takes_the_place_of_the_question_mark() -> None:
    hidden = _hidden()
    view = at(2, hidden, step_forecasts=StepForecasts(hidden, 2))

    assert "▸ ?" in text(view)
    assert "does not show what it saved" in text(view)
    assert "▸ ~wrong" in text(replace(view, found_forecasts={2: RunsWrong()}))
    assert "found by replaying" in text(replace(view, found_forecasts={2: Runs()}))
    assert "replaying the program" in text(replace(view, pending_forecast=2))


def _hidden() -> Timeline:
    """Return the first lines of the program, with a node that hides what it saved."""
    steps = list(failing())[:3]
    nodes = tuple(
        msgspec.structs.replace(node, name="CopySlices", opaque=True) if node.id == 2 else node
        for node in steps[2].nodes
    )
    return timeline(*steps[:2], msgspec.structs.replace(steps[2], nodes=nodes, saved=()))


def ended() -> Session:
    """Return a session of the sandbox, at the end of a run whose graph is silent."""
    session = Session(PROGRAM)
    session.start()
    session.handle(RunBegan(run=1, line=1))
    session.handle(StepsArrived(run=1, steps=tuple(_hidden())))
    session.handle(RunEnded(run=1, outcome=Completed()))
    session.handle(Moved(Move.END))
    return session


def test_a_silent_graph_has_the_program_replayed_once() -> None:
    session = ended()

    first = session.handle(ForecastRequested(2))
    again = session.handle(ForecastRequested(2))

    step = session.view().timeline.steps[2]
    assert first == [FindForecast(run=1, program=PROGRAM, step=step, tensor=2, name="y")]
    assert again == []
    assert session.view().pending_forecast == 2


def test_the_answer_stays_with_its_step() -> None:
    session = ended()
    session.handle(ForecastRequested(2))

    session.handle(ForecastKnown(run=1, step=2, tensor=2, forecast=RunsWrong()))

    assert session.view().found_forecasts == {2: RunsWrong()}
    assert session.view().pending_forecast is None
    session.handle(Moved(Move.BACK))
    assert session.view().found_forecasts == {}
    session.handle(Moved(Move.NEXT))
    assert session.handle(ForecastRequested(2)) == []


def test_an_answer_that_comes_after_a_restart_is_forgotten() -> None:
    session = ended()
    session.handle(ForecastRequested(2))

    session.handle(ForecastKnown(run=7, step=2, tensor=2, forecast=RunsWrong()))

    assert session.view().found_forecasts == {}


def test_what_the_graph_tells_is_not_replayed() -> None:
    session = ended()

    assert session.handle(ForecastRequested(1)) == []
    assert session.handle(ForecastRequested(99)) == []


def test_nothing_is_replayed_while_a_question_is_open() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=tuple(_hidden())))
    session.handle(RunEnded(run=1, outcome=Completed()))
    view = move(session, Move.NEXT)

    assert view.step_forecasts is None
    assert session.handle(ForecastRequested(2)) == []


def test_unknown_stays_unknown_until_replays_find_it() -> None:
    view = ended().view()

    assert view.step_forecasts is not None
    assert view.step_forecasts.of(2) == Unknown(UnknownReason.HIDDEN, 2)
