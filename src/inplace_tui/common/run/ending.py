"""How a program came out, in one word: of a claim, a prediction, a run, and in all JSON."""

from __future__ import annotations

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.run.outcome import (
    Cancelled,
    Completed,
    Crashed,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
    Truth,
    Unverified,
    Wrong,
)


class Ending(StrEnum):
    """Exactly one of these is true of every run that has ended."""

    RIGHT = "right"
    """It runs to its end, and every gradient is right."""

    WRONG = "wrong"
    """It runs to its end, and a gradient is silently wrong."""

    RUNS = "runs"
    """It runs to its end, and nobody asked for the truth; as a claim: whatever the truth is."""

    NOT_JUDGED = "not_judged"
    """It runs to its end, and replays could not show whether its gradients are right."""

    RAISES_BEFORE = "raises_before"
    """Outside of backward, also after one that ran."""

    RAISES_IN_BACKWARD = "raises_in_backward"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    """By a limit other than time."""

    CRASHED = "crashed"
    CANCELLED = "cancelled"

    @property
    def is_complete(self) -> bool:
        """Whether the program ran to its end."""
        return self in {Ending.RIGHT, Ending.WRONG, Ending.RUNS, Ending.NOT_JUDGED}

    @property
    def is_fine(self) -> bool:
        """Whether no fault was found."""
        return self.is_complete and self is not Ending.WRONG


PREDICTED = (Ending.RIGHT, Ending.WRONG, Ending.RAISES_BEFORE, Ending.RAISES_IN_BACKWARD)
"""The answers to the question how a program ends."""


def ending_of(outcome: Outcome, truth: Truth) -> Ending:
    """Return how a run came out."""
    match outcome:
        case Completed():
            return _ENDINGS[type(truth)]
        case Raised(in_backward=in_backward):
            return Ending.RAISES_IN_BACKWARD if in_backward else Ending.RAISES_BEFORE
        case TimedOut():
            return Ending.TIMED_OUT
        case Stopped():
            return Ending.STOPPED
        case Crashed():
            return Ending.CRASHED
        case Cancelled():
            return Ending.CANCELLED


_ENDINGS: dict[type[Truth], Ending] = {
    Right: Ending.RIGHT,
    Wrong: Ending.WRONG,
    NotReproducible: Ending.NOT_JUDGED,
    Unverified: Ending.RUNS,
}
"""Of a run that came to its end."""
