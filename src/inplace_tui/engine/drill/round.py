"""One program in front of one learner: predicted, weighed, told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inplace_tui.engine.drill.ending import Ending, ending_of
from inplace_tui.engine.drill.grammar import Drill
from inplace_tui.engine.drill.learning import Answered
from inplace_tui.engine.drill.record import Sureness
from inplace_tui.model.outcome import Truth
from inplace_tui.model.timeline import Timeline

CHOICES = tuple(Ending)
SURENESS = tuple(Sureness)


@dataclass(frozen=True)
class Settled:
    """A program that was run, and came out in one of the four ways."""

    drill: Drill
    timeline: Timeline
    truth: Truth
    repeat: bool = False

    @property
    def ending(self) -> Ending:
        """How it came out."""
        found = ending_of(self.timeline.outcome, self.truth)
        assert found is not None, "others are not shown"
        return found


@dataclass(frozen=True)
class Round:
    """How far the learner is with it."""

    settled: Settled
    predicted: Ending | None = None
    sureness: Sureness | None = None

    @property
    def is_told(self) -> bool:
        """Whether the truth may be seen."""
        return self.sureness is not None

    @property
    def choices(self) -> int:
        """How many answers the question that is open has."""
        if self.is_told:
            return 0
        return len(CHOICES if self.predicted is None else SURENESS)

    @property
    def is_right(self) -> bool:
        """Whether the prediction came true."""
        return self.predicted is self.settled.ending

    def answered(self, place: int) -> Round:
        """Return it with an answer to the question that is open; the first is 0."""
        if not 0 <= place < self.choices:
            return self
        if self.predicted is None:
            return replace(self, predicted=CHOICES[place])
        return replace(self, sureness=SURENESS[place])

    def taken_back(self) -> Round:
        """Return it without the prediction, while the truth is not told."""
        return self if self.is_told else replace(self, predicted=None)

    def answer(self, day: int) -> Answered:
        """Return what is kept of it."""
        assert self.sureness is not None, "it is told"
        return Answered(self.settled.drill, self.is_right, self.sureness, day)
