"""A candidate that was run, and whether it passed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.outcome import Outcome
from inplace_tui.common.run.program import Backward
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.blame.truth import Evidence
from inplace_tui.diagnosis.fixes.value_history import (
    Content,
    ValueHistories,
    contents_after,
    value_histories,
)


@dataclass(frozen=True)
class Trial:
    """A candidate that was run."""

    bare: Evidence
    cloned: Evidence
    timeline: Timeline

    @cached_property
    def histories(self) -> ValueHistories:
        return value_histories(self.timeline)

    @cached_property
    def contents(self) -> set[Content]:
        return contents_after(self.timeline, self.timeline.steps)


@dataclass(frozen=True)
class Passed:
    """All four conditions hold."""

    keeps_loss: bool
    """What backward came from has the values that it has in the original."""

    keeps_gradient: bool
    forward_changes: LocalText | None
    delivered: frozenset[str]
    """What got a gradient: a fix that gives one to less than another is none beside it."""

    computes: LocalText | None = None
    """What it computes instead of what the original means; None where it does the same."""

    outdated: tuple[Backward, ...] | None = None
    """Its backwards, where the original goes twice through a graph that was computed from other
    values than there are by now: those of a program that computes it again are meant."""


@dataclass(frozen=True)
class Failed:
    """One condition does not hold."""

    condition: str
    """`a`, `b`, `c` or `d`."""

    reason: str
    ended: Outcome | None = None
    """How the run ended, where that is what speaks against it."""
