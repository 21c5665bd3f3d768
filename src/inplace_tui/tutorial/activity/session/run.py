"""One run of a program, as a session follows it."""

from __future__ import annotations

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.outcome import (
    Cancelled,
    Completed,
    Crashed,
    Outcome,
    Raised,
    Truth,
    Unverified,
)
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import caught_error, verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.activity.session.view import NOTHING, Mask, covered, without_answer
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.forecast.forecast import Forecast, StepForecasts


class SessionRun:
    """A growing timeline, its outcome, and where the learner is in it."""

    def __init__(self, number: int, program: Program, timeline: Timeline | None = None) -> None:
        self.number = number
        self.program = program
        self.timeline = Timeline() if timeline is None else timeline
        self.first_line: int | None = None
        self.truth: Truth | None = None
        """None until it is known; a run that did not complete has no truth to find."""

        self.verifying = False
        self.cursor = -1
        self.furthest = -1
        """The last step that the cursor was ever at."""

        self.goal: int | None = None
        """Where the cursor was when this was saved: it goes there while steps arrive."""

        self.found_forecasts: dict[tuple[int, int], Forecast] = {}
        """By step and tensor: forecasts that replays found."""

        self.pending_forecast: tuple[int, int] | None = None
        """The step and tensor whose forecast replays are finding."""

        self.search: FixSearch | None = None
        """For fixes; None before there was reason to look for them."""

        self._step_forecasts: list[StepForecasts] = []
        self._part: tuple[object, Timeline] | None = None
        self._verdict: tuple[Truth | None, Verdict | None] | None = None
        self._blame: tuple[Truth | None, Blame | None] | None = None
        self._raising: tuple[Outcome | None, Step | None] | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None while it goes on."""
        return self.timeline.outcome

    @property
    def last(self) -> int:
        return len(self.timeline) - 1

    @property
    def over(self) -> bool:
        """Whether the program ended, and not by being cancelled or with the worker."""
        match self.outcome:
            case None | Cancelled():
                return False
            case Crashed(worker_died=died):
                return not died
            case _:
                return True

    def finished(self, lesson: LoadedLesson | None, held: str | None = None) -> FinishedRun | None:
        """Return it with its truth once both are known; `held` is a program of the lesson."""
        if not self.over or self.truth is None:
            return None
        anchors = {} if lesson is None else (lesson.held[held] if held else lesson).anchors
        return FinishedRun(self.timeline, self.truth, anchors, self.program.source)

    def end(self, outcome: Outcome) -> None:
        """The run is over; only one that completed can be silently wrong.

        What ends a program that imports the user's, as pytest does, is an error that it caught.
        """
        if self.program.is_imported and isinstance(outcome, Raised):
            outcome = caught_error(self.timeline) or outcome
        self.timeline.outcome = outcome
        if not isinstance(outcome, Completed):
            self.truth = Unverified()

    @property
    def shows_outcome_from(self) -> int:
        """The first step at which it is known how the run ended: what raised is not caught."""
        if self._raising is None or self._raising[0] is not self.outcome:
            raised = raising_step(self.timeline) if isinstance(self.outcome, Raised) else None
            self._raising = (self.outcome, raised)
        step = self._raising[1]
        return self.last if step is None else step.index

    @property
    def searching(self) -> bool:
        return self.search is not None and not self.search.over

    def part(self, *, reachable: int, hidden_from: int | None, mask: Mask = NOTHING) -> Timeline:
        """Return the part of the timeline that may be seen; it grows with what arrives."""
        if hidden_from is None and reachable == self.last:
            return self.timeline
        hidden = len(self.timeline) if hidden_from is None else hidden_from
        key = (hidden, mask.saves, mask.writes)
        if self._part is None or self._part[0] != key or len(self._part[1]) > reachable + 1:
            self._part = (key, self.timeline.excerpt([], saved=not mask.saves))
        part = self._part[1]
        for step in self.timeline.steps[len(part) : reachable + 1]:
            part.extend(covered(step if step.index < hidden else without_answer(step), mask))
        return part

    def step_forecasts(self, cursor: int) -> StepForecasts:
        """Return the forecasts read from the graph at a step; the last two are cached."""
        for known in self._step_forecasts:
            if known.index == cursor:
                return known
        found = StepForecasts(self.timeline, cursor, self.program.source)
        self._step_forecasts = [*self._step_forecasts[-1:], found]
        return self._step_forecasts[-1]

    def verdict(self) -> Verdict | None:
        if self._verdict is None or self._verdict[0] != self.truth:
            found = verdict_of_run(self.timeline, self.truth or Unverified())
            self._verdict = (self.truth, found)
        return self._verdict[1]

    def blame(self) -> Blame | None:
        if self.outcome is None:
            return None
        if self._blame is None or self._blame[0] != self.truth:
            truth, source = self.truth or Unverified(), self.program.source
            self._blame = (self.truth, find_blame(self.timeline, truth, source=source))
        return self._blame[1]
