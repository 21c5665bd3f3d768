"""Questions whose answer is a line of the program, or an order of its lines."""

from __future__ import annotations

import pytest

from inplace_tui.common.texts.overlooked import LineReplies
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerDrafted,
    AnswerGiven,
    AnswerRequested,
    Move,
    Moved,
    QuestionLeft,
    QuestionReopened,
)
from inplace_tui.tutorial.activity.session.view import QuestionView
from inplace_tui.tutorial.course.lessons.kinds.kind import LinesView, OrderView
from inplace_tui.tutorial.course.lessons.kinds.order import moved
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from support.course import COURSE
from support.playing import started, until_judged

pytestmark = pytest.mark.asyncio(loop_scope="session")


def lesson(name: str) -> LoadedLesson:
    return next(each for each in COURSE.lessons if each.lesson.id == name)


LINE = lesson("reading-the-message")
ORDER = lesson("actor-critic")
BACK, STEP, SECOND = 0, 1, 2
"""Places of its lines: the first backward, the step, the second backward."""


async def asked(which: LoadedLesson, worker: Worker, kept: list[SaveProgress]) -> SessionRunner:
    """Return a runner in front of the lesson's question."""
    runner = await started(which, worker, kept)
    runner.send(Moved(Move.CONTINUE))
    return runner


def question(runner: SessionRunner) -> QuestionView:
    shown = runner.session.view().question
    assert shown is not None
    return shown


def order(shown: QuestionView) -> OrderView:
    assert isinstance(shown.answers, OrderView)
    return shown.answers


def pointed(shown: QuestionView) -> LinesView:
    assert isinstance(shown.answers, LinesView)
    return shown.answers


def move(runner: SessionRunner, place: int, by: int) -> None:
    runner.send(AnswerDrafted(moved(order(question(runner)), place, by)))


def give_order(runner: SessionRunner) -> None:
    runner.send(AnswerGiven(order(question(runner)).answer))


async def test_a_wrong_line_is_answered_with_its_own_why_and_leaves_a_second_try(
    worker: Worker,
) -> None:
    runner = await asked(LINE, worker, [])
    cleared = next(c for s in LINE.lesson.steps if s.ask for c in s.ask.choices if c.at == "clear")

    runner.send(AnswerGiven(str(LINE.anchors["clear"])))
    shown = question(runner)
    await runner.close()

    assert (shown.status, shown.feedback, shown.right) == (QuestionStatus.AGAIN, cleared.why, None)
    assert [line.number for line in pointed(shown).lines] == [LINE.anchors["clear"]]


async def test_a_line_that_no_choice_names_is_a_wrong_answer_too(worker: Worker) -> None:
    runner = await asked(LINE, worker, [])

    runner.send(AnswerGiven("1"))
    runner.send(AnswerGiven("1"))  # the same line again is no second try
    shown = question(runner)
    await runner.close()

    assert (shown.status, shown.feedback) == (QuestionStatus.AGAIN, LineReplies.writes_nothing)


async def test_a_line_that_the_run_never_reached_is_answered_so(worker: Worker) -> None:
    runner = await asked(lesson("split-views"), worker, [])

    runner.send(AnswerGiven("8"))  # line 7 raises
    shown = question(runner)
    await runner.close()

    assert (shown.status, shown.feedback) == (QuestionStatus.AGAIN, NoticeTexts.never_ran)


async def test_the_line_that_torch_stumbled_over_is_right(worker: Worker) -> None:
    runner = await asked(LINE, worker, [])

    runner.send(AnswerGiven(str(LINE.anchors["unbump"])))
    runner.send(AnswerGiven(str(LINE.anchors["bump"])))
    shown = question(runner)
    await runner.close()

    assert shown.status is QuestionStatus.RIGHT
    assert runner.session.view().blame is not None


async def test_where_there_is_no_code_nothing_is_answered(worker: Worker) -> None:
    runner = await asked(LINE, worker, [])

    runner.send(AnswerGiven("99"))
    shown = question(runner)
    await runner.close()

    assert (shown.status, shown.tried) == (QuestionStatus.OPEN, ())


