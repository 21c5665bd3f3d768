"""Variants, restarts, resuming, the sandbox: which program a session wants run."""

from __future__ import annotations

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Cancelled, Completed, Crashed, Raised, Right, Unverified
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    AnswerRequested,
    CancelRun,
    HintRequested,
    Move,
    Moved,
    Notify,
    OutcomesRequested,
    QuestionLeft,
    Restarted,
    RunBegan,
    RunEnded,
    RunProgram,
    RunStopped,
    StepsArrived,
    TruthKnown,
    VariantChosen,
    VerifyTruth,
)
from inplace_tui.tutorial.activity.session.view import Gate, Mask
from support.played import ERROR, LESSON, STEPS, answered_first, begun, move, notices, question, ran

# Variants, restart, resuming.


def solved() -> Session:
    session = answered_first(ran())
    session.handle(AnswerGiven("right"))
    move(session, Move.END)
    return session


def test_variants_wait_while_a_question_is_open() -> None:
    session = ran()

    assert session.handle(VariantChosen("data")) == [Notify(NoticeTexts.answer_all_first)]
    assert session.handle(OutcomesRequested()) == [Notify(NoticeTexts.answer_all_first)]
    assert session.outcomes == {}
    assert not session.may_experiment


def test_variants_wait_for_a_question_that_was_passed_too() -> None:
    session = answered_first(ran())
    session.handle(QuestionLeft())
    move(session, Move.END)

    assert session.handle(VariantChosen("data")) == [Notify(NoticeTexts.answer_all_first)]


def test_a_variant_is_predicted_then_shown_at_its_end_and_runs_once() -> None:
    session = solved()

    first = session.handle(VariantChosen("data"))
    session.handle(StepsArrived(run=2, steps=STEPS[:3]))
    session.handle(RunEnded(run=2, outcome=Completed()))
    session.handle(TruthKnown(run=2, truth=Right()))
    asked = session.view()
    refused = session.handle(Moved(Move.NEXT))
    session.handle(AnswerGiven("raises_in_backward"))
    there = session.view()
    session.handle(VariantChosen(None))
    back = session.view()

    assert first == [RunProgram(run=2, program=LESSON.program("data"))]
    assert asked.question is not None
    assert (asked.cursor, asked.reachable, len(asked.timeline), asked.outcome) == (-1, -1, 0, None)
    assert (asked.question.status, asked.next_line) == (QuestionStatus.OPEN, 3)
    assert notices(refused) == [NoticeTexts.predict_first]
    assert there.question is not None
    assert (there.question.status, there.question.right) == (QuestionStatus.WRONG, "right")
    assert (there.variant, there.cursor, there.mask) == ("data", 2, Mask())
    assert there.narration is not None
    assert there.narration.en == "other"
    assert (back.variant, back.cursor) == (None, 4)
    assert session.handle(VariantChosen("data")) == []


def test_a_prediction_waits_for_the_run_and_can_be_left_or_shown() -> None:
    session = solved()

    session.handle(VariantChosen("data"))
    session.handle(AnswerGiven("raises_before"))
    waiting = question(session)
    session.handle(
        RunEnded(run=2, outcome=Raised(exception="E", message="m", line=3, in_backward=False))
    )
    session.handle(VariantChosen("late"))
    session.handle(QuestionLeft())
    left = session.view().variant
    session.handle(VariantChosen("late"))
    session.handle(AnswerRequested())
    session.handle(StepsArrived(run=3, steps=STEPS[:3]))
    session.handle(RunEnded(run=3, outcome=ERROR))

    assert waiting is QuestionStatus.CHECKING
    assert left is None
    assert question(session) is QuestionStatus.SHOWN
    assert session.guesses == {"data": Ending.RAISES_BEFORE, "late": None}


def test_outcomes_stand_beside_what_was_predicted_and_are_kept() -> None:
    session = solved()
    session.handle(VariantChosen("data"))
    [saved] = [
        each
        for each in session.handle(AnswerGiven("raises_in_backward"))
        if isinstance(each, SaveProgress)
    ]
    session.handle(RunEnded(run=2, outcome=ERROR))
    later = Session(LESSON)
    later.restore(4, saved.answers)
    later.start()
    later.handle(RunBegan(run=1, line=1))
    later.handle(StepsArrived(run=1, steps=STEPS))
    later.handle(RunEnded(run=1, outcome=Completed()))
    later.handle(TruthKnown(run=1, truth=Right()))

    runs = session.handle(OutcomesRequested())
    again = later.handle(VariantChosen("data"))
    later.handle(RunEnded(run=2, outcome=ERROR))

    assert runs == []
    assert session.outcomes == {None: (Completed(), Right()), "data": (ERROR, Unverified())}
    assert session.guesses == {"data": Ending.RAISES_IN_BACKWARD}
    assert [type(each) for each in again] == [RunProgram]
    assert later.guesses == session.guesses


def test_restarting_forgets_answers_and_runs_again() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS))

    done = session.handle(Restarted())
    late = session.handle(RunEnded(run=1, outcome=Completed()))

    assert done == [CancelRun(run=1), RunProgram(run=2, program=LESSON.program())]
    assert late == []
    assert session.view().cursor == -1


