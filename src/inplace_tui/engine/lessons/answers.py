"""Which answer to a question is true of a run."""

from __future__ import annotations

from inplace_tui.engine.lessons.claims import FinishedRun, holds, visit
from inplace_tui.engine.lessons.question_rules import OF_THE_STEP
from inplace_tui.engine.problems import fill
from inplace_tui.model.lesson import Choice, Claim, Feedback, Kind, LocalText, Question
from inplace_tui.texts.authoring import AuthoringTexts


def untrue(question: Question, choice: Choice, run: FinishedRun, at: int | None) -> list[LocalText]:
    """Return why a choice is not true of the run; nothing if it is.

    Args:
        question: not an `order`, which has no choices.
        choice: one of its.
        run: of the lesson's own program.
        at: the step of the asked line. In `line` a choice speaks of its own line instead.
    """
    if question.kind is not Kind.LINE or not of_the_step(choice.when):
        return holds(choice.when, run, at)
    assert choice.at is not None  # the loader saw to it
    own = visit(run, choice.at)
    if own is None:
        name, _, wanted = choice.at.partition("#")
        visits = sum(step.line == run.anchors.get(name) for step in run.timeline)
        values = {"anchor": name, "visits": visits, "wanted": wanted or 1}
        return [fill(AuthoringTexts.not_visited, **values)]
    return holds(choice.when, run, own.index)


def of_the_step(claim: Claim) -> bool:
    """Whether a claim speaks of one step."""
    return any(getattr(claim, name) not in (None, {}) for name in OF_THE_STEP)


def works(question: Question, run: FinishedRun) -> bool:
    """Whether an order reaches the goal: `run` is of the program in this order."""
    assert question.goal is not None  # the loader saw to it
    return not holds(question.goal, run, None)


def fitting(question: Question, run: FinishedRun) -> list[Feedback]:
    """Return what there is to say to an order that does not work; it should be one."""
    return [each for each in question.why if not holds(each.when, run, None)]


def claims_of(question: Question) -> list[Claim]:
    """Return everything that a question has tested."""
    goal = [] if question.goal is None else [question.goal]
    return [*(choice.when for choice in question.choices), *goal, *(w.when for w in question.why)]
