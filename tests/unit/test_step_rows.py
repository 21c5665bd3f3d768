"""The rows of a long timeline are made when they are looked at, and not all kept."""

from __future__ import annotations

import gc
from dataclasses import replace

from inplace_tui.model.outcome import Completed
from inplace_tui.present.rows import Row
from inplace_tui.ui.widgets.steps import MOST_KEPT, StepRows
from support.views import at, step, timeline


def test_a_search_through_a_long_timeline_does_not_keep_every_row_it_looked_at() -> None:
    told = timeline(*(step(index, 1, visit=index + 1) for index in range(3 * MOST_KEPT)))
    told.outcome = Completed()
    rows = StepRows(replace(at(5, told), source="x.add_(1)"), 60)
    gc.collect()
    before = sum(type(each) is Row for each in gc.get_objects())

    assert all("x.add_(1)" in row.text for row in rows)

    kept = sum(type(each) is Row for each in gc.get_objects()) - before
    assert 0 < kept <= MOST_KEPT + 1
