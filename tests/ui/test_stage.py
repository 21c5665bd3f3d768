"""What the plan says is where the panels are."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.widget import Widget

from inplace_tui.tutorial.ui.arrangement import TABS, Needs
from inplace_tui.tutorial.ui.panels import PANELS
from inplace_tui.tutorial.ui.widgets.panel_area import PanelArea


class Bare(App[None]):
    """A stage with all panels, empty."""

    def compose(self) -> ComposeResult:
        """Just that."""
        yield PanelArea(*(Widget(id=name) for name in ("code", "narration", TABS, *PANELS)))


@pytest.mark.asyncio(loop_scope="session")
async def test_panels_move_though_the_same_ones_are_seen() -> None:
    async with Bare().run_test(size=(120, 40)) as pilot:
        stage = pilot.app.query_one(PanelArea)
        for code_rows in (3, 9, 3):
            stage.arrange_for(Needs(code_rows=code_rows, panels=tuple(PANELS)))
            await pilot.pause()
            await pilot.pause()
            seen = {child.id: child.region for child in stage.children if child.display}
            assert seen == stage.plan.regions
