"""Keeps the runs of one sandbox as they end: what the rules of a history need a clock for."""

from __future__ import annotations

import time

from inplace_tui.common.run.outcome import Cancelled
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.history.runs import History, KeptRun


class RunLog:
    """Watches one run after the other; tell it of each that begins, then of every change."""

    def __init__(self) -> None:
        self.history = History()
        self._program: Program | None = None
        self._timeline: Timeline | None = None
        self._clock = ""
        self._took: float | None = None
        self._kept = self._has_truth = True
        self._recalled: KeptRun | None = None

    def begin(self, program: Program) -> None:
        """Begin a run; one that is under way ends with that."""
        self._finish()
        self._program, self._timeline = program, None
        self._clock, self._took = time.strftime("%H:%M:%S"), None
        self._kept = self._has_truth = False

    def update(self, session: Session, seconds: float | None) -> None:
        """Something changed: keep the run if it is over, and what its replays showed."""
        if self._has_truth or self._program is None:
            return
        self._timeline = timeline = session.view().timeline
        if not self._kept:
            self._took = seconds
        if timeline.outcome is None:
            self.history.make_room(timeline)
        elif not self._kept:
            self._keep(timeline)
        done = session.finished
        if self._kept and done is not None and done.timeline is timeline:
            self._has_truth = True
            self.history.add_truth(timeline, done.truth)

    @property
    def program(self) -> Program | None:
        """What ran last, or is shown again."""
        return self._program if self._recalled is None else self._recalled.program

    @property
    def shown(self) -> KeptRun | None:
        """The kept run that is on the screen."""
        number = None if self._recalled is None else self._recalled.number
        for run in self.history.runs:
            if run.timeline is self._timeline or run.number == number:
                return run
        return None

    def recall(self, run: KeptRun) -> None:
        """A kept run is on the screen again; the one before it is over."""
        self._finish()
        self._recalled, self._timeline = run, None

    def _finish(self) -> None:
        if not self._kept and self._timeline is not None and len(self._timeline):
            # The session lets go of it, so nobody else will say how it ended.
            self._timeline.outcome = self._timeline.outcome or Cancelled()
            self._keep(self._timeline)
        self._kept = self._has_truth = True
        self._recalled = None

    def _keep(self, timeline: Timeline) -> None:
        assert self._program is not None, "it began"
        self._kept = True
        self.history.keep(self._program, timeline, began=self._clock, seconds=self._took)
