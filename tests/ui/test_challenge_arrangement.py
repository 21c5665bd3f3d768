"""A task stands above everything, and leaves room for what it is about."""

from __future__ import annotations

from itertools import combinations

import pytest
from textual.geometry import Region

from inplace_tui.tutorial.ui.arrangement import Needs, plan
from inplace_tui.tutorial.ui.panels import PANELS

SIZES = [(40, 15), (59, 19), (80, 17), (80, 21), (100, 31), (120, 37), (160, 47), (200, 57)]
"""Of the stage, which is three rows lower than the terminal."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("editing", [True, False])
@pytest.mark.parametrize("rows", [3, 7, 30])
def test_task_and_code_are_always_there_and_nothing_overlaps(
    size: tuple[int, int], editing: bool, rows: int
) -> None:
    regions = plan(
        *size, Needs(panels=tuple(PANELS), code_rows=12, task_rows=rows, editing=editing)
    ).regions
    code = regions["editor" if editing else "code"]

    assert regions["task"].y == 0
    assert regions["task"].width == size[0]
    assert regions["task"].height >= 3
    assert code.height >= 3
    assert regions["task"].height <= size[1] * 2 // 5 + 1
    for one, other in combinations(regions.values(), 2):
        assert not one.overlaps(other), regions
    for each in regions.values():
        assert Region(0, 0, *size).contains_region(each), regions


def test_on_a_common_terminal_the_panels_stay_beside_the_task() -> None:
    regions = plan(80, 21, Needs(panels=tuple(PANELS), code_rows=7, task_rows=4)).regions

    assert regions.keys() == {"task", "code", "narration", "tabs", "state"}


def test_the_zoom_gives_one_panel_everything() -> None:
    needs = Needs(panels=tuple(PANELS), code_rows=7, task_rows=4, zoomed="graph")
    task = Needs(panels=tuple(PANELS), code_rows=7, task_rows=4, zoomed="task")

    assert "task" not in plan(80, 21, needs).regions
    assert plan(80, 21, task).regions == {"task": Region(0, 0, 80, 21)}


def test_without_a_task_nothing_is_different() -> None:
    assert "task" not in plan(80, 21, Needs(panels=tuple(PANELS), code_rows=7)).regions
