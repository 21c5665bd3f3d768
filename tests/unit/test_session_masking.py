"""What a session withholds until the learner has committed."""

from __future__ import annotations

from inplace_tui.common.run.step import Step
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    Move,
    Moved,
    QuestionLeft,
    QuestionReopened,
)
from inplace_tui.tutorial.activity.session.view import Gate, Mask
from support.played import (
    ERROR,
    GRAD,
    RAISED,
    STEPS,
    WRONG,
    X,
    answered_first,
    move,
    notices,
    question,
    ran,
    y,
)

# What is hidden.


def test_before_any_answer_the_outcome_is_masked_and_cells_are_not() -> None:
    view = move(ran(), Move.NEXT)

    assert view.mask == Mask(outcome=True)


def test_a_question_hides_the_cells_that_its_choices_speak_of() -> None:
    view = move(ran(), Move.END)

    assert view.mask.hides(y(0), "version")
    assert not view.mask.hides(y(0), "values")
    assert not view.mask.hides(X, "version")


def test_what_lies_beyond_an_open_question_is_not_in_the_view() -> None:
    view = move(ran(), Move.END)

    assert len(view.timeline) == 2
    assert view.timeline.outcome is None
    assert (view.outcome, view.recap, view.blame) == (None, None, None)


def test_passing_a_question_keeps_its_answer_hidden() -> None:
    session = answered_first(ran((*STEPS[:3], RAISED), ERROR))
    session.handle(QuestionLeft())

    view = move(session, Move.NEXT)

    assert (view.cursor, view.gates[3], view.question) == (3, Gate.PASSED, None)
    assert view.ran is not None
    assert (view.ran.raised, view.ran.in_backward) == (None, False)
    assert view.timeline.steps[3].raised is None
    assert (view.outcome, view.narration, view.next_line) == (None, None, None)
    assert view.mask.outcome


def test_a_passed_question_hides_gradients_and_output_from_its_line_on() -> None:
    session = answered_first(ran())
    session.handle(QuestionLeft())

    view = move(session, Move.END)

    assert view.mask.hides(X, "grad")
    assert view.mask.hides(GRAD, "values")
    assert view.timeline.steps[4].events == ()
    assert view.recap is None


def test_the_end_behind_a_passed_question_is_not_called_the_end() -> None:
    raised = answered_first(ran((*STEPS[:3], RAISED), ERROR))
    fine = answered_first(ran())
    for session in (raised, fine):
        session.handle(QuestionLeft())
        move(session, Move.END)

        assert notices(session.handle(Moved(Move.NEXT))) == [NoticeTexts.answer_to_see_more]


def test_continuing_does_not_stop_at_a_failure_that_is_an_answer() -> None:
    caught = (
        *STEPS[:3],
        Step(**{f: getattr(RAISED, f) for f in RAISED.__struct_fields__} | {"then": 5}),
        STEPS[4],
    )
    session = answered_first(ran(caught))
    session.handle(QuestionLeft())

    assert move(session, Move.CONTINUE).cursor == 4


def test_reopening_leads_back_to_the_question_that_was_left() -> None:
    session = answered_first(ran())
    session.handle(QuestionLeft())
    move(session, Move.END)

    session.handle(QuestionReopened())

    view = session.view()
    assert (view.cursor, view.gates[3]) == (2, Gate.OPEN)
    assert question(session) is QuestionStatus.OPEN
    assert notices(session.handle(QuestionReopened())) == [NoticeTexts.none_left]


def test_after_the_answer_the_outcome_stands_beside_the_prediction() -> None:
    session = answered_first(ran((*STEPS[:3], RAISED), ERROR))

    session.handle(AnswerGiven("raises"))

    view = session.view()
    assert (view.cursor, view.outcome, view.mask) == (3, ERROR, Mask())
    assert view.ran == RAISED


def test_a_gradient_that_is_silently_wrong_is_blamed_beside_the_prediction() -> None:
    session = answered_first(ran(truth=WRONG))

    session.handle(AnswerGiven("wrong"))

    view = session.view()
    assert (view.cursor, view.truth) == (3, WRONG)
    assert view.blame is not None
    assert view.blame.verdict is Verdict.SILENTLY_WRONG


def test_narration_follows_the_line_that_ran() -> None:
    session = ran()

    said = [move(session, Move.NEXT).narration for _ in range(2)]

    assert [each and each.en for each in said] == [None, "saved"]


def test_the_recap_comes_at_the_end_when_nothing_is_open() -> None:
    session = answered_first(ran())
    session.handle(AnswerGiven("right"))

    before = session.view().recap
    after = move(session, Move.END).recap

    assert before is None
    assert after is not None
