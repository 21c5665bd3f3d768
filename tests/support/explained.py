"""A run as far as it is known, for what explains one."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import Outcome, Truth, Unverified
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.timeline import Timeline

UNVERIFIED = Unverified()


@dataclass(frozen=True)
class ExplainedRun:
    """What is shown of it stands where it ended."""

    source: str
    timeline: Timeline
    outcome: Outcome | None = None
    truth: Truth = UNVERIFIED
    verifying: bool = False
    blame: Blame | None = None
    program: Program | None = None
    fixes: FixSearch | None = None
    cursor: int = -1
