"""The introduction, done by a learner who presses what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.engine.introduction import ANSWER, TASKS
from inplace_tui.progress import Progress
from inplace_tui.runner.worker import Worker
from inplace_tui.ui.opening import Opening
from inplace_tui.ui.panels.introduction import IntroductionPanel
from inplace_tui.ui.screens.contents import ContentsScreen
from inplace_tui.ui.screens.introduction import IntroductionScreen
from inplace_tui.ui.screens.welcome import WelcomeScreen
from support.lent import Remembered
from support.screens import Stage, opened

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIRST = Opening(introduce=True)
DEEDS = {
    "next": ("n",),
    "write": ("n", "n", "n"),
    "back": ("N",),
    "graph": ("2",),
    "zoom": ("z", "z"),
    "continue": ("c",),
    "answer": ("a", "enter"),
    "why": ("w",),
}


async def introduced(stage: Stage) -> IntroductionScreen:
    """Choose to learn, and wait until its program has run."""
    await stage.until(lambda: isinstance(stage.app.page, WelcomeScreen))
    await stage.press("l")
    await stage.until(lambda: isinstance(stage.app.page, IntroductionScreen))
    await stage.ran()
    assert isinstance(stage.app.page, IntroductionScreen)
    return stage.app.page


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 40), (200, 60)])
@pytest.mark.whole(every=2)
async def test_doing_what_it_says_leads_through_it(
    worker: Worker, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(FIRST, tmp_path, size=size, worker=Remembered(worker)) as stage:
        screen = await introduced(stage)
        coach = screen.query_one(IntroductionPanel)
        for place, task in enumerate(TASKS):
            assert coach.introduction.place == place, task.name
            assert all(key in coach.text for key in DEEDS[task.name][:1])
            await stage.press(*DEEDS[task.name])
            await stage.until(lambda: not screen.view.verifying)
        assert coach.introduction.task is None


async def test_who_runs_ahead_is_not_asked_for_what_lies_behind(
    worker: Worker, tmp_path: Path
) -> None:
    async with opened(FIRST, tmp_path, worker=Remembered(worker)) as stage:
        screen = await introduced(stage)

        coach = screen.query_one(IntroductionPanel)

        await stage.press("c")
        assert coach.introduction.task is ANSWER
        await stage.press("a", "enter")

        assert coach.introduction.place == 4
        assert "N" in coach.text
        assert "5/8" in stage.text


async def test_it_is_opened_by_itself_once(tmp_path: Path) -> None:
    async with opened(FIRST, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, WelcomeScreen))
        await stage.press("escape")
        assert isinstance(stage.app.page, ContentsScreen)
    async with opened(FIRST, tmp_path) as stage:
        await stage.pilot.pause()
        assert isinstance(stage.app.page, ContentsScreen)

        await stage.press("I")

        assert isinstance(stage.app.page, WelcomeScreen)
        assert Progress(tmp_path / "progress.json").record.introduced


async def test_who_has_been_here_before_is_not_introduced(tmp_path: Path) -> None:
    Progress(tmp_path / "progress.json").remember(last_lesson="saved-output")

    async with opened(FIRST, tmp_path) as stage:
        await stage.pilot.pause()

        assert isinstance(stage.app.page, ContentsScreen)
