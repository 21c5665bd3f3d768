"""What a whole run did to each line, for the margin of an editor."""

from __future__ import annotations

from dataclasses import replace

from inplace_tui.common.blame import Blame
from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.outcome import last_line
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import code

FAILED, CHANGED, SAVED = (Span("✗", Style.ERROR), Span("~", Style.CHANGED), Span("◆", Style.SAVED))

MarginNotes = dict[int, tuple[Span | None, tuple[Span, ...]]]
"""By line from 1: one cell for the gutter, and the note of the line."""


def margin(view: View, language: str) -> MarginNotes:
    """Return what the lines did up to the end of the run, wherever the cursor is.

    For programs of the learner's own: nothing is hidden here.
    """
    timeline = view.timeline
    if timeline.outcome is None:
        return {}
    last = len(timeline) - 1
    fault = find_blame(timeline, view.truth, source=view.source)
    end = replace(
        view,
        cursor=last,
        ran=None,
        next_line=None,
        snapshot=timeline.at(last),
        outcome=timeline.outcome,
        blame=fault,
    )
    marks = _marks(end, fault)
    lines = sorted({*timeline.index.visits, *marks})
    return {line: (marks.get(line), code.notes(end, line, language)) for line in lines}


def _marks(view: View, fault: Blame | None) -> dict[int, Span]:
    marks: dict[int, Span] = {}
    if fault is not None:
        if fault.saver is not None and fault.saver.line is not None:
            marks[fault.saver.line] = SAVED
        marks |= {write.line: CHANGED for write in fault.writes}
        if fault.reader is not None:
            marks[fault.reader] = FAILED
    if (line := last_line(view.outcome)) is not None:
        marks[line] = FAILED
    return marks
