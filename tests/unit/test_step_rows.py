"""The rows of a long timeline are made when they are looked at, and not all kept."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from inplace_tui.common.rows import Row
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.step import Mutation
from inplace_tui.tutorial.ui.panels.steps import MAX_CACHED_ROWS, StepRows
from support.views import at, step, timeline


@pytest.mark.whole
def test_a_search_through_a_long_timeline_does_not_keep_every_row_it_looked_at() -> None:
    told = timeline(*(step(index, 1, visit=index + 1) for index in range(3 * MAX_CACHED_ROWS)))
    told.outcome = Completed()
    rows = StepRows(replace(at(5, told), source="x.add_(1)"), 60)
    gc.collect()
    before = sum(type(each) is Row for each in gc.get_objects())

    assert all("x.add_(1)" in row.text for row in rows)

    kept = sum(type(each) is Row for each in gc.get_objects()) - before
    assert 0 < kept <= MAX_CACHED_ROWS + 1


def test_the_versions_of_a_late_write_are_told_whole_under_each_other() -> None:
    count = 12_000
    told = timeline(*(step(i, 1, visit=i + 1, events=(_write(i),)) for i in range(count)))
    told.outcome = Completed()

    rows = StepRows(replace(at(count - 1, told), source="x.add_(1)"), 48)

    for index in (0, 998, 9_998, 9_999, count - 1):
        assert rows[index].text.endswith(f" ~v{index}→v{index + 1}")
        assert f" {index + 1} L1 " in rows[index].text
        assert rows[index].text.index("L1") == rows[0].text.index("L1")


def _write(before: int) -> Mutation:
    return Mutation(
        line=1, op="Tensor.add_", tensor=1, storage=1, before=before, after=before + 1,
        column=0, end_column=9,
    )  # fmt: skip
