"""What is drawn ahead of its time is what would have been drawn in time."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from inplace_tui.engine.session.view import View
from inplace_tui.ui.opening import Opening
from inplace_tui.ui.panels.panel import Panel
from support.played import ERROR
from support.screens import SAVED_OUTPUT, Stage, opened
from support.stand_in import StandIn
from support.views import SOURCE, failing


def panels(stage: Stage) -> list[Panel]:
    """Return the panels of the screen in front."""
    return [each for each in stage.app.screen.query("*") if isinstance(each, Panel)]


def drawn(stage: Stage) -> dict[str | None, list[str]]:
    """Return what the panels that are seen show, and nothing of it from before."""
    shown = {}
    for panel in panels(stage):
        width = panel.scrollable_content_region.width
        if panel.display and width and panel.view is not None:
            fresh = replace(panel.view)  # another object: nothing was made for it
            shown[panel.id] = [row.text for row in panel.rows_of(fresh, width)]
    return shown


async def ahead(stage: Stage) -> View | None:
    """Return what the screen thinks comes next, once it had the time to think."""
    foresight = stage.sandbox.foresight
    await stage.until(lambda: foresight.is_done)
    return foresight.view


async def test_a_step_that_was_foreseen_looks_like_one_that_was_not(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    made, dice, foreseen = failing(), random.Random(3), 0
    worker = StandIn({SOURCE: (tuple(made.steps), made.outcome or ERROR)})
    async with opened(Opening("sandbox", file=path), tmp_path, worker=worker, size=(120, 40)) as at:
        await at.press("ctrl+r")
        await at.ran()
        await at.press("g", "n")
        for key in dice.choices(("n", "n", "N", "3", "6", "down"), k=25):
            expected = await ahead(at)
            await at.press(key)

            foreseen += at.sandbox.view is expected
            now = drawn(at)
            for panel in panels(at):
                if panel.id in now:
                    assert [row.text for row in panel.rows] == now[panel.id], (key, panel.id)
    assert foreseen > 5


async def test_nothing_is_foreseen_beyond_a_question(tmp_path: Path) -> None:
    async with opened(SAVED_OUTPUT, tmp_path, size=(120, 40)) as stage:
        await stage.ran()
        await stage.press("G")
        await stage.until(lambda: stage.lesson.foresight.is_done)

        assert stage.lesson.view.question is not None
        assert stage.lesson.foresight.view is None