def test_answers_and_cursor_are_taken_up_again() -> None:
    kept = [
        each
        for each in answered_first(ran()).handle(HintRequested())
        if isinstance(each, SaveProgress)
    ]
    session = Session(LESSON)
    session.restore(kept[0].cursor, kept[0].answers)
    session.start()
    session.handle(RunBegan(run=1, line=1))
    session.handle(StepsArrived(run=1, steps=STEPS[:2]))
    session.handle(StepsArrived(run=1, steps=STEPS[2:]))
    session.handle(RunEnded(run=1, outcome=Completed()))

    view = session.view()
    assert view.cursor == 2
    assert view.gates == {2: Gate.DONE, 3: Gate.OPEN}
    assert view.question is not None
    assert (view.question.id, len(view.question.hints)) == ("ends", 1)


def test_a_kept_cursor_beyond_an_open_question_stops_at_it() -> None:
    session = Session(LESSON)
    session.restore(4, ())
    session.start()
    session.handle(RunBegan(run=1, line=1))
    session.handle(StepsArrived(run=1, steps=STEPS))
    session.handle(RunEnded(run=1, outcome=Completed()))

    assert session.view().cursor == 1


def test_an_answer_that_the_lesson_no_longer_offers_opens_the_question_again() -> None:
    session = Session(LESSON)
    session.restore(
        1, [SavedAnswer(question="version", status=QuestionStatus.RIGHT, tried=("three",))]
    )
    session.start()
    session.handle(StepsArrived(run=1, steps=STEPS))

    assert question(session) is QuestionStatus.OPEN


def test_progress_is_finished_at_the_end_with_every_answer() -> None:
    session = answered_first(ran())
    session.handle(AnswerGiven("right"))

    done = session.handle(Moved(Move.END))

    [progress] = [each for each in done if isinstance(each, SaveProgress)]
    assert progress.finished
    assert [answer.question for answer in progress.answers] == ["version", "ends"]


def test_a_lesson_whose_worker_died_runs_again_and_keeps_its_place() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS[:2]))
    move(session, Move.NEXT)
    died = Crashed(exit_code=-9, worker_died=True)

    again = session.handle(RunEnded(run=1, outcome=died))
    session.handle(RunBegan(run=2, line=1))
    session.handle(StepsArrived(run=2, steps=STEPS))
    twice = session.handle(RunEnded(run=2, outcome=died))

    assert again == [Notify(NoticeTexts.run_again), RunProgram(run=2, program=LESSON.program())]
    assert session.view().cursor == 0
    assert twice == []


# The sandbox.


def test_the_sandbox_asks_nothing_and_shows_how_its_program_ends() -> None:
    program = Program(source="boom()", origin=Origin.OWN)
    session = Session(program)
    session.start()
    session.handle(RunBegan(run=1, line=1))
    error = Raised(exception="NameError", message="boom", line=1, in_backward=False)
    raised = Step(index=0, line=1, end_line=1, began=0, raised="NameError: boom")
    session.handle(StepsArrived(run=1, steps=(raised,)))
    session.handle(RunEnded(run=1, outcome=error))

    view = move(session, Move.CONTINUE)

    assert (view.outcome, view.question, view.mask, view.gates) == (error, None, Mask(), {})
    assert session.may_experiment


def test_running_the_sandbox_again_gives_up_what_ran_before() -> None:
    session = Session(Program(source="while True: pass", origin=Origin.OWN))
    session.start()
    program = Program(source="1", origin=Origin.OWN)

    assert session.handle(Restarted(program)) == [
        CancelRun(run=1),
        RunProgram(run=2, program=program),
    ]


def test_a_run_that_is_stopped_keeps_the_steps_that_came() -> None:
    program = Program(source="while True: pass", origin=Origin.OWN)
    session = Session(program)
    session.start()
    session.handle(Moved(Move.CONTINUE))
    session.handle(StepsArrived(run=1, steps=STEPS[:2]))

    assert session.handle(RunStopped()) == [CancelRun(run=1)]
    assert (session.view().outcome, session.view().cursor) == (Cancelled(), 1)
    assert session.handle(StepsArrived(run=1, steps=STEPS[2:3])) == []
    assert session.handle(RunStopped()) == []


def test_a_program_of_ones_own_is_not_run_again_by_itself() -> None:
    session = Session(Program(source="import os; os.kill(os.getppid(), 9)", origin=Origin.OWN))
    session.start()
    died = Crashed(exit_code=-9, worker_died=True)

    assert session.handle(RunEnded(run=1, outcome=died)) == []
    assert session.view().outcome == died


def test_what_completed_in_the_sandbox_is_verified() -> None:
    program = Program(source="1", origin=Origin.OWN)
    session = Session(program)
    session.start()

    assert session.handle(RunEnded(run=1, outcome=Completed())) == [
        VerifyTruth(run=1, program=program)
    ]
    assert session.view().verifying
