"""What the runs of one program say when they are held against each other."""

from __future__ import annotations

from inplace_tui.engine.blame.truth import Evidence, compare
from inplace_tui.model.doubt import Reason
from inplace_tui.model.outcome import (
    NotReproducible,
    Outcome,
    Raised,
    Stopped,
    TimedOut,
    Truth,
)


def proves(first: Evidence, cloned: Evidence) -> bool:
    """Whether the replay shows that everything which the first run delivered is right."""
    doubts = [each for each in cloned.backwards if each.unsure or each.unrecorded]
    return not doubts and _digests(first) == _digests(cloned)


def truth_of(first: Evidence, second: Evidence, cloned: Evidence) -> Truth:
    """Return what is true of a program whose first run told only digests.

    If the second run is the same in every bit, its elements stand for both.
    """
    same = _digests(first) == _digests(second)
    return compare(second if same else first, second, cloned)


def _digests(evidence: Evidence) -> list[object]:
    """Return what must be the same in two runs of a program that repeats itself."""
    backwards = [
        (each.line, each.raised, [(g.tensor, g.dtype, g.shape, g.digest) for g in each.gradients])
        for each in evidence.backwards
    ]
    return [type(evidence.outcome), *backwards]


def went_alike(first: Outcome, again: Outcome | None) -> bool:
    """Whether two runs ended the same way; a message may hold an address."""
    if isinstance(first, Raised) and isinstance(again, Raised):
        return (first.exception, first.line) == (again.exception, again.line)
    return type(first) is type(again)


def is_incomplete(outcome: Outcome | None) -> bool:
    """Whether a recording was stopped before the program could end."""
    return isinstance(outcome, Stopped | TimedOut)


def ended_otherwise(again: Outcome | None) -> NotReproducible:
    """Return what is true of a program that went another way when it ran again."""
    detail = ""
    if isinstance(again, Raised):
        detail = f"{again.exception}: {again.message.partition(chr(10))[0]}"
    return NotReproducible(reason=Reason.ENDS_DIFFER, detail=detail)
