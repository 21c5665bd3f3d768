"""A tensor opened to see all of it, over a run that is stepped through."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.snapshot import Storage, Unreadable
from inplace_tui.common.run.step import Step
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.values import ValueGrid, ValuesScreen
from support.screens import Stage, opened
from support.stand_in import StandIn
from support.views import step, tensor

SOURCE = "import torch\nx = make()\nx.add_(1)\nw.weight\n"


def block(number: int, *numbers: float) -> Storage:
    data = struct.pack(f"<{len(numbers)}f", *numbers)
    return Storage(id=number, nbytes=len(data), data=data)


def steps() -> tuple[Step, ...]:
    """Return a run in which `x`, of two planes, is written, and has a gradient."""
    first = [float(n) for n in range(-6, 6)]
    first[3] = float("nan")
    second = [n + 1 if place < 2 else n for place, n in enumerate(first)]
    fields = {"shape": (2, 2, 3), "stride": (6, 3, 1), "requires_grad": True}
    x = tensor(1, "x", **fields)
    written = tensor(1, "x", version=1, grad=2, **fields)
    grad = tensor(2, "x.grad", shape=(2, 2, 3), stride=(6, 3, 1), storage=2)
    weight = tensor(3, "net.weight", storage=3, is_parameter=True)
    meta = tensor(4, "m", storage=None, values=Unreadable("a tensor on meta has no values here"))
    return (
        step(0, 1),
        step(1, 2, tensors=(x,), storages=(block(1, *first),)),
        step(2, 3, tensors=(written, grad), storages=(block(1, *second), block(2, *range(12)))),
        step(3, 4, tensors=(weight, meta), storages=(block(3, 1, 2, 3),), then=None),
    )


@asynccontextmanager
async def stepped(
    home: Path, *, size: tuple[int, int] = (100, 30), language: str = "en"
) -> AsyncIterator[Stage]:
    """Open the sandbox at the end of that run, with the table in front."""
    file = home / "program.py"
    file.write_text(SOURCE, encoding="utf-8")
    worker = StandIn({SOURCE: (steps(), Completed())})
    opening = Opening(screen="sandbox", file=file)
    async with opened(opening, home, size=size, worker=worker, language=language) as stage:
        await stage.press("ctrl+r")
        await stage.ran()
        await stage.press("1")
        yield stage


def page(stage: Stage) -> ValuesScreen:
    assert isinstance(stage.app.screen, ValuesScreen)
    return stage.app.screen


def cells(stage: Stage) -> list[list[str]]:
    """Return what stands in the grid, without the heads."""
    rows = page(stage).query_one("#values", ValueGrid).rows
    return [row.text.split() for row in rows]


async def test_a_tensor_is_opened_and_stepping_changes_what_is_seen(tmp_path: Path) -> None:
    async with stepped(tmp_path) as stage:
        await stage.press("down", "t")
        assert cells(stage) == [
            ["0", "1", "2"],
            ["0", "-5.", "-4.", "-4."],
            ["1", "!nan", "-2.", "-1."],
        ]
        assert "nothing changed since step 3" in stage.text

        await stage.press("N")

        assert cells(stage)[1] == ["0", "~-5.", "~-4.", "-4."]
        assert "~ 2 of 12 changed since step 2" in stage.text
        assert "x[0, 0, 0] = -5.0" in stage.text
        assert "before -6.0" in stage.text

        await stage.press("N", "N")
        assert "x is not there at this step" in stage.text
        await stage.press("n", "escape")
        assert stage.sandbox.view.cursor == 1


@pytest.mark.whole
async def test_the_cursor_goes_over_cells_and_planes_and_to_what_is_not_finite(
    tmp_path: Path,
) -> None:
    async with stepped(tmp_path) as stage:
        await stage.press("down", "t", "down", "right", "right")
        assert page(stage).place == 5
        await stage.press("right_square_bracket")
        assert page(stage).place == 11
        assert "[1, :, :]  2/2" in stage.text
        assert "x[1, 1, 2] = 5.0" in stage.text
        assert "grad" not in stage.lines[-3]
        await stage.press("home", "exclamation_mark")
        assert page(stage).place == 3
        assert "! 1 NaN, 0 inf, at [0, 1, 0]" in stage.text


async def test_what_changed_is_marked_and_the_gradient_stands_beside_it(tmp_path: Path) -> None:
    async with stepped(tmp_path) as stage:
        await stage.press("down", "t", "N")
        assert cells(stage)[1] == ["0", "~-5.", "~-4.", "-4."]
        await stage.press("n", "m")
        slopes = page(stage).query_one("#slopes", ValueGrid)
        assert slopes.display
        assert slopes.rows[1].text.split() == ["0", "0.", "1.", "2."]
        assert "grad 0.0" in stage.text
        await stage.press("m")
        assert not slopes.display


async def test_a_narrow_screen_shows_the_gradient_in_the_place_of_the_values(
    tmp_path: Path,
) -> None:
    async with stepped(tmp_path, size=(60, 20)) as stage:
        await stage.press("down", "t", "m")

        assert not page(stage).query_one("#slopes").display
        assert cells(stage)[1] == ["0", "0.", "1.", "2."]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 40), (200, 60)])
@pytest.mark.whole(every=8)
async def test_the_elements_are_seen_at_every_size(
    tmp_path: Path, size: tuple[int, int], language: str
) -> None:
    async with stepped(tmp_path, size=size, language=language) as stage:
        await stage.press("down", "t")

        assert "-5." in stage.text
        assert "x[0, 0, 0] = -5.0" in stage.text
        assert len(stage.lines) == size[1]


async def test_what_has_no_values_says_why(tmp_path: Path) -> None:
    async with stepped(tmp_path) as stage:
        table = stage.sandbox.query_one("#state")
        table.selected = 4  # type: ignore[attr-defined]
        await stage.press("t")

        assert "a tensor on meta has no values here" in stage.text


@pytest.mark.whole
async def test_a_second_click_on_a_row_opens_it(tmp_path: Path) -> None:
    async with stepped(tmp_path) as stage:
        await stage.pilot.click("#state", offset=(6, 2))
        await stage.pilot.pause()
        assert not isinstance(stage.app.screen, ValuesScreen)
        await stage.pilot.click("#state", offset=(6, 2))
        await stage.until(lambda: isinstance(stage.app.screen, ValuesScreen))


@pytest.mark.whole
async def test_a_click_puts_the_cursor_on_a_cell(tmp_path: Path) -> None:
    async with stepped(tmp_path) as stage:
        await stage.press("down", "enter")
        grid = page(stage).query_one("#values", ValueGrid)
        assert grid.shown is not None
        column = grid.shown.head + 1 + grid.shown.cell + 2 + 3
        await stage.pilot.click("#values", offset=(column + 2, 3))
        await stage.pilot.pause()

        assert page(stage).place == 4


@pytest.mark.whole
async def test_pinned_tensors_come_first_and_stay_so_for_the_program(tmp_path: Path) -> None:
    async with stepped(tmp_path) as stage:
        table = stage.sandbox.query_one("#state")
        table.selected = 4  # type: ignore[attr-defined]
        await stage.press("P")
        rows = stage.sandbox.query_one("#state").rows  # type: ignore[attr-defined]
        assert rows[1].text.startswith("+▴m")
        assert [watch.pinned for watch in stage.app.watches.values()] == [("m",)]
        await stage.press("P")
        assert stage.sandbox.view.watched.pinned == ()


@pytest.mark.whole
async def test_modules_are_hidden_and_the_frame_counts_them(tmp_path: Path) -> None:
    async with stepped(tmp_path) as stage:
        await stage.press("M")
        assert "eight" not in stage.sandbox.query_one("#state").text  # type: ignore[attr-defined]
        assert "Tensors · 1 hidden" in stage.text
        await stage.press("M")
        assert "eight" in stage.sandbox.query_one("#state").text  # type: ignore[attr-defined]
