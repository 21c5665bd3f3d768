"""The formats that draw the backward graph, and the moment of a run that they draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inplace_tui.engine.blame.lookup import raising_step
from inplace_tui.engine.session.view import View
from inplace_tui.model.outcome import Raised
from inplace_tui.model.program import Program
from inplace_tui.model.snapshot import EMPTY
from inplace_tui.model.timeline import Timeline
from inplace_tui.report import dot, svg

PICTURES: Mapping[str, Callable[[View, str], str]] = {"dot": dot.document, "svg": svg.document}
"""Format -> what makes it of a view, in a language."""


def graph_view(program: Program, timeline: Timeline, step: int | None = None) -> View:
    """Return the view whose graph is worth a picture.

    `step` is from 1; None is the failing backward, or else the last moment with a graph.
    """
    last = len(timeline) - 1
    cursor = last if step is None else min(step - 1, last)
    outcome = timeline.outcome
    if step is None and isinstance(outcome, Raised) and outcome.in_backward:
        raising = raising_step(timeline)
        cursor = last if raising is None else raising.index
    while step is None and cursor >= 0 and not timeline.at(cursor).nodes:
        cursor -= 1
    ran = timeline.steps[cursor] if cursor >= 0 else None
    return View(
        source=program.source,
        timeline=timeline,
        cursor=cursor,
        reachable=last,
        snapshot=timeline.at(cursor) if cursor >= 0 else EMPTY,
        previous=EMPTY if ran is None else timeline.at(ran.began - 1),
        ran=ran,
    )
