"""Answers, held against what the programs did."""

from __future__ import annotations

from inplace_tui.common.run.outcome import Unverified
from inplace_tui.tutorial.activity.session.questions import QuestionState
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.signals import RunTrial, TrialEnded
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.kinds.kind import AnswerRuns, Ruling
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson


class AnswerJudge:
    """Tells which answers to a lesson's questions are true, and what must be run for that."""

    def __init__(self, lesson: LoadedLesson | None) -> None:
        self._lesson = lesson
        self._ended: dict[str, FinishedRun] = {}
        """Trials by their answer."""

        self._running: tuple[int, str, AnchoredCode] | None = None
        """Number, answer and program of the trial that runs; one at a time."""

    @property
    def running(self) -> int | None:
        return None if self._running is None else self._running[0]

    def ruling(self, state: QuestionState, at: int | None, run: SessionRun | None) -> Ruling | None:
        """Return what the runs say of an answer, the one it is about first; None if unknown yet."""
        own = None
        if run and run.over and (run.truth is not None or not state.asked.needs_truth):
            truth = Unverified() if run.truth is None else run.truth
            anchors = {} if self._lesson is None else self._lesson.anchors
            own = FinishedRun(run.timeline, truth, anchors, run.program.source)
        return state.asked.ruling(state.tried, AnswerRuns(own, at, self._ended))

    def next_trial(self, state: QuestionState, number: int) -> RunTrial | None:
        """Return the program that must be run next for an answer, if there is one."""
        if self._lesson is None or self._running is not None:
            return None
        answer = self._missing(state)
        if answer is None:
            return None
        changed = state.asked.trials[answer]
        self._running = (number, answer, changed)
        program = self._lesson.program_of(changed)
        return RunTrial(run=number, program=program, with_truth=state.asked.needs_truth)

    def _missing(self, state: QuestionState) -> str | None:
        """Return the answer to learn about: the one given, then others until one is right."""
        trials = state.asked.trials
        if trials and state.tried and state.tried[-1] not in self._ended:
            return state.tried[-1]
        if not trials or not state.done or state.status is QuestionStatus.RIGHT:
            return None
        if state.asked.ruling((), AnswerRuns(None, None, self._ended)) is not None:
            return None
        return next((answer for answer in trials if answer not in self._ended), None)

    def take(self, signal: TrialEnded) -> None:
        if self._running is None or self._running[0] != signal.run:
            return  # cancelled meanwhile
        _, answer, program = self._running
        self._ended[answer] = FinishedRun(
            signal.timeline, signal.truth, program.anchors, program.code
        )
        self._running = None
