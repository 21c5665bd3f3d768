"""How many rows each panel needs at most in one run: a layout is chosen for all of it.

While one steps, no panel moves; so what counts is the moment at which a panel has most to show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inplace_tui.common.run.files import FilePart, part_of
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present import code, graph, lanes, output, table
from inplace_tui.tutorial.report.text import view_at

MOMENTS = 12
"""At so many steps a run is looked at, beside where it raised and where it ended."""

FIXES = 12
"""Rows for the fixes of a failure, which are found later: nothing moves when one is."""

OF_A_LESSON = ("why", 14), ("output", 4)
"""What a lesson's program raises and prints may be asked: its panels are as large in each."""

MOST_BESIDE = 12
"""Rows of another file beside that of the step, at most."""

Rows = tuple[tuple[str, int], ...]


def rows_needed(view: View, run: Timeline, width: Callable[[str], int], language: str) -> Rows:
    """Return the rows that panels need, by their ids.

    Args:
        run: what ran, though an open question hides some of it.
        width: returns how many cells of text a panel has.
    """
    assert view.program is not None, "it ran"
    last, step = len(run) - 1, raising_step(run)
    places = {*range(0, last + 1, max(1, last // MOMENTS)), last}
    if step is not None:
        places.add(step.index)
    moments = [
        replace(view_at(view.program, run, place), watch=view.watch, watched=view.watched)
        for place in sorted(places)
    ]
    deepest = max(moments, key=lambda each: len(each.snapshot.nodes))
    found = {
        "state": max(len(table.rows(each, width("state"), language)) for each in moments),
        "graph": len(graph.rows(deepest, width("graph"), language)),
        "lanes": len(lanes.rows(moments[-1], width("lanes"), language)),
    }
    if view.at_end is None:
        return (*found.items(), *OF_A_LESSON, ("timeline", view.source.count("\n") + 1))
    told = replace(view.at_end, fixes=None)
    found["why"] = len(explain.rows(told, width("why"), language))
    found["why"] += FIXES if told.blame is not None else 0
    found["output"] = len(
        output.rows(replace(moments[-1], outcome=told.outcome), width("output"), language)
    )
    return (*found.items(), ("timeline", len(run)))


def rows_at_fault(view: View) -> tuple[int, int]:
    """Return the lines from the first at fault to the last, and the rows for another file of them.

    Both are 0 where there is nothing to explain, or it is asked.
    """
    if view.at_end is None or not view.is_explained:
        return 0, 0
    files: dict[FilePart, list[int]] = {}
    for line in code.at_fault(view):
        files.setdefault(part_of(view.source, line), []).append(line)
    most = max((max(each) - min(each) + 1 for each in files.values()), default=1)
    return most, min(MOST_BESIDE, most + 2) if len(files) > 1 else 0
