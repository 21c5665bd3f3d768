"""A candidate that was run, and whether it passed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.run.outcome import Completed, Outcome, Raised
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.blame.truth import Evidence
from inplace_tui.diagnosis.fixes.value_history import ValueHistories, value_histories


@dataclass(frozen=True)
class Trial:
    """A candidate that was run."""

    candidate: Candidate
    bare: Evidence
    cloned: Evidence
    timeline: Timeline

    @cached_property
    def histories(self) -> ValueHistories:
        return value_histories(self.timeline)


@dataclass(frozen=True)
class Passed:
    """All four conditions hold."""

    condition: ClassVar = ""
    raised: ClassVar = None

    keeps_loss: bool
    """What backward came from has the values that it has in the original."""

    keeps_gradient: bool
    forward_changes: LocalText | None
    delivered: frozenset[str]
    """What got a gradient: a fix that gives one to less than another is none beside it."""

    computes: LocalText | None = None
    """What it computes instead of what the original means; None where it does the same."""


@dataclass(frozen=True)
class Failed:
    """One condition does not hold."""

    keeps_loss: ClassVar = False
    forward_changes: ClassVar = None

    condition: str
    """`a`, `b`, `c` or `d`; `e` if none can be told."""

    reason: str
    raised: Raised | None = None


def failure_of(ended: Outcome | None) -> Failed | None:
    """Return that a run did not come to its end, if it didn't."""
    if isinstance(ended, Completed):
        return None
    raised = ended if isinstance(ended, Raised) else None
    return Failed("a", str(getattr(ended, "message", ended)), raised)
