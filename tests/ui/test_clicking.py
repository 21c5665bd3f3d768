"""What the footer and the tabs say can be clicked does what its key does."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widget import Widget

from inplace_tui.ui.screens.dialog import Dialog
from inplace_tui.ui.widgets.key_bar import KeyBar
from inplace_tui.ui.widgets.panel_tabs import PanelTabs
from support.screens import Stage, lesson


async def click_on(stage: Stage, widget: Widget, shown: str) -> None:
    """Click on the first cell of what a widget of one line shows."""
    line = stage.lines[widget.region.y]
    at = cell_len(line[: line.rindex(shown)])
    assert await stage.pilot.click(offset=(at, widget.region.y))
    await stage.pilot.pause()


async def test_a_click_on_a_key_of_the_footer_does_what_the_key_does(tmp_path: Path) -> None:
    async with lesson(tmp_path, (200, 60)) as stage:
        bar = stage.lesson.query_one(KeyBar)

        await click_on(stage, bar, "n next")
        assert stage.lesson.view.cursor == 0

        await click_on(stage, bar, "N back")
        assert stage.lesson.view.cursor == -1

        await click_on(stage, bar, "? help")
        assert isinstance(stage.app.screen, Dialog)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_click_on_a_tab_brings_its_panel(tmp_path: Path, size: tuple[int, int]) -> None:
    async with lesson(tmp_path, size) as stage:
        tabs = stage.lesson.query_one(PanelTabs)
        for tab in tabs.tabs:
            await click_on(stage, tabs, f"{tab.key} {tab.title}")

            panel = stage.lesson.panel(tab.name)
            assert panel.display
            assert stage.app.focused is panel
