"""The lesson loop, told as what goes in and what comes out."""

from __future__ import annotations

import pytest

from inplace_tui.engine.loader import LoadedLesson, load_lesson
from inplace_tui.engine.session import Session
from inplace_tui.engine.signals import (
    Answer,
    Answered,
    AnswerWanted,
    CancelRun,
    HintWanted,
    Instruction,
    Move,
    Moved,
    Notify,
    OutcomesWanted,
    ProgramReplaced,
    QuestionLeft,
    QuestionReopened,
    Restarted,
    RunBegan,
    RunEnded,
    RunProgram,
    RunToLine,
    SaveProgress,
    StepChosen,
    StepsArrived,
    TruthKnown,
    VariantChosen,
    VerifyTruth,
)
from inplace_tui.engine.verdict import Verdict
from inplace_tui.engine.view import Gate, Mask, Try, View
from inplace_tui.model.event import Mutation, Printed
from inplace_tui.model.outcome import (
    Completed,
    Crashed,
    Difference,
    Outcome,
    Raised,
    Right,
    Truth,
    Unverified,
    Wrong,
)
from inplace_tui.model.program import Program
from inplace_tui.model.snapshot import Tensor
from inplace_tui.model.timeline import Step

LESSON = load_lesson(
    """
schema: 1
id: saved-output
title: {en: t, zh: t}
teaches: [saved-output]
difficulty: 1
minutes: 1
watch: [y]
code: |
  x = make()      #@ make
  y = x.exp()     #@ exp
  y.add_(1)       #@ mutate
  y.backward()    #@ back
  print(x.grad)   #@ show
steps:
  - at: exp
    say: {en: saved, zh: saved}
  - at: mutate
    ask:
      id: version
      kind: attribute
      prompt: {en: which, zh: which}
      choices:
        - id: zero
          when: {tensors: {y: {version: 0}}}
          text: {en: a, zh: a}
          why: {en: no0, zh: no0}
        - id: one
          when: {tensors: {y: {version: 1}}}
          text: {en: b, zh: b}
          why: {en: yes1, zh: yes1}
    say: {en: written, zh: written}
  - at: back
    ask:
      id: ends
      kind: outcome
      prompt: {en: how, zh: how}
      choices:
        - {id: right, when: {ends: runs, grads: right}, text: {en: a, zh: a}, why: {en: r, zh: r}}
        - {id: wrong, when: {ends: runs, grads: wrong}, text: {en: b, zh: b}, why: {en: w, zh: w}}
        - {id: before, when: {ends: raises_before}, text: {en: c, zh: c}, why: {en: b, zh: b}}
        - {id: raises, when: {ends: raises_in_backward}, text: {en: d, zh: d}, why: {en: i, zh: i}}
      hints: [{en: h1, zh: h1}, {en: h2, zh: h2}]
    say: {en: delivered, zh: delivered}
variants:
  - id: data
    swap: {mutate: y.data.add_(1)}
    expect: {ends: runs}
    title: {en: v, zh: v}
    say: {en: other, zh: other}
  - {id: late, swap: {mutate: ""}, expect: {ends: runs}, title: {en: v, zh: v}}
recap: {en: recap, zh: recap}
""",
    "saved-output.yaml",
)

X = Tensor(id=1, names=("x",), shape=(), dtype="float32", requires_grad=True)
GRAD = Tensor(id=3, names=("x.grad",), shape=(), dtype="float32")
WRITE = Mutation(line=3, op="Tensor.add_", tensor=2, storage=2, before=0, after=1)


def y(version: int) -> Tensor:
    return Tensor(id=2, names=("y",), shape=(), dtype="float32", version=version)


def step(index: int, line: int, *, then: int | None, tensors: tuple[Tensor, ...] = ()) -> Step:
    return Step(index=index, line=line, end_line=line, began=index, then=then, tensors=tensors)


STEPS = (
    step(0, 1, then=2, tensors=(X,)),
    step(1, 2, then=3, tensors=(y(0),)),
    Step(index=2, line=3, end_line=3, began=2, then=4, tensors=(y(1),), events=(WRITE,)),
    step(
        3,
        4,
        then=5,
        tensors=(Tensor(id=1, names=("x",), shape=(), dtype="float32", grad=3), GRAD),
    ),
    Step(index=4, line=5, end_line=5, began=4, events=(Printed(text="1."),)),
)
RAISED = Step(
    index=3, line=4, end_line=4, began=3, raised="RuntimeError: modified", in_backward=True
)
ERROR = Raised(exception="RuntimeError", message="modified", line=4, in_backward=True)
WRONG = Wrong(differences=(Difference(tensor="x", line=4, got="1.", true="2."),))


def begun(lesson: LoadedLesson = LESSON) -> Session:
    """Return a session whose run has begun and sent nothing yet."""
    session = Session(lesson)
    assert session.start() == [RunProgram(run=1, program=lesson.program())]
    session.handle(RunBegan(run=1, line=1))
    return session


