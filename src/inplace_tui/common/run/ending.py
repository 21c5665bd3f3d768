"""How a program came out: as a learner predicts it, and as a claim says it."""

from __future__ import annotations

from inplace_tui.common.run.enums import StrEnum
from inplace_tui.common.run.outcome import Completed, Outcome, Raised, Right, Truth, Wrong


class Ending(StrEnum):
    """What backward leaves behind, if it is reached."""

    RIGHT = "right"
    WRONG = "wrong"
    """It runs, and a gradient is silently wrong."""

    RAISES_BEFORE = "raises_before"
    RAISES_IN_BACKWARD = "raises_in_backward"


class ClaimedEnd(StrEnum):
    """How a run ends, as a claim says it."""

    RUNS = "runs"
    RAISES_BEFORE = "raises_before"
    RAISES_IN_BACKWARD = "raises_in_backward"


class Grads(StrEnum):
    """Whether every backward delivered what its recorded graph says."""

    RIGHT = "right"
    WRONG = "wrong"


def ending_of(outcome: Outcome | None, truth: Truth) -> Ending | None:
    """Return how a run came out; None where that could not be determined."""
    match outcome:
        case Completed():
            if isinstance(truth, Right):
                return Ending.RIGHT
            return Ending.WRONG if isinstance(truth, Wrong) else None
        case Raised(in_backward=in_backward):
            return Ending.RAISES_IN_BACKWARD if in_backward else Ending.RAISES_BEFORE
        case _:
            return None
