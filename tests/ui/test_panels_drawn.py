"""What each panel looks like: goldens that a person can read."""

from __future__ import annotations

import pytest
from textual.app import App

from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.ui.panels import PANELS as RUN_PANELS
from inplace_tui.tutorial.ui.panels import (
    CodePanel,
    GraphPanel,
    LanesPanel,
    NarrationPanel,
    OutputPanel,
    Panel,
    QuestionPanel,
    TensorTable,
    TimelineStrip,
)
from support import drawn
from support.hosts import Host
from support.views import asking, at, failed

PANELS: dict[str, type[Panel]] = {
    "code": CodePanel,
    "tensors": TensorTable,
    "graph": GraphPanel,
    "lanes": LanesPanel,
    "output": OutputPanel,
    "timeline": TimelineStrip,
    "narration": NarrationPanel,
    "question": QuestionPanel,
}
VIEWS = {"changed": at(3), "asking": asking(), "failed": failed()}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("moment", VIEWS)
@pytest.mark.parametrize("name", PANELS)
async def test_panels_look_as_they_should(
    name: str, moment: str, language: str, matches_golden: object
) -> None:
    app = Host(PANELS[name](), VIEWS[moment], language)
    height = 1 if name == "timeline" else 16
    async with app.run_test(size=(64, height)) as pilot:
        await pilot.pause()

        assert callable(matches_golden)
        assert matches_golden(app, f"{name}-{moment}-{language}")


@pytest.mark.parametrize("panel", [*PANELS.values(), *RUN_PANELS.values()])
@pytest.mark.parametrize("size", [(20, 4), (40, 10), (200, 60)])
@pytest.mark.whole(every=6)
async def test_a_panel_of_any_size_draws_without_leaving_it(
    panel: type[Panel], size: tuple[int, int]
) -> None:
    app: App[None] = Host(panel(), failed(), "zh")

    async with app.run_test(size=size) as pilot:
        await pilot.pause()

        lines = drawn.strips(app)
        assert {line.cell_length for line in lines} == {size[0]}


async def test_brackets_and_escapes_in_a_program_are_text_not_markup() -> None:
    source = 'print("[/b] [red]")  # \x1b[31m 中文\n'
    view: View = at(-1)
    panel = CodePanel()
    app = Host(panel, View(source=source, timeline=view.timeline))

    async with app.run_test(size=(60, 5)) as pilot:
        await pilot.pause()

        assert '1  print("[/b] [red]")  # ␛[31m 中文' in panel.text
