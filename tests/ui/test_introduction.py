"""The introduction, done by a learner who presses what it says."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.introduction import ANSWER, TASKS, Introduction, ScreenState
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.introduction import IntroductionPanel, IntroductionScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
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
@pytest.mark.whole(every=4)
async def test_doing_what_it_says_leads_through_it(
    worker: Worker, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(FIRST, tmp_path, size=size, worker=Remembered(worker)) as stage:
        screen = await introduced(stage)
        coach = screen.query_one(IntroductionPanel)
        for place, task in enumerate(TASKS):
            assert coach.introduction.place == place, task.name
            assert coach.border_title == f"Introduction {place + 1}/{len(TASKS)}"
            assert all(key in coach.text for key in DEEDS[task.name][:1])
            await stage.press(*DEEDS[task.name])
            await stage.until(lambda: not screen.view.verifying)
        assert coach.introduction.task is None


@pytest.mark.whole
async def test_who_runs_ahead_is_not_asked_for_what_lies_behind(
    worker: Worker, tmp_path: Path
) -> None:
    async with opened(FIRST, tmp_path, worker=Remembered(worker)) as stage:
        screen = await introduced(stage)

        coach = screen.query_one(IntroductionPanel)
        assert "1/8" in stage.text

        await stage.press("c")
        assert coach.introduction.task is ANSWER
        assert "2/8" in stage.text
        await stage.press("a", "enter")
        await stage.press("enter")
        assert "This question is answered already." in stage.text

        # What was written was hidden until then: the answer did two things.
        assert "N" in coach.text
        for place, keys in enumerate(("N", "2", "zz", "w")):
            assert place + 3 <= coach.introduction.place + 1 <= place + 5
            assert f"{coach.introduction.place + 1}/8" in stage.text
            await stage.press(*keys)
        assert coach.introduction.task is None
        assert "8/8" in stage.text


@pytest.mark.whole
async def test_the_counter_counts_whatever_is_pressed() -> None:
    """Five hundred learners who press what they like, in a lesson with its question at step 5."""
    draw = random.Random(0)
    ahead = 0
    for _ in range(500):
        introduction, now, counted = Introduction(), ScreenState(), [0]
        introduction.update(now)
        for _ in range(5_000):
            if introduction.task is None:
                break
            now = pressed(draw.choice("nNcGgz2wae"), now)
            introduction.update(now)
            counted.append(introduction.place)
        assert introduction.task is None
        ahead += introduction.place < len(TASKS)
        for _ in TASKS:  # who plays on
            now = pressed("z", now)
            introduction.update(now)
            counted.append(introduction.place)
        assert counted[-1] == introduction.total == len(TASKS)
        assert {later - place for place, later in itertools.pairwise(counted)} <= {0, 1}
    assert 0 < ahead < 100


def pressed(key: str, now: ScreenState) -> ScreenState:
    """Return what a key leads to; the question stands before the last step, and hides writes."""
    last = 6 if now.answered else 5
    cursor = now.cursor
    match key:
        case "n" | "c" | "G" if not now.asked:
            cursor = min(cursor + 1, last) if key == "n" else last
        case "N":
            cursor = max(-1, cursor - 1)
        case "g":
            cursor = -1
        case "z":
            return replace(now, zoomed=not now.zoomed)
        case "2" | "w":
            return replace(now, panel={"2": "graph", "w": "why"}[key])
        case "a" if now.asked:
            return replace(now, cursor=6, wrote=True, asked=False, answered=True)
        case _:
            return now
    asked = cursor == 5 and not now.answered
    return replace(now, cursor=cursor, wrote=cursor >= 3 and not asked, asked=asked)


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
    Progress(tmp_path / "progress.json").save_explained("version")

    async with opened(FIRST, tmp_path) as stage:
        await stage.pilot.pause()

        assert isinstance(stage.app.page, ContentsScreen)
