"""Answers held against what the program did; for an order, against what it did in that order."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.engine.lessons.answers import claims_of, fitting, untrue, works
from inplace_tui.engine.lessons.claims import FinishedRun, ending, needs_truth
from inplace_tui.engine.lessons.loader import LoadedLesson
from inplace_tui.engine.lessons.ordering import orders, spelled
from inplace_tui.engine.problems import fill
from inplace_tui.engine.session.asking import Ruling, Standing
from inplace_tui.engine.session.run import Run
from inplace_tui.engine.session.signals import OrderTried, TryOrder
from inplace_tui.engine.session.view import Try
from inplace_tui.model.lesson import Kind, LocalText, Question
from inplace_tui.model.outcome import Completed, Raised, Right, Unverified, Wrong
from inplace_tui.texts.session import ORDERS


@dataclass(frozen=True)
class _Trial:
    """An order that is being run."""

    run: int
    order: str


class Judging:
    """Tells which answers are true of a lesson, and which orders must be run for that."""

    def __init__(self, lesson: LoadedLesson | None) -> None:
        self._lesson = lesson
        self._ran: dict[str, FinishedRun] = {}
        self._trial: _Trial | None = None

    @property
    def under_way(self) -> int | None:
        """The number of the order that is being run."""
        return None if self._trial is None else self._trial.run

    def ruling(self, standing: Standing, at: int | None, main: Run) -> Ruling | None:
        """Return what is to be said of an answer; None while that can't be told.

        Args:
            standing: of a question that was answered, or whose answer is wanted.
            at: the step of the asked line, once that has finished.
            main: the run of the lesson's own program.
        """
        question = standing.question
        if self._lesson is None:
            return None
        if question.kind is Kind.ORDER:
            return self._ruling_of_order(standing)
        wants_truth = any(map(needs_truth, claims_of(question)))
        if not main.over or (main.truth is None and wants_truth):
            return None
        truth = Unverified() if main.truth is None else main.truth
        anchors, source = self._lesson.anchors, main.program.source
        finished = FinishedRun(main.timeline, truth, anchors, source)
        true = [each.id for each in question.choices if not untrue(question, each, finished, at)]
        if len(true) != 1:
            return Ruling(good=None)
        return Ruling(good=standing.tried[-1:] == (true[0],), right=true[0])

    def _ruling_of_order(self, standing: Standing) -> Ruling | None:
        question = standing.question
        right = self._right(question)
        if not standing.tried:
            return None if right is None else Ruling(good=None, right=right)
        run = self._ran.get(standing.tried[-1])
        if run is None:
            return None
        did = what_it_did(run)
        if did is None:
            return Ruling(good=None, right=right)
        if works(question, run):
            return Ruling(good=True, right=standing.tried[-1], reply=question.right, did=did)
        said = fitting(question, run)
        return Ruling(good=False, right=right, reply=said[0].say if said else None, did=did)

    def _right(self, question: Question) -> str | None:
        """Return an order that is known to work."""
        return next((o for o in self._orders(question) if self._works(question, o)), None)

    def _works(self, question: Question, order: str) -> bool:
        run = self._ran.get(order)
        return run is not None and what_it_did(run) is not None and works(question, run)

    def _orders(self, question: Question) -> list[str]:
        assert self._lesson is not None
        return [spelled(order) for order in orders(question.lines, self._lesson.marked)]

    def wanted(self, standing: Standing | None, number: int) -> TryOrder | None:
        """Return the order that must be run next, if there is one; one at a time.

        Args:
            standing: of the `order` question before the learner.
            number: of the run, if it comes to one.
        """
        order = None if standing is None or self._trial is not None else self._missing(standing)
        if order is None or standing is None or self._lesson is None:
            return None
        self._trial = _Trial(number, order)
        return TryOrder(
            run=number,
            program=self._lesson.program(order=order.split(" ")),
            with_truth=any(map(needs_truth, claims_of(standing.question))),
        )

    def _missing(self, standing: Standing) -> str | None:
        """Return the order to learn about: the one that was given, then one that works."""
        if standing.tried and standing.tried[-1] not in self._ran:
            return standing.tried[-1]
        if not standing.done or standing.status is Try.RIGHT:
            return None
        if self._right(standing.question) is not None:
            return None
        untried = (order for order in self._orders(standing.question) if order not in self._ran)
        return next(untried, None)

    def take(self, signal: OrderTried) -> None:
        """Keep what came of an order."""
        if self._trial is None or self._trial.run != signal.run or self._lesson is None:
            return  # cancelled meanwhile
        moved = self._lesson.reordered(self._trial.order.split(" "))
        self._ran[self._trial.order] = FinishedRun(
            signal.timeline, signal.truth, moved.anchors, moved.code
        )
        self._trial = None


def what_it_did(run: FinishedRun) -> LocalText | None:
    """Say what a program did in another order; None if it did not come to an end."""
    outcome = run.timeline.outcome
    if ending(outcome) is None:
        return None
    if isinstance(outcome, Raised):
        lines = run.source.split("\n")
        line = lines[outcome.line - 1].strip() if outcome.line else "?"
        key = "raises_in_backward" if outcome.in_backward else "raises_before"
        return fill(ORDERS[key], code=line, exception=outcome.exception)
    assert isinstance(outcome, Completed)
    match run.truth:
        case Right(asked=True):
            return ORDERS["runs_right"]
        case Wrong():
            return ORDERS["runs_wrong"]
        case _:
            return ORDERS["runs"]
