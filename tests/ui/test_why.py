"""Why? on a cell, on a node, and on how it ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from textual.geometry import Region

from inplace_tui.tutorial.activity.session.signals import (
    ForecastRequested,
    Instruction,
    Move,
    Moved,
    Signal,
)
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import GraphPanel, TensorTable
from inplace_tui.tutorial.ui.panels.why import WhyPanel
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.widgets.panel_area import PanelArea
from support.hosts import Host
from support.screens import Stage, opened
from support.stand_in import StandIn
from support.views import SOURCE, at, failing


@asynccontextmanager
async def sandbox(home: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    """Open the sandbox at the end of the program that fails."""
    file = home / "program.py"
    file.write_text(SOURCE, encoding="utf-8")
    made = failing()
    assert made.outcome is not None
    worker = StandIn({SOURCE: (tuple(made), made.outcome)})
    opening = Opening(screen="sandbox", file=file)
    async with opened(opening, home, size=size, worker=worker) as stage:
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
        await stage.press("ctrl+r")
        await stage.ran()
        stage.sandbox.send(Moved(Move.END))
        await stage.pilot.pause()
        yield stage


async def test_left_and_right_point_at_a_column_and_show_it() -> None:
    table = TensorTable()
    app = Host(table, at(4))
    async with app.run_test(size=(60, 20)) as pilot:
        table.focus()
        before = table.text.splitlines()[0]
        await pilot.press("down", "left")  # from the names; and once around
        await pilot.press("left", "left")

        assert "bwd?" not in before
        assert "▸ bwd?" in table.text.splitlines()[0] or "▸ backward?" in table.text
        assert table.column == "forecast"
        await pilot.press("left")
        assert table.column == "grad"


async def test_the_cursor_stays_on_its_tensor_when_rows_come_before_it() -> None:
    table = TensorTable()
    app = Host(table, at(2))
    async with app.run_test(size=(100, 20)) as pilot:
        table.focus()
        await pilot.press("down", "down")
        chosen = table.selected
        view = at(2)
        fewer = {k: v for k, v in view.snapshot.tensors.items() if k == chosen}
        table.show(at(2, snapshot=msgspec.structs.replace(view.snapshot, tensors=fewer)), "en")
        await pilot.pause()

        assert table.cursor is not None
        assert table.rows[table.cursor].target.tensor == chosen


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
@pytest.mark.whole(every=3)
async def test_w_on_a_cell_says_why_it_is_so(tmp_path: Path, size: tuple[int, int]) -> None:
    async with sandbox(tmp_path, size) as stage:
        page = stage.sandbox
        page.panel_layout.choose("state")
        table = page.query_one(TensorTable)
        await stage.press("down", "down")
        table.column = "version"
        await stage.press("w")

        assert table.selected == 2
        why = page.query_one(WhyPanel)
        assert why.text.startswith("y · _version · why?\n")
        assert "y · _version · why?" in stage.text


async def test_w_on_a_node_says_what_it_saved_and_why(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as stage:
        page = stage.sandbox
        page.panel_layout.choose("graph")
        graph = page.query_one(GraphPanel)
        graph.cursor = next(n for n, row in enumerate(graph.rows) if row.target.node == 2)
        await stage.press("w")

        text = page.query_one(WhyPanel).text
        assert text.startswith("ExpBackward0 · why?")
        assert "its own result" in text.replace("\n", " ")


@pytest.mark.whole
async def test_w_anywhere_else_explains_the_outcome(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as stage:
        page = stage.sandbox
        page.panel_layout.choose("state")
        await stage.press("down", "down", "w")
        assert "· why?" in page.query_one(WhyPanel).text

        page.query_one("#code").focus()
        await stage.press("w")

        assert "· why?" not in page.query_one(WhyPanel).text


@pytest.mark.whole
async def test_the_tensor_under_the_cursor_gets_its_forecast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sandbox(tmp_path) as stage:
        page = stage.sandbox
        sent: list[Signal] = []
        monkeypatch.setattr(page.runner.session, "handle", _kept(sent, page))
        page.panel_layout.choose("state")
        await stage.press("down", "down")
        stage.sandbox.send(Moved(Move.BACK))
        await stage.pilot.pause()

        wanted = [signal.tensor for signal in sent if isinstance(signal, ForecastRequested)]
        assert wanted == [1, 2, 2]


def _kept(sent: list[Signal], page: SandboxScreen) -> Callable[[Signal], list[Instruction]]:
    handle = page.runner.session.handle

    def keep(signal: Signal) -> list[Instruction]:
        sent.append(signal)
        return handle(signal)

    return keep


async def test_w_says_what_a_column_is_even_where_no_tensor_is(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as stage:
        page = stage.sandbox
        page.panel_layout.choose("state")
        table = page.query_one(TensorTable)
        await stage.press("g")
        await stage.until(lambda: not page.view.snapshot.tensors)
        table.column = "version"
        await stage.press("w")

        why = page.query_one(WhyPanel)
        assert why.text.startswith("What _version says\nHow often it was written in place;")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_explanation_stays_and_nothing_moves_while_one_steps_back(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with sandbox(tmp_path, size) as stage:
        why = stage.sandbox.query_one(WhyPanel)
        told, places = why.text, regions(stage)
        assert "changed it to version 1" in " ".join(told.split())
        for _ in range(4):
            await stage.press("N")

            assert (why.text, regions(stage)) == (told, places)


def regions(stage: Stage) -> dict[str, Region]:
    """Return where each panel is that is seen."""
    children = stage.sandbox.query_one(PanelArea).children
    return {str(child.id): child.region for child in children if child.display}