def ran(
    steps: tuple[Step, ...] = STEPS,
    outcome: Outcome | None = None,
    truth: Truth | None = None,
) -> Session:
    """Return a session whose run is over; by default all went well."""
    session = begun()
    session.handle(StepsArrived(run=1, steps=steps))
    session.handle(RunEnded(run=1, outcome=outcome or Completed()))
    if outcome is None:
        session.handle(TruthKnown(run=1, truth=truth or Right()))
    return session


def move(session: Session, *moves: Move) -> View:
    for each in moves:
        session.handle(Moved(each))
    return session.view()


def answered_first(session: Session) -> Session:
    """Go to the first question, answer it, and go on to the second."""
    move(session, Move.CONTINUE)
    session.handle(Answered("one"))
    move(session, Move.NEXT)
    return session


def question(session: Session) -> Try:
    shown = session.view().question
    assert shown is not None
    return shown.status


def notices(instructions: list[Instruction]) -> list[str]:
    return [each.text for each in instructions if isinstance(each, Notify)]


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

    assert notices(session.handle(Moved(forward))) == ["answer-first"]
    assert session.view().cursor == 1


def test_neither_a_line_nor_a_step_beyond_a_question_can_be_jumped_to() -> None:
    session = ran()

    session.handle(RunToLine(5))
    assert session.view().cursor == 1
    session.handle(StepChosen(4))
    assert session.view().cursor == 1


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


def test_at_the_edge_of_a_run_that_goes_on_there_is_only_waiting() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS[:1]))
    move(session, Move.NEXT)

    assert notices(session.handle(Moved(Move.NEXT))) == ["still-running"]


# Answering.


def test_a_right_answer_runs_the_asked_line_and_no_more() -> None:
    session = ran()
    move(session, Move.END)

    session.handle(Answered("one"))

    view = session.view()
    assert view.question is not None
    assert (view.question.status, view.question.right) == (Try.RIGHT, "one")
    assert view.question.feedback is not None
    assert view.question.feedback.en == "yes1"
    assert view.cursor == 2


def test_feedback_gives_way_to_the_next_question_before_the_cursor_moves() -> None:
    session = ran()
    move(session, Move.END)
    session.handle(Answered("one"))

    view = move(session, Move.NEXT)

    assert view.cursor == 2
    assert view.question is not None
    assert view.question.id == "ends"


def test_with_two_choices_there_is_one_try() -> None:
    session = ran()
    move(session, Move.END)

    session.handle(Answered("zero"))

    shown = session.view().question
    assert shown is not None
    assert (shown.status, shown.right) == (Try.WRONG, "one")
    assert shown.feedback is not None
    assert shown.feedback.en == "no0\nyes1"


def test_with_four_choices_a_wrong_try_tells_why_and_not_what_is_right() -> None:
    session = answered_first(ran())

    session.handle(Answered("raises"))

    view = session.view()
    assert view.question is not None
    assert (view.question.status, view.question.right) == (Try.AGAIN, None)
    assert view.question.feedback is not None
    assert view.question.feedback.en == "i"
    assert view.cursor == 2


@pytest.mark.parametrize(("second", "status"), [("right", Try.RIGHT), ("wrong", Try.WRONG)])
def test_the_second_try_is_the_last(second: str, status: Try) -> None:
    session = answered_first(ran())
    session.handle(Answered("raises"))

    session.handle(Answered(second))

    assert question(session) is status
    assert session.view().cursor == 3


@pytest.mark.parametrize("choice", ["raises", "nonsense"])
def test_a_choice_that_was_tried_or_is_none_takes_no_try(choice: str) -> None:
    session = answered_first(ran())
    session.handle(Answered("raises"))

    session.handle(Answered(choice))

    assert question(session) is Try.AGAIN


def test_after_the_last_try_an_answer_changes_nothing() -> None:
    session = ran()
    move(session, Move.END)
    session.handle(Answered("zero"))

    assert session.handle(Answered("one")) == [Notify("no-question")]
    assert question(session) is Try.WRONG


def test_hints_are_counted_and_end() -> None:
    session = answered_first(ran())

    for _ in range(2):
        session.handle(HintWanted())

    shown = session.view().question
    assert shown is not None
    assert [hint.en for hint in shown.hints] == ["h1", "h2"]
    assert notices(session.handle(HintWanted())) == ["no-more-hints"]


def test_the_answer_is_shown_on_request() -> None:
    session = answered_first(ran())

    session.handle(AnswerWanted())

    shown = session.view().question
    assert shown is not None
    assert (shown.status, shown.right, session.view().cursor) == (Try.SHOWN, "right", 3)


def test_an_answer_given_before_the_truth_is_known_waits_for_it() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS))
    verify = session.handle(RunEnded(run=1, outcome=Completed()))
    answered_first(session)

    session.handle(Answered("wrong"))
    checking = question(session)
    refused = session.handle(Answered("right"))
    session.handle(TruthKnown(run=1, truth=WRONG))

    assert verify == [VerifyTruth(run=1, program=LESSON.program())]
    assert checking is Try.CHECKING
    assert notices(refused) == ["checking"]
    assert question(session) is Try.RIGHT