async def test_beside_the_answer_it_is_clear_which_line_a_wrong_one_was(worker: Worker) -> None:
    runner = await asked(LINE, worker, [])
    line, right = LINE.anchors["unbump"], LINE.anchors["bump"]

    runner.send(AnswerGiven(str(line)))
    runner.send(AnswerRequested())
    shown = question(await _when_judged(runner))
    await runner.close()

    assert shown.status is QuestionStatus.SHOWN
    assert shown.feedback is not None
    for language, name in (("en", "Line {}: "), ("zh", "第 {} 行：")):
        parts = shown.feedback[language].split("\n\n")
        assert parts[0].startswith(name.format(line))
        assert parts[1].startswith(name.format(right))


async def test_the_answer_to_a_line_is_told_on_request(worker: Worker) -> None:
    runner = await asked(LINE, worker, [])

    runner.send(AnswerRequested())
    shown = question(await _when_judged(runner))
    await runner.close()

    assert shown.status is QuestionStatus.SHOWN
    assert [line.number for line in pointed(shown).lines] == [LINE.anchors["bump"]]


async def _when_judged(runner: SessionRunner) -> SessionRunner:
    await until_judged(runner)
    return runner


async def test_an_order_is_judged_by_what_the_program_does_in_it(worker: Worker) -> None:
    runner = await asked(ORDER, worker, [])
    names = [line.name for line in order(question(runner)).lines]

    give_order(runner)
    wrong = question(await _when_judged(runner))
    move(runner, STEP, 1)
    give_order(runner)
    right = question(await _when_judged(runner))
    await runner.close()

    assert names == ["back_a", "step", "back_c"]
    assert wrong.status is QuestionStatus.AGAIN
    assert wrong.did is not None
    assert "`critic.backward()` raises RuntimeError in backward" in wrong.did.en
    assert [line.name for line in order(right).lines] == ["back_a", "back_c", "step"]
    assert right.status is QuestionStatus.RIGHT


@pytest.mark.whole
async def test_after_two_wrong_orders_one_that_works_is_looked_for_and_shown(
    worker: Worker,
) -> None:
    runner = await asked(ORDER, worker, [])

    give_order(runner)
    await until_judged(runner)
    move(runner, SECOND, -2)
    give_order(runner)
    shown = question(await _when_judged(runner))
    await runner.close()

    assert shown.status is QuestionStatus.WRONG
    assert [line.name for line in order(shown).works] == ["back_a", "back_c", "step"]


async def test_an_order_that_was_left_is_there_when_one_comes_back(worker: Worker) -> None:
    runner = await asked(ORDER, worker, [])

    move(runner, BACK, 1)
    runner.send(QuestionLeft())
    runner.send(Moved(Move.NEXT))
    runner.send(QuestionReopened())
    shown = question(runner)
    await runner.close()

    assert shown.status is QuestionStatus.OPEN
    assert [line.name for line in order(shown).lines] == ["step", "back_a", "back_c"]


@pytest.mark.parametrize("which", [LINE, ORDER], ids=["line", "order"])
async def test_what_was_answered_is_known_the_next_time(
    worker: Worker, which: LoadedLesson
) -> None:
    kept: list[SaveProgress] = []
    runner = await asked(which, worker, kept)
    if which is LINE:
        runner.send(AnswerGiven(str(LINE.anchors["bump"])))
    else:
        move(runner, STEP, 1)
        give_order(runner)
    await until_judged(runner)
    await runner.close()

    later = Session(which)
    later.restore(kept[-1].cursor, kept[-1].answers)
    again = await started(later, worker, kept)
    again.send(Moved(Move.CONTINUE))
    view = again.session.view()
    await again.close()

    assert all(answer.status is QuestionStatus.RIGHT for answer in kept[-1].answers)
    assert view.question is None or view.question.status is QuestionStatus.RIGHT
