"""The runs of a sandbox, shown again."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.tutorial.history.runs import History
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.sandbox.history import HistoryDialog
from inplace_tui.tutorial.ui.widgets.lines import Lines
from support.keyed import LONG, shown
from support.played import ERROR, RAISED, STEPS, step
from support.screens import Stage, opened
from support.stand_in import Run, StandIn

WELL = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"
BAD = "a = 1\nb = 2\nc = 33\nd = 4\ne = 5\n"


def opening(home: Path) -> Opening:
    path = home / "mine.py"
    path.write_text(WELL)
    return Opening(screen="sandbox", file=path)


def worker() -> StandIn:
    return StandIn({BAD: ((*STEPS[:3], RAISED), ERROR)})


async def two_runs(stage: Stage) -> None:
    """Run the file, change it, run it again: that fails."""
    await stage.press("ctrl+r")
    await stage.ran()
    stage.sandbox.editor.replace_all(BAD)
    await stage.press("ctrl+r")
    await stage.ran()


async def test_a_kept_run_is_shown_again_without_running_and_its_text_can_be_undone(
    tmp_path: Path,
) -> None:
    async with opened(opening(tmp_path), tmp_path, worker=worker()) as stage:
        await two_runs(stage)
        await stage.press("h")
        assert isinstance(stage.app.screen, HistoryDialog)
        assert [run.number for run in stage.sandbox.history.log.history.runs] == [1, 2]

        await stage.press("down", "enter")

        sandbox, asked = stage.sandbox, [program.source for program in stage.worker.asked]
        assert sandbox.editor.text == WELL
        assert sandbox.view.timeline.outcome != ERROR
        assert asked == [WELL, BAD]
        assert len(sandbox.history.log.history.runs) == 2

        await stage.press("i", "ctrl+z")

        assert sandbox.editor.text == BAD


@pytest.mark.whole
async def test_how_a_run_ended_is_told_in_full_on_a_small_screen(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path, worker=worker(), size=(40, 10)) as stage:
        await two_runs(stage)
        await stage.press("h")
        text = stage.app.screen.query_one(Lines).text

        assert "RuntimeError in backward, on line" in " ".join(text.split())


@pytest.mark.whole
async def test_before_the_first_run_the_history_says_what_it_is_for(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path, language="zh", size=(40, 10)) as stage:
        await stage.press("escape", "h")

        assert "还没有运行过" in stage.text.replace(" ", "")


async def test_a_run_that_was_overtaken_before_it_began_is_not_kept(tmp_path: Path) -> None:
    waiting = StandIn(waits=True)
    async with opened(opening(tmp_path), tmp_path, worker=waiting) as stage:
        await stage.press("ctrl+r", "ctrl+r")
        waiting.may_go_on.set()
        await stage.ran()

        assert len(stage.sandbox.history.log.history.runs) == 1


@pytest.mark.whole
async def test_a_run_that_is_no_longer_kept_is_gone_from_the_panels_too(tmp_path: Path) -> None:
    long: Run = (tuple(step(n, 2, then=2) for n in range(300)), Completed())
    async with opened(Opening(), tmp_path, worker=StandIn({LONG: long})) as stage:
        await shown(LONG)(stage)
        await stage.press(*"123456")
        stage.sandbox.history.log.history = History(most_bytes=1)
        first = weakref.ref(stage.sandbox.view.timeline)
        await stage.press("1", "R")
        await stage.ran()
        await stage.press("n")
        gc.collect()

        assert first() is None
