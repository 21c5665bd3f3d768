"""One loop for everything that asks: a drill, and a checkpoint, told as what goes in and out."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.ending import PREDICTED
from inplace_tui.common.run.outcome import Completed, Right, Wrong
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.drill.grammar import make
from inplace_tui.tutorial.activity.drill.record import Sureness
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    AnswerRequested,
    Move,
    Moved,
    QuestionLeft,
    RunBegan,
    RunEnded,
    StepsArrived,
    TruthKnown,
)
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView
from support.played import LESSON, STEPS, WRONG, notices
from support.views import timeline

LAST = len(STEPS) - 1


def recorded(*, repeat: bool = False) -> RecordedDrill:
    done = timeline(*STEPS)
    done.outcome = Completed()
    return RecordedDrill(make(11, 1), done, Right(), repeat=repeat)


def choices(session: Session) -> list[str]:
    asked = session.view().question
    assert asked is not None
    assert isinstance(asked.answers, ChoicesView)
    return [key for key, _ in asked.answers.choices]


def test_a_drill_asks_how_it_ends_and_then_how_sure_one_is() -> None:
    session = recorded().session()
    first = choices(session)
    session.handle(AnswerGiven("wrong"))
    second = choices(session)
    session.handle(QuestionLeft())

    assert first == choices(session) == list(PREDICTED)
    assert second == list(Sureness)
    assert not session.may_experiment


@pytest.mark.parametrize("move", [Move.NEXT, Move.BACK, Move.END, Move.CONTINUE])
def test_nothing_of_a_drill_is_reached_before_the_answer(move: Move) -> None:
    session = recorded().session()

    assert notices(session.handle(Moved(move))) == [NoticeTexts.predict_first]
    assert (len(session.view().timeline), session.view().outcome) == (0, None)


@pytest.mark.parametrize(("ending", "right"), [("right", True), ("wrong", False)])
def test_the_answer_to_a_drill_is_judged_kept_and_stands_beside_the_end(
    ending: str, right: bool
) -> None:
    drill = recorded()
    session = drill.session()
    session.handle(AnswerGiven(ending))
    [kept] = [
        each for each in session.handle(AnswerGiven("guess")) if isinstance(each, SaveProgress)
    ]
    view = session.view()
    [answer] = kept.answers
    answered = drill.answered(answer, day=3)

    assert (view.cursor, view.outcome, view.question_is_done) == (LAST, Completed(), True)
    assert (answered.right, answered.sureness, answered.day) == (right, Sureness.GUESS, 3)
    session.handle(Moved(Move.BACK))
    assert session.view().question is None
    session.handle(Moved(Move.NEXT))
    assert session.view().question_is_done


@pytest.mark.parametrize("given", ["sure", "wrong sure maybe", "timed_out", "nonsense"])
def test_what_is_no_answer_to_a_drill_changes_nothing(given: str) -> None:
    session = recorded().session()
    session.handle(AnswerGiven(given))

    assert choices(session) == list(PREDICTED)


def test_the_last_answer_of_what_only_asks_leads_to_the_end_where_its_reply_stays() -> None:
    session = Session(LESSON, asks_only=True)
    session.start()
    session.handle(RunBegan(run=1, line=1))
    session.handle(StepsArrived(run=1, steps=STEPS))
    session.handle(RunEnded(run=1, outcome=Completed()))
    session.handle(TruthKnown(run=1, truth=WRONG))
    session.handle(Moved(Move.END))
    session.handle(AnswerGiven("one"))
    between = session.view()
    session.handle(Moved(Move.NEXT))
    session.handle(Moved(Move.END))
    session.handle(AnswerRequested())
    view = session.view()

    assert between.cursor < LAST
    assert isinstance(view.truth, Wrong)
    assert (view.cursor, view.recap, view.score) == (LAST, None, None)
    assert view.question is not None
    assert (view.question.id, view.question.status) == ("ends", QuestionStatus.SHOWN)
    session.handle(Moved(Move.BACK))
    session.handle(Moved(Move.NEXT))
    assert session.view().question == view.question
