"""Moving through time: by columns, by mouse, by number, and along one storage."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import LanesPanel, TensorTable, TimelineStrip
from inplace_tui.tutorial.ui.widgets.panel_area import PanelTabs
from support.hosts import Host
from support.screens import Stage, opened
from support.stand_in import StandIn
from support.views import asking, at, step, storage, tensor, timeline

SOURCE = "x = zeros()\nfor i in range(500):\n    x.add_(1)\n"
LENGTH = 1001


def loop() -> tuple[Step, ...]:
    """Return the steps of `SOURCE`: a tensor that is written every other step."""
    steps = [step(0, 1, tensors=(tensor(1, "x"),), storages=(storage(1, 0, 0, 0),))]
    for index in range(1, LENGTH):
        written = index // 2
        if index % 2:
            steps.append(step(index, 2, visit=written + 1, then=3))
            continue
        write = Mutation(line=3, tensor=1, storage=1, before=written - 1, after=written)
        now = tensor(1, "x", version=written)
        steps.append(step(index, 3, visit=written, then=2, tensors=(now,), events=(write,)))
    return tuple(steps)


LOOP = loop()


def looped(cursor: int) -> View:
    return replace(at(cursor, timeline(*LOOP)), source=SOURCE)


# The panel.


async def test_a_column_pressed_is_gone_to_and_a_drag_tells_where_it_ends() -> None:
    app = Host(LanesPanel(), at(5))
    async with app.run_test(size=(70, 16)) as pilot:
        first, second = (app.panel.render_line(row).text.index("○") + 2 for row in (3, 4))
        await pilot.mouse_down(LanesPanel, offset=(first, 4))
        await pilot.pause()
        for column in (1, 2, 3):
            await pilot.hover(LanesPanel, offset=(first + (second - first) * column, 9))
        await pilot.mouse_up(LanesPanel, offset=(first + (second - first) * 3, 9))
        await pilot.hover(LanesPanel, offset=(first, 9))
        await pilot.pause()

    steps = [words["signal"].step for _, words in app.said if isinstance(words, dict)]
    assert (steps[0], steps[-1]) == (1, 4)


@pytest.mark.parametrize("view", [at(3), asking(3)])
async def test_what_happened_to_the_marked_tensor_is_told_in_words_but_not_what_is_asked(
    view: View,
) -> None:
    panel = LanesPanel()
    async with Host(panel, view).run_test(size=(90, 16)) as pilot:
        panel.select(2)
        await pilot.pause()

        told = panel.render_line(2).text
        assert "step 4, line 4  B y  1 write v0 → v1, saved by 1" in told
        assert ("1 of them stale" in told) is not view.mask.outcome


async def test_the_name_of_a_lane_chooses_its_tensor() -> None:
    app = Host(LanesPanel(), at(5))
    async with app.run_test(size=(70, 16)) as pilot:
        await pilot.click(LanesPanel, offset=(4, 5))
        await pilot.pause()

    assert ("LanesPanel.LaneChosen", {"tensor": 2, "entered": True}) in app.said
    assert app.panel.text.count("▸B y") == 1


async def test_zooming_goes_from_the_whole_run_to_one_column_a_step_around_the_cursor() -> None:
    panel = LanesPanel()
    app = Host(panel, looped(500))
    async with app.run_test(size=(80, 16)) as pilot:
        heads = [panel.render_line(0).text.split()[0]]
        while panel.zoom(1):
            await pilot.pause()
            heads.append(panel.render_line(0).text.split()[0])
            assert "▼501" in panel.render_line(1).text
        assert heads == ["1:34", "1:16", "1:4", "1:1", "1:1", "1:1", "1:1"]
        assert "●250" in panel.render_line(3).text

        while panel.zoom(-1):
            await pilot.pause()

        assert panel.render_line(0).text.split()[0] == "1:34"


async def test_the_wheel_turns_time_over_the_rulers_and_scale_with_control() -> None:
    panel = LanesPanel()
    app = Host(panel, looped(500))
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot._post_mouse_events([_down()], LanesPanel, offset=(40, 1), button=0)
        await pilot.pause()
        await pilot._post_mouse_events([_up()], LanesPanel, offset=(40, 4), button=0, control=True)
        await pilot.pause()

        assert app.said == [("scrub(1)", {})]
        assert panel.render_line(0).text.split()[0] == "1:16"


def _down() -> type:
    from textual.events import MouseScrollDown  # noqa: PLC0415

    return MouseScrollDown


def _up() -> type:
    from textual.events import MouseScrollUp  # noqa: PLC0415

    return MouseScrollUp


async def test_the_strip_is_dragged_too_and_beyond_its_end_means_the_end() -> None:
    app = Host(TimelineStrip(), at(5))
    async with app.run_test(size=(80, 3)) as pilot:
        await pilot.mouse_down(TimelineStrip, offset=(7 + 2 * 3, 0))
        await pilot.pause()
        await pilot.hover(TimelineStrip, offset=(2, 0))
        await pilot.pause()
        await pilot.mouse_up(TimelineStrip, offset=(2, 0))

    steps = [words["signal"].step for _, words in app.said if isinstance(words, dict)]
    assert (steps[0], steps[-1]) == (2, -1)


# The screen.


async def long_run(stage: Stage) -> None:
    await stage.press("ctrl+r")
    await stage.ran()


@pytest.fixture
def program(tmp_path: Path) -> Opening:
    path = tmp_path / "loop.py"
    path.write_text(SOURCE)
    return Opening(screen="sandbox", file=path)


WORKER = {SOURCE: (LOOP, Completed())}


@pytest.mark.whole
async def test_commas_and_stops_move_by_a_column_of_the_scale(
    program: Opening, tmp_path: Path
) -> None:
    async with opened(program, tmp_path, worker=StandIn(WORKER)) as stage:
        await long_run(stage)
        await stage.press("g", "6")
        each = int(stage.sandbox.query_one(LanesPanel).render_line(0).text.split()[0][2:])
        await stage.press(".", ".", ".")
        assert stage.sandbox.view.cursor == 3 * each - 1

        await stage.press("+", ",")

        finer = int(stage.sandbox.query_one(LanesPanel).render_line(0).text.split()[0][2:])
        assert finer < each
        assert stage.sandbox.view.cursor == (3 * each - 1) // finer * finer - 1


@pytest.mark.whole
async def test_a_tab_says_of_this_moment_whether_steps_are_ahead(
    program: Opening, tmp_path: Path
) -> None:
    async with opened(program, tmp_path, worker=StandIn(WORKER), size=(120, 40)) as stage:
        await long_run(stage)
        await stage.press("6", "g")
        tabs = stage.sandbox.query_one(PanelTabs)
        assert "all steps" in tabs.render().plain

        await stage.press("G")

        assert "all steps" not in tabs.render().plain


@pytest.mark.parametrize(
    ("asked", "cursor"), [("123", 122), ("50%", 499), ("0", -1), ("99999", 1000), (":3", 1)]
)
@pytest.mark.whole(every=5)
async def test_a_place_that_is_typed_is_gone_to(
    asked: str, cursor: int, program: Opening, tmp_path: Path
) -> None:
    async with opened(program, tmp_path, worker=StandIn(WORKER)) as stage:
        await long_run(stage)
        await stage.press("g", "n")
        await stage.press("#")
        stage.app.screen.query_one(Input).value = asked
        await stage.press("enter")

        assert stage.sandbox.view.cursor == cursor


async def test_what_is_no_place_is_said_to_be_none(program: Opening, tmp_path: Path) -> None:
    async with opened(program, tmp_path, worker=StandIn(WORKER)) as stage:
        await long_run(stage)
        await stage.press("#")
        stage.app.screen.query_one(Input).value = "soon"
        await stage.press("enter")

        assert "“soon” is no place in a run" in stage.text
        assert stage.sandbox.view.cursor == LENGTH - 1


async def test_writes_are_followed_both_ways_from_the_table_and_from_a_lane(
    program: Opening, tmp_path: Path
) -> None:
    async with opened(program, tmp_path, worker=StandIn(WORKER)) as stage:
        await long_run(stage)
        await stage.press("g", "n", "1", "down", "b", "b")
        assert stage.sandbox.view.cursor == 4

        await stage.press("B")
        assert stage.sandbox.view.cursor == 2

        await stage.press("6", "down", "b", "b", "b", "B")
        assert stage.sandbox.view.cursor == 6


async def test_a_lane_and_its_row_of_the_table_are_marked_together(
    program: Opening, tmp_path: Path
) -> None:
    async with opened(program, tmp_path, worker=StandIn(WORKER)) as stage:
        await long_run(stage)
        await stage.press("6", "down")
        table = stage.sandbox.query_one(TensorTable)
        assert (stage.sandbox.query_one(LanesPanel).selected, table.selected) == (1, 1)

        await stage.press("enter")

        assert stage.sandbox.focused is table
