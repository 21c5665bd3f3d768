"""Every lesson, played to its end as a learner would, with real runs."""

from __future__ import annotations

import pytest

from inplace_tui.drive.session_runner import SessionRunner
from inplace_tui.engine.lessons.kinds.choice import ChoicesView
from inplace_tui.engine.lessons.kinds.line import LinesView
from inplace_tui.engine.lessons.kinds.order import OrderView, moved
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.session.saved import QuestionStatus, SaveProgress
from inplace_tui.engine.session.signals import AnswerGiven, QuestionLeft, QuestionReopened
from inplace_tui.engine.session.view import Gate, QuestionView, View
from inplace_tui.runner.worker import Worker
from support.course import COURSE
from support.lent import Remembered
from support.playing import OPEN, settled, started, step_on

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
        case ChoicesView(choices=choices):
            names = [name for name, _ in choices if name not in shown.tried]
            runner.send(AnswerGiven(names[0]))


@LESSONS
@pytest.mark.whole(every=4)
async def test_wrong_and_right_answers_lead_to_the_recap(
    worker: Worker, lesson: LoadedLesson
) -> None:
    kept: list[SaveProgress] = []
    runner = await started(lesson, Remembered(worker), kept)
    view: View | None = runner.session.view()

    while view is not None:
        while view.question is not None and view.question.status in OPEN:
            answer(runner, lesson, view.question)
            view = await settled(runner)
        if view.question is not None:
            assert view.question.right is not None
        view = step_on(runner)

    end = runner.session.view()
    await runner.close()
    assert end.recap is not None
    assert set(end.gates.values()) == {Gate.DONE}
    assert kept[-1].finished


@LESSONS
@pytest.mark.whole(every=4)
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
