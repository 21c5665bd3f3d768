"""Every lesson, played to its end as a learner would, with real runs."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile

import pytest

from inplace_tui.common.run.snapshot import SlotState
from inplace_tui.common.run.step import Step
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SaveProgress
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    AnswerRequested,
    QuestionLeft,
    QuestionReopened,
    StepChosen,
)
from inplace_tui.tutorial.activity.session.view import (
    Gate,
    QuestionView,
    View,
    asks_if_it_fails,
    names_lines,
)
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    ChoicesView,
    LinesView,
    OrderView,
    TypedView,
)
from inplace_tui.tutorial.course.lessons.kinds.order import moved
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.present import code, graph, lanes, narration, table
from inplace_tui.tutorial.report import plain
from inplace_tui.tutorial.ui.panels.steps import StepRows
from support.course import COURSE
from support.lent import Remembered
from support.playing import OPEN, started, step_on, until_judged

pytestmark = pytest.mark.asyncio(loop_scope="session")

LESSONS = pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda each: each.lesson.id)


def answer(runner: SessionRunner, lesson: LoadedLesson, shown: QuestionView) -> None:
    """Give an answer that was not tried: wrong ones may come first, all come in the end."""
    asked = next(s.ask for s in lesson.lesson.steps if s.ask and s.ask.id == shown.id)
    match shown.answers:
        case LinesView():
            lines = [
                lesson.anchors[c.at] for c in asked.choices if c.at and c.id not in shown.tried
            ]
            runner.send(AnswerGiven(str(lines[0])))
        case OrderView() as order:
            last = len(asked.lines) - 1
            runner.send(AnswerGiven(moved(order, last, -last) if shown.tried else order.answer))
        case TypedView():
            runner.send(AnswerGiven(f"{1234 + len(shown.tried)}"))
        case ChoicesView(choices=choices):
            names = [name for name, _ in choices if name not in shown.tried]
            runner.send(AnswerGiven(names[0]))


@LESSONS
@pytest.mark.whole(every=8)
async def test_wrong_and_right_answers_lead_to_the_recap(
    worker: Worker, lesson: LoadedLesson
) -> None:
    kept: list[SaveProgress] = []
    runner = await started(lesson, Remembered(worker), kept)
    view: View | None = runner.session.view()

    while view is not None:
        while view.question is not None and view.question.status in OPEN:
            answer(runner, lesson, view.question)
            view = await until_judged(runner)
        if view.question is not None:
            assert view.question.right is not None
        view = step_on(runner)

    end = runner.session.view()
    await runner.close()
    assert end.recap is not None
    assert set(end.gates.values()) == {Gate.DONE}
    assert kept[-1].finished


@LESSONS
@pytest.mark.whole(every=8)
async def test_passing_every_question_gives_no_answer_away(
    worker: Worker, lesson: LoadedLesson
) -> None:
    runner = await started(lesson, Remembered(worker), [])
    view: View | None = runner.session.view()
    seen = []

    while view is not None:
        seen.append(view)
        if view.question is not None:
            runner.send(QuestionLeft())
        view = step_on(runner)
    runner.send(QuestionReopened())
    reopened = runner.session.view()
    await runner.close()

    assert reopened.question is not None
    assert reopened.question.status is QuestionStatus.OPEN
    for each in seen:
        first = min(step for step, gate in each.gates.items() if gate is not Gate.DONE)
        told = [s for s in each.timeline.steps[first:] if s.raised is not None or s.events]
        assert told == []
        assert each.recap is None
        assert each.outcome is None or not each.mask.outcome


@LESSONS
@pytest.mark.whole(every=8)
async def test_marks_that_would_answer_wait_for_the_answer(
    worker: Worker, lesson: LoadedLesson
) -> None:
    runner = await started(lesson, Remembered(worker), [])
    view: View | None = runner.session.view()
    asked: list[tuple[int, bool, bool]] = []

    while view is not None:
        hidden = covered_on_the_way(lesson, view)
        if view.question is not None and view.question.status in OPEN:
            claims = lesson.questions[view.question.id].claims
            hidden = (True, True) if asks_if_it_fails(claims) else names_lines(claims)
            asked.append((view.cursor, *hidden))
        screen = told(view)
        for is_hidden, mark in zip(hidden, (SAVES, WRITES), strict=True):
            assert not is_hidden or not re.search(mark, screen), (view.cursor, mark)
        if view.question is not None and view.question.status in OPEN:
            runner.send(AnswerRequested())
            await until_judged(runner)
        view = step_on(runner)
    found = []
    for cursor, saves, writes in asked:
        runner.send(StepChosen(cursor))
        view = runner.session.view()
        steps = view.timeline.steps[: cursor + 1]
        found += [each.line for each in steps if saves and saved_here(each)]
        found += [each.line for each in steps if writes and each.mutations]
        noted = {line for line in found if code.notes(view, line, "en")}
        assert noted == set(found)
    await runner.close()


def covered_on_the_way(lesson: LoadedLesson, view: View) -> tuple[bool, bool]:
    """Return whether the first question is still to come, and asks who saved, or who wrote."""
    asked = next((step.ask for step in lesson.lesson.steps if step.ask is not None), None)
    if asked is None or Gate.DONE in view.gates.values():
        return False, False
    return names_lines(lesson.questions[asked.id].claims)


SAVES = r"saves |\bsaved .* for backward|held by|━|saved at v"
WRITES = r"v\d+ → v\d+|~v\d|\d→\d|version \d+ →|[◆!] |changed by line|wrote"


def told(view: View) -> str:
    """Return all that the panels say of a moment, apart from the author's own words."""
    view = replace(view, narration=None)
    panels = (code, graph, narration, table)
    rows = [row for panel in panels for row in panel.rows(view, 200, "en")]
    drawn = takewhile(lambda row: row.text.strip(), lanes.rows(view, 200, "en"))  # no legend
    printed = plain.step_rows(view, 100, "en", since=view.cursor - 1) if view.ran else []
    return "\n".join(row.text for row in [*rows, *drawn, *StepRows(view, 100), *printed])


def saved_here(step: Step) -> bool:
    made = {node.id for node in step.nodes}
    return any(each.node in made and each.state is not SlotState.FREED for each in step.saved)
