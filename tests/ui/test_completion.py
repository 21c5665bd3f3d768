"""The list of how a name may go on, and that it is never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.run.torch_names import TENSOR, Name, TorchNames
from inplace_tui.tutorial.ui.opening import Opening
from support.screens import Stage, opened

VOCABULARY = TorchNames(
    members={
        "torch": (Name(name="ones", kind="function", signature="(*size)", gives=TENSOR),),
        TENSOR: (
            Name(name="exp", kind="function", gives=TENSOR),
            Name(name="exp_", kind="function", gives=TENSOR),
        ),
    }
)
PROGRAM = "import torch\nweights = torch.ones(2)\n"


async def begin(stage: Stage) -> None:
    stage.sandbox.torch_names = VOCABULARY
    stage.sandbox.asked_torch = True
    stage.sandbox.editor.move_cursor((2, 0))
    await stage.pilot.pause()


def opening(home: Path) -> Opening:
    (home / "mine.py").write_text(PROGRAM)
    return Opening(screen="sandbox", file=home / "mine.py")


async def test_a_name_is_proposed_chosen_and_taken(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await begin(stage)
        await stage.press(*"we")

        assert stage.sandbox.editor.completions == ["weights"]

        await stage.press("down", "enter", ".", *"ex")

        assert stage.sandbox.editor.completions == ["exp", "exp_"]
        assert "in place, version +1  can save input" in stage.text

        await stage.press("down", "down", "tab")

        assert stage.sandbox.editor.text == PROGRAM + "weights.exp_"
        assert stage.sandbox.editor.completions == []


@pytest.mark.whole
async def test_typing_on_wins_over_what_is_proposed(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await begin(stage)
        await stage.press(*"we", "enter", *"wx", "tab", *"y")

        assert stage.sandbox.editor.text == PROGRAM + "we\nwx  y"


@pytest.mark.whole
async def test_escape_closes_the_list_first_and_then_the_editor(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await begin(stage)
        await stage.press(*"we", "escape")

        assert stage.sandbox.editor.completions == []
        assert stage.sandbox.editing

        await stage.press("escape")

        assert not stage.sandbox.editing


@pytest.mark.whole
async def test_it_can_be_asked_for_before_a_letter_is_typed(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await begin(stage)
        await stage.press("ctrl+@")

        assert "weights" in stage.sandbox.editor.completions


@pytest.mark.whole
async def test_a_click_takes_what_it_points_at(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await begin(stage)
        await stage.press(*"we")
        y = next(n for n, line in enumerate(stage.lines) if n > 4 and "weights" in line)
        await stage.pilot.click(offset=(stage.lines[y].index("weights") + 1, y))

        assert stage.sandbox.editor.text == PROGRAM + "weights"
