"""A session that has seen a run which is over: nothing is run for it."""

from __future__ import annotations

from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import RunBegan, RunEnded, TruthKnown
from inplace_tui.model.outcome import Truth
from inplace_tui.model.program import Program
from inplace_tui.model.timeline import Timeline


def played(program: Program, timeline: Timeline, truth: Truth) -> Session:
    """Return a session before the first line of this run.

    Args:
        program: what was run.
        timeline: what it did, to its end; nothing is added to it.
        truth: what its replays showed.
    """
    assert timeline.outcome is not None, "it is over"
    session = Session(program, timeline)
    # A line that called others finishes after them: the first to begin is the outermost.
    first = next((step.line for step in timeline if step.began == 0 and step.depth == 0), None)
    session.handle(RunBegan(run=1, line=first))
    session.handle(RunEnded(run=1, outcome=timeline.outcome, faults=timeline.faults))
    session.handle(TruthKnown(run=1, truth=truth))
    return session
