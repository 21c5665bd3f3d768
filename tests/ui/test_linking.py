"""From a line of the code to the nodes that it made, and back."""

from __future__ import annotations

from pathlib import Path

import msgspec

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.snapshot import Edge, Node
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel, GraphPanel
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from support.played import LESSON, STEPS
from support.screens import Stage, opened
from support.stand_in import StandIn

NODES = (
    Node(id=1, name="AccumulateGrad", leaf=1),
    Node(id=2, name="ExpBackward0", line=2, step=1, inputs=(Edge(1),)),
)
RUN = (STEPS[0], msgspec.structs.replace(STEPS[1], nodes=NODES), *STEPS[2:]), Completed()
OPENING = Opening(screen="lesson", lesson="saved-output")


async def begun(stage: Stage) -> None:
    await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
    await stage.ran()


def focused(stage: Stage) -> str | None:
    return None if stage.lesson.focused is None else stage.lesson.focused.id


async def test_one_key_leads_from_a_line_to_its_node_and_back(tmp_path: Path) -> None:
    async with opened(OPENING, tmp_path, worker=StandIn({LESSON.code: RUN})) as stage:
        await begun(stage)
        await stage.press("n", "n", "j")
        await stage.pilot.pause()

        graph = stage.lesson.query_one(GraphPanel)
        assert focused(stage) == "graph"
        assert graph.cursor is not None
        assert "ExpBackward0" in graph.rows[graph.cursor].text

        await stage.press("j")

        code = stage.lesson.query_one(CodePanel)
        assert focused(stage) == "code"
        assert code.cursor is not None
        assert "x.exp()" in code.rows[code.cursor].text


async def test_a_line_without_a_node_is_told(tmp_path: Path) -> None:
    async with opened(OPENING, tmp_path, worker=StandIn({LESSON.code: RUN})) as stage:
        await begun(stage)
        await stage.press("n", "j")
        assert "There is no graph yet to go to." in stage.text

        await stage.press("n", "n")
        stage.lesson.action_point_at(1)
        await stage.press("j")

        assert "No node of the graph was made by line 1." in stage.text
        assert isinstance(stage.lesson.focused, CodePanel)


async def test_on_a_small_screen_the_graph_opens_over_the_code_and_gives_it_back(
    tmp_path: Path,
) -> None:
    async with opened(
        OPENING, tmp_path, size=(40, 10), worker=StandIn({LESSON.code: RUN})
    ) as stage:
        await begun(stage)
        await stage.press("n", "n", "j")
        await stage.pilot.pause()

        assert "x.exp()" not in stage.text

        await stage.press("j")

        assert "x.exp()" in stage.text


async def test_letters_typed_into_a_search_do_not_step(tmp_path: Path) -> None:
    async with opened(OPENING, tmp_path, worker=StandIn({LESSON.code: RUN})) as stage:
        await begun(stage)
        await stage.press("n", "slash", "n", "x", "z")

        assert stage.lesson.view.cursor == 0
        assert stage.lesson.zoomed is None
        assert "/nxz" in stage.text

        await stage.press("escape", "n")

        assert stage.lesson.view.cursor == 1
        assert "/nxz" not in stage.text
