"""The lesson loop, told as what goes in and what comes out."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.outcome import Completed, Crashed
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    AnswerRequested,
    HintRequested,
    Move,
    Moved,
    Notify,
    RunBegan,
    RunEnded,
    RunToLine,
    StepChosen,
    StepsArrived,
    TruthKnown,
    VerifyTruth,
)
from inplace_tui.tutorial.activity.session.view import Gate
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView
from support.played import LESSON, STEPS, WRONG, answered_first, begun, move, notices, question, ran

# Going forward, and what stops it.


def test_before_the_run_begins_there_is_the_program_and_nothing_else() -> None:
    view = Session(LESSON).view()

    assert view.source == LESSON.code
    assert (view.cursor, view.reachable, view.running, view.question) == (-1, -1, True, None)


def test_forward_stops_before_the_line_that_is_asked_about() -> None:
    session = ran()

    view = move(session, Move.NEXT, Move.NEXT, Move.NEXT)

    assert (view.cursor, view.next_line, view.reachable) == (1, 3, 1)
    assert view.question is not None
    assert (view.question.id, view.question.line) == ("version", 3)


@pytest.mark.parametrize("forward", [Move.NEXT, Move.INTO, Move.CONTINUE, Move.END])
def test_no_movement_leads_past_an_unanswered_question(forward: Move) -> None:
    session = ran()

    move(session, Move.END)

    assert notices(session.handle(Moved(forward))) == [NoticeTexts.answer_first]
    assert session.view().cursor == 1


def test_neither_a_line_nor_a_step_beyond_a_question_can_be_jumped_to() -> None:
    session = ran()

    session.handle(RunToLine(5))
    assert session.view().cursor == 1
    session.handle(StepChosen(4))
    assert session.view().cursor == 1


def test_the_step_one_is_at_is_not_called_the_end() -> None:
    session = ran()

    session.handle(StepChosen(0))

    assert notices(session.handle(StepChosen(0))) == [NoticeTexts.here]


def test_a_question_bars_the_way_while_its_line_is_still_running() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS[:2]))

    view = move(session, Move.NEXT, Move.NEXT)

    assert view.question is not None
    assert view.question.id == "version"
    assert view.gates == {2: Gate.OPEN}


def test_back_needs_no_answer_and_runs_nothing() -> None:
    session = ran()
    move(session, Move.END)

    assert session.handle(Moved(Move.BACK)) == [
        SaveProgress(lesson="saved-output", cursor=0, answers=(), finished=False)
    ]


def test_what_is_asked_for_before_the_run_is_there_is_done_once_it_is() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS[:1]))
    move(session, Move.NEXT)

    assert notices(session.handle(Moved(Move.NEXT))) == [NoticeTexts.still_running]
    assert session.is_waiting

    session.handle(StepsArrived(run=1, steps=STEPS[1:]))

    assert session.view().cursor == 1
    assert not session.is_waiting


@pytest.mark.parametrize(
    ("asked", "cursor"),
    [
        ([Move.NEXT, Move.NEXT, Move.BACK], 0),
        ([Move.CONTINUE], 1),
        ([Move.NEXT, Move.END, Move.BACK], 0),
    ],
)
def test_keys_pressed_before_the_first_line_are_done_in_their_order(
    asked: list[Move], cursor: int
) -> None:
    session = begun()
    for each in asked:
        session.handle(Moved(each))
    for step in STEPS:
        session.handle(StepsArrived(run=1, steps=(step,)))
    session.handle(RunEnded(run=1, outcome=Completed()))

    assert session.view().cursor == cursor


def test_each_key_that_waits_is_answered_and_so_is_the_one_that_takes_it_back() -> None:
    session = begun()
    asked = (Move.NEXT, Move.NEXT, Move.BACK, Move.BACK)

    assert [notices(session.handle(Moved(each))) for each in asked] == [
        [NoticeTexts.still_running],
        [NoticeTexts.still_running],
        [NoticeTexts.taken_back],
        [NoticeTexts.taken_back],
    ]
    assert not session.is_waiting


def test_a_click_on_a_line_waits_for_the_run_and_then_stops_before_it() -> None:
    session = begun()

    assert notices(session.handle(RunToLine(2))) == [NoticeTexts.still_running]

    session.handle(StepsArrived(run=1, steps=STEPS[:2]))

    assert session.view().cursor == 0


def test_who_comes_back_steps_on_from_where_he_was() -> None:
    session = Session(LESSON)
    session.restore(1, [])
    session.start()
    session.handle(StepsArrived(run=1, steps=STEPS[:1]))
    session.handle(Moved(Move.BACK))
    session.handle(StepsArrived(run=1, steps=STEPS[1:]))

    assert session.view().cursor == 0


# Answering.


def test_a_right_answer_runs_the_asked_line_and_no_more() -> None:
    session = ran()
    move(session, Move.END)

    session.handle(AnswerGiven("one"))

    view = session.view()
    assert view.question is not None
    assert (view.question.status, view.question.right) == (QuestionStatus.RIGHT, "one")
    assert view.question.feedback is not None
    assert view.question.feedback.en == "yes1"
    assert view.cursor == 2


def test_feedback_gives_way_to_the_next_question_before_the_cursor_moves() -> None:
    session = ran()
    move(session, Move.END)
    session.handle(AnswerGiven("one"))

    view = move(session, Move.NEXT)

    assert view.cursor == 2
    assert view.question is not None
    assert view.question.id == "ends"


def test_with_two_choices_there_is_one_try() -> None:
    session = ran()
    move(session, Move.END)

    session.handle(AnswerGiven("zero"))

    shown = session.view().question
    assert shown is not None
    assert (shown.status, shown.right) == (QuestionStatus.WRONG, "one")
    assert shown.feedback is not None
    assert shown.feedback.en == "no0\n\nyes1"


def test_with_four_choices_a_wrong_try_tells_why_and_not_what_is_right() -> None:
    session = answered_first(ran())

    session.handle(AnswerGiven("raises"))

    view = session.view()
    assert view.question is not None
    assert (view.question.status, view.question.right) == (QuestionStatus.AGAIN, None)
    assert view.question.feedback is not None
    assert view.question.feedback.en == "i"
    assert view.cursor == 2


@pytest.mark.parametrize(
    ("second", "status"), [("right", QuestionStatus.RIGHT), ("wrong", QuestionStatus.WRONG)]
)
def test_the_second_try_is_the_last(second: str, status: QuestionStatus) -> None:
    session = answered_first(ran())
    session.handle(AnswerGiven("raises"))

    session.handle(AnswerGiven(second))

    assert question(session) is status
    assert session.view().cursor == 3


@pytest.mark.parametrize("choice", ["raises", "nonsense"])
def test_a_choice_that_was_tried_or_is_none_takes_no_try(choice: str) -> None:
    session = answered_first(ran())
    session.handle(AnswerGiven("raises"))

    session.handle(AnswerGiven(choice))

    assert question(session) is QuestionStatus.AGAIN


def test_after_the_last_try_an_answer_changes_nothing() -> None:
    session = ran()
    move(session, Move.END)
    session.handle(AnswerGiven("zero"))

    assert session.handle(AnswerGiven("one")) == [Notify(NoticeTexts.no_question)]
    assert question(session) is QuestionStatus.WRONG


def test_hints_are_counted_and_end() -> None:
    session = answered_first(ran())

    for _ in range(2):
        session.handle(HintRequested())

    shown = session.view().question
    assert shown is not None
    assert [hint.en for hint in shown.hints] == ["h1", "h2"]
    assert notices(session.handle(HintRequested())) == [NoticeTexts.no_more_hints]


def test_the_answer_is_shown_on_request() -> None:
    session = answered_first(ran())

    session.handle(AnswerRequested())

    shown = session.view().question
    assert shown is not None
    assert (shown.status, shown.right, session.view().cursor) == (QuestionStatus.SHOWN, "right", 3)


def test_an_answer_given_before_the_truth_is_known_waits_for_it() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS))
    verify = session.handle(RunEnded(run=1, outcome=Completed()))
    answered_first(session)

    session.handle(AnswerGiven("wrong"))
    checking = question(session)
    refused = session.handle(AnswerGiven("right"))
    session.handle(TruthKnown(run=1, truth=WRONG))

    assert verify == [VerifyTruth(run=1, program=LESSON.program())]
    assert checking is QuestionStatus.CHECKING
    assert notices(refused) == [NoticeTexts.checking]
    assert question(session) is QuestionStatus.RIGHT


def test_an_attribute_is_judged_without_waiting_for_the_truth() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS))
    session.handle(RunEnded(run=1, outcome=Completed()))
    move(session, Move.END)

    session.handle(AnswerGiven("one"))

    assert question(session) is QuestionStatus.RIGHT


def test_a_run_that_fits_no_choice_is_not_held_against_the_learner() -> None:
    session = answered_first(ran(STEPS[:3], Crashed(exit_code=3, line=4)))

    said = session.handle(AnswerGiven("right"))

    assert notices(said) == [NoticeTexts.unjudged]
    assert question(session) is QuestionStatus.SHOWN


def test_choices_stand_in_an_order_of_the_learners_own() -> None:
    def listed(learner: int) -> list[str]:
        session = Session(LESSON, learner=learner)
        session.start()
        session.handle(RunBegan(run=1, line=1))
        session.handle(StepsArrived(run=1, steps=STEPS))
        session.handle(RunEnded(run=1, outcome=Completed()))
        asked = answered_first(session).view().question
        assert asked is not None
        assert isinstance(asked.answers, ChoicesView)
        return [identity for identity, _ in asked.answers.choices]

    orders = {tuple(listed(learner)) for learner in range(1, 40)}

    assert listed(0) == ["right", "wrong", "before", "raises"]
    assert listed(7) == listed(7)
    assert {frozenset(order) for order in orders} == {frozenset(listed(0))}
    assert len(orders) > 12