def test_an_attribute_is_judged_without_waiting_for_the_truth() -> None:
    session = begun()
    session.handle(StepsArrived(run=1, steps=STEPS))
    session.handle(RunEnded(run=1, outcome=Completed()))
    move(session, Move.END)

    session.handle(Answered("one"))

    assert question(session) is Try.RIGHT


def test_a_run_that_fits_no_choice_is_not_held_against_the_learner() -> None:
    session = answered_first(ran(STEPS[:3], Crashed(exit_code=3, line=4)))

    said = session.handle(Answered("right"))

    assert notices(said) == ["unjudged"]
    assert question(session) is Try.SHOWN


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

        assert notices(session.handle(Moved(Move.NEXT))) == ["answer-to-see-more"]


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
    assert question(session) is Try.OPEN
    assert notices(session.handle(QuestionReopened())) == ["none-left"]


def test_after_the_answer_the_outcome_stands_beside_the_prediction() -> None:
    session = answered_first(ran((*STEPS[:3], RAISED), ERROR))

    session.handle(Answered("raises"))

    view = session.view()
    assert (view.cursor, view.outcome, view.mask) == (3, ERROR, Mask())
    assert view.ran == RAISED


def test_a_gradient_that_is_silently_wrong_is_blamed_beside_the_prediction() -> None:
    session = answered_first(ran(truth=WRONG))

    session.handle(Answered("wrong"))

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
    session.handle(Answered("right"))

    before = session.view().recap
    after = move(session, Move.END).recap

    assert before is None
    assert after is not None


# Variants, restart, resuming.


def solved() -> Session:
    session = answered_first(ran())
    session.handle(Answered("right"))
    move(session, Move.END)
    return session


def test_variants_wait_while_a_question_is_open() -> None:
    session = ran()

    assert session.handle(VariantChosen("data")) == [Notify("answer-all-first")]
    assert session.handle(OutcomesWanted()) == [Notify("answer-all-first")]
    assert session.outcomes == {}
    assert not session.may_experiment


def test_variants_wait_for_a_question_that_was_passed_too() -> None:
    session = answered_first(ran())
    session.handle(QuestionLeft())
    move(session, Move.END)

    assert session.handle(VariantChosen("data")) == [Notify("answer-all-first")]


def test_a_variant_has_a_timeline_of_its_own_and_runs_once() -> None:
    session = solved()

    first = session.handle(VariantChosen("data"))
    session.handle(StepsArrived(run=2, steps=STEPS[:3]))
    session.handle(RunEnded(run=2, outcome=Completed()))
    there = move(session, Move.END)
    session.handle(VariantChosen(None))
    back = session.view()

    assert first == [RunProgram(run=2, program=LESSON.program("data"))]
    assert (there.variant, there.cursor, there.question, there.mask) == ("data", 2, None, Mask())
    assert there.narration is not None
    assert there.narration.en == "other"
    assert (back.variant, back.cursor) == (None, 4)
    assert session.handle(VariantChosen("data")) == []


def test_all_outcomes_stand_side_by_side_as_they_become_known() -> None:
    session = solved()

    runs = session.handle(OutcomesWanted())
    session.handle(RunEnded(run=2, outcome=ERROR))

    assert [type(each) for each in runs] == [RunProgram, RunProgram]
    assert session.outcomes == {
        None: (Completed(), Right()),
        "data": (ERROR, Unverified()),
    }


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
        for each in answered_first(ran()).handle(HintWanted())
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
    session.restore(1, [Answer(question="version", status=Try.RIGHT, tried=("three",))])
    session.start()
    session.handle(StepsArrived(run=1, steps=STEPS))

    assert question(session) is Try.OPEN


def test_progress_is_finished_at_the_end_with_every_answer() -> None:
    session = answered_first(ran())
    session.handle(Answered("right"))

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

    assert again == [Notify("run-again"), RunProgram(run=2, program=LESSON.program())]
    assert session.view().cursor == 0
    assert twice == []


# The sandbox.


def test_the_sandbox_asks_nothing_and_shows_how_its_program_ends() -> None:
    program = Program(source="boom()")
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
    session = Session(Program(source="while True: pass"))
    session.start()
    program = Program(source="1")

    assert session.handle(ProgramReplaced(program)) == [
        CancelRun(run=1),
        RunProgram(run=2, program=program),
    ]


def test_a_program_of_ones_own_is_not_run_again_by_itself() -> None:
    session = Session(Program(source="import os; os.kill(os.getppid(), 9)"))
    session.start()
    died = Crashed(exit_code=-9, worker_died=True)

    assert session.handle(RunEnded(run=1, outcome=died)) == []
    assert session.view().outcome == died


def test_what_completed_in_the_sandbox_is_verified() -> None:
    program = Program(source="1")
    session = Session(program)
    session.start()

    assert session.handle(RunEnded(run=1, outcome=Completed())) == [
        VerifyTruth(run=1, program=program)
    ]
    assert session.view().verifying
