"""When fixes are looked for, and when they may be seen."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Fix, FixSearch
from inplace_tui.common.run.outcome import Completed, Right, Unverified
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    CancelRun,
    FindFixes,
    FixesTried,
    Instruction,
    Move,
    Moved,
    QuestionLeft,
    Restarted,
    RunBegan,
    RunEnded,
    StepsArrived,
    TruthKnown,
    VariantChosen,
)
from support.played import STEPS, WRONG, answered_first, move, ran
from support.views import SOURCE, failing

FIX = Fix(title=LocalText(en="a", zh="b"), line=4, diff="-a\n+b", source="b")
FOUND = FixSearch(found=(FIX,), tried=1, total=2)


def failed() -> Session:
    """Return the sandbox after a run that failed in backward, at its start."""
    session = Session(Program(source=SOURCE, origin=Origin.OWN))
    session.start()
    made = failing()
    assert made.outcome is not None
    session.handle(RunBegan(run=1, line=1))
    session.handle(StepsArrived(run=1, steps=tuple(made)))
    session.handle(RunEnded(run=1, outcome=made.outcome))
    return session


def sought(instructions: list[Instruction]) -> list[int]:
    return [each.run for each in instructions if isinstance(each, FindFixes)]


def test_fixes_are_looked_for_when_the_failure_comes_into_view() -> None:
    session = failed()

    wanted = session.handle(Moved(Move.END))

    made = failing()
    assert wanted == [
        FindFixes(
            run=1,
            program=Program(source=SOURCE, origin=Origin.OWN),
            blame=find_blame(made, Unverified(), source=SOURCE),
            timeline=session.view().timeline,
            truth=Unverified(),
        )
    ]
    assert session.view().fixes == FixSearch()


def test_before_that_nothing_runs_again() -> None:
    session = failed()

    assert sought(session.handle(Moved(Move.NEXT))) == []
    assert session.view().fixes is None


def test_they_are_looked_for_once() -> None:
    session = failed()
    session.handle(Moved(Move.END))

    session.handle(Moved(Move.BACK))

    assert sought(session.handle(Moved(Move.END))) == []


def test_a_program_that_is_fine_needs_none() -> None:
    session = Session(Program(source="x", origin=Origin.OWN))
    session.start()
    session.handle(StepsArrived(run=1, steps=STEPS))
    session.handle(RunEnded(run=1, outcome=Completed()))
    session.handle(Moved(Move.END))

    assert sought(session.handle(TruthKnown(run=1, truth=Right()))) == []
    assert session.view().fixes is None


def test_a_wrong_gradient_is_one_once_the_replays_have_said_so() -> None:
    session = Session(Program(source="x", origin=Origin.OWN))
    session.start()
    session.handle(StepsArrived(run=1, steps=STEPS))
    session.handle(RunEnded(run=1, outcome=Completed()))

    assert sought(session.handle(Moved(Move.END))) == []
    assert sought(session.handle(TruthKnown(run=1, truth=WRONG))) == [1]


def test_while_a_question_is_open_nothing_is_looked_for() -> None:
    session = answered_first(ran(truth=WRONG))
    session.handle(QuestionLeft())

    assert sought(session.handle(Moved(Move.END))) == []
    assert session.view().fixes is None


def test_the_answer_to_the_last_question_sets_it_going() -> None:
    session = answered_first(ran(truth=WRONG))

    assert sought(session.handle(AnswerGiven("wrong"))) == [1]


def test_a_question_that_opens_again_hides_what_was_found() -> None:
    session = answered_first(ran(truth=WRONG))
    session.handle(AnswerGiven("wrong"))
    session.handle(FixesTried(run=1, search=FOUND))
    assert session.view().fixes == FOUND

    session.handle(Restarted())

    assert session.view().fixes is None


def test_what_is_found_can_be_seen_at_every_step() -> None:
    session = failed()
    session.handle(Moved(Move.END))
    session.handle(FixesTried(run=1, search=FOUND))

    view = move(session, Move.START)

    assert view.fixes == FOUND


def test_another_program_ends_the_search() -> None:
    session = failed()
    session.handle(Moved(Move.END))

    done = session.handle(Restarted(Program(source="y", origin=Origin.OWN)))

    assert CancelRun(run=1) in done
    assert session.view().fixes is None


def test_a_search_that_is_over_need_not_be_ended() -> None:
    session = failed()
    session.handle(Moved(Move.END))
    session.handle(FixesTried(run=1, search=FixSearch(over=True)))

    assert CancelRun(run=1) not in session.handle(Restarted())


def test_one_search_goes_on_at_a_time() -> None:
    session = answered_first(ran(truth=WRONG))
    session.handle(AnswerGiven("wrong"))
    session.handle(VariantChosen("data"))
    session.handle(AnswerGiven("wrong"))
    session.handle(StepsArrived(run=2, steps=STEPS))
    session.handle(RunEnded(run=2, outcome=Completed()))

    done = session.handle(TruthKnown(run=2, truth=WRONG))

    assert CancelRun(run=1) in done
    assert sought(done) == [2]
    # Back on the lesson itself, it is looked for again.
    assert sought(session.handle(VariantChosen(None))) == [1]


def test_the_last_words_of_a_search_that_was_ended_are_not_heard() -> None:
    session = answered_first(ran(truth=WRONG))
    session.handle(AnswerGiven("wrong"))
    session.handle(VariantChosen("data"))
    session.handle(AnswerGiven("wrong"))
    session.handle(StepsArrived(run=2, steps=STEPS))
    session.handle(RunEnded(run=2, outcome=Completed()))
    session.handle(TruthKnown(run=2, truth=WRONG))

    session.handle(FixesTried(run=1, search=FOUND))
    session.handle(VariantChosen(None))

    assert session.view().fixes == FixSearch()
