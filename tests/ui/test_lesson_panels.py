"""Panels of the lesson screen: zoomed, opened over the code, copied, resized."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.tutorial.ui.panels import PANELS, CodePanel, TensorTable
from inplace_tui.tutorial.ui.widgets.panel_area import PanelArea
from support.screens import lesson


async def test_zoom_gives_a_panel_everything_and_takes_it_back(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("n", "1", "z")

        assert "x.exp()" not in stage.text
        assert stage.lesson.panel("state").region.height == 20

        await stage.press("z")

        assert "x.exp()" in stage.text


async def test_on_a_small_terminal_a_panel_opens_over_the_code(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(40, 10)) as stage:
        await stage.press("n", "1")

        assert "x.exp()" not in stage.text
        assert "name" in stage.text

        await stage.press("1")

        assert "x.exp()" in stage.text


async def test_tab_goes_through_all_panels_seen_or_not(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        seen = []
        for _ in range(8):
            await stage.press("tab")
            assert stage.lesson.focused is not None
            seen.append(stage.lesson.focused.id)

        assert seen == [
            "narration", "state", "graph", "why", "output", "timeline", "lanes", "code",
        ]  # fmt: skip


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
@pytest.mark.whole
async def test_every_panel_is_reached_and_seen(tmp_path: Path, size: tuple[int, int]) -> None:
    """It is on the screen or has a tab there, and comes by Tab with what it has to show."""
    async with lesson(tmp_path, size=size) as stage:
        await stage.press("n")
        for name in PANELS:
            plan = stage.lesson.query_one(PanelArea).plan
            assert name in plan.regions or name in plan.tabs
            while stage.lesson.focused is not stage.lesson.panel(name):
                await stage.press("tab")
            first = next(row.text.strip() for row in stage.lesson.panel(name).rows if row.text)
            assert stage.lesson.panel(name).display
            assert first[:20] in stage.text
            assert stage.lesson.zoomed is None


async def test_copying_puts_the_panel_on_the_clipboard(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        stage.lesson.query_one(CodePanel).focus()
        await stage.press("y")

        assert "x = make()" in stage.app.clipboard
        assert "Copied" in stage.text


async def test_pointers_are_shown_on_demand(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        await stage.press("p")

        assert stage.lesson.query_one(TensorTable).pointers
        assert "data_ptr is shown." in stage.text


async def test_code_and_words_survive_any_resize(tmp_path: Path) -> None:
    async with lesson(tmp_path, size=(200, 60)) as stage:
        await stage.press("c")
        for size in [(40, 10), (120, 40), (46, 20), (200, 60), (80, 24)]:
            await stage.pilot.resize_terminal(*size)
            await stage.pilot.pause()

            assert "y = x.exp()" in stage.text
            assert "which" in stage.text
            assert stage.lesson.focused is not None
            assert stage.lesson.focused.display
