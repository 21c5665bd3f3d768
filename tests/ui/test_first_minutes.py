"""Five things that a newcomer does, from nothing, by pressing only what the screen names."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.desk import DeskScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from support.course import COURSE
from support.lent import Remembered
from support.screens import Stage, opened

pytestmark = pytest.mark.asyncio(loop_scope="session")

FAILS = """\
import torch
weight = torch.ones(3, requires_grad=True)
gate = torch.sigmoid(weight)
gate += 1
gate.sum().backward()
"""

NAMES = {"enter": "Enter", "escape": "Esc", "slash": "/", "ctrl+r": "Ctrl-R"}
"""Keys as the screen writes them; letters are written as they are."""


class Newcomer:
    """Presses a key only where the screen names it, and counts."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.pressed = 0
        self.told: set[str] = set()
        """What a page before this one said of keys that lead from page to page."""

    async def press(self, *keys: str) -> None:
        for key in keys:
            name = NAMES.get(key, key)
            named = key in self.told or name in self.stage.text
            assert named, f"{name} is not on the screen:\n{self.stage.text}"
            await self.stage.press(key)
            self.pressed += 1

    async def arrow(self, key: str, times: int) -> None:
        """Move in what is listed: that is what arrows do everywhere."""
        await self.stage.press(*[key] * times)
        self.pressed += times

    async def write(self, text: str) -> None:
        """Type what is theirs to know; it counts for nothing."""
        await self.stage.press(*("space" if each == " " else each for each in text))

    async def leave(self) -> None:
        """Go back to the contents, which Esc does from anywhere."""
        while not isinstance(self.stage.app.page, ContentsScreen):
            shown = self.stage.text
            await self.press("escape")
            await self.stage.until(partial(self._is_answered, shown))

    def _is_answered(self, shown: str) -> bool:
        """Esc led away, closed a reply, or says what the next one does."""
        return self.stage.text != shown

    def count(self) -> int:
        """Return how many keys it took since the last time."""
        counted, self.pressed = self.pressed, 0
        return counted


async def finish_the_welcome(learner: Newcomer) -> None:
    stage = learner.stage
    await learner.press("enter")
    await stage.until(lambda: "expected version 0" in " ".join(stage.text.split()))
    await learner.press("enter")
    page = stage.app.page
    assert isinstance(page, WelcomeScreen)
    await stage.until(lambda: not page.must_wait)
    await learner.press("enter")
    assert "Esc leads to the contents; I there shows this again." in stage.text
    learner.told = {"escape", "I"}
    await learner.press("escape")
    assert isinstance(stage.app.page, ContentsScreen)


async def answer_wrong_then_right(learner: Newcomer) -> None:
    """The first question asks for the line at fault, of which the cursor is far at first."""
    stage = learner.stage
    await learner.press("c")
    await stage.ran()
    await learner.press("c")
    await stage.until(lambda: stage.lesson.view.question is not None)
    for times, status in ((0, QuestionStatus.AGAIN), (2, QuestionStatus.RIGHT)):
        await learner.arrow("up", times)
        await learner.press("enter")
        await stage.until(lambda: status_of(stage) is not QuestionStatus.CHECKING)
        assert status_of(stage) is status


def status_of(stage: Stage) -> QuestionStatus:
    question = stage.lesson.view.question
    assert question is not None
    return question.status


async def find_optimizers(learner: Newcomer) -> None:
    stage = learner.stage
    await learner.press("slash")
    await learner.write("optim")
    await learner.press("enter")
    await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
    assert "optimizer" in stage.lesson.lesson.lesson.title.en
    assert "torch.optim" in stage.lesson.lesson.code
    await stage.ran()


async def run_a_failing_file(learner: Newcomer, script: Path) -> None:
    stage = learner.stage
    await learner.press("I", "a")
    await stage.until(lambda: isinstance(stage.app.screen, ProgramDialog))
    stage.app.screen.query_one(Input).value = str(script)
    await learner.press("enter")
    await stage.until(lambda: isinstance(stage.app.page, DeskScreen))
    await stage.until(lambda: "gate += 1" in stage.text)  # of all lines, that one


async def test_five_tasks_from_a_fresh_home(worker: Worker, tmp_path: Path) -> None:
    script, lent = tmp_path / "train.py", Remembered(worker)
    script.write_text(FAILS)
    fresh = Opening(introduce=True)
    async with opened(fresh, tmp_path / "home", lessons=COURSE, worker=lent, guided=True) as stage:
        learner = Newcomer(stage)
        await stage.until(lambda: isinstance(stage.app.page, WelcomeScreen))

        await finish_the_welcome(learner)
        assert learner.count() == 4

        await answer_wrong_then_right(learner)
        assert learner.count() == 6
        await learner.leave()
        assert learner.count() == 2  # the first closes the reply, and says what the next one does

        await find_optimizers(learner)
        assert learner.count() == 2
        await learner.leave()
        assert learner.count() == 1

        await run_a_failing_file(learner, script)
        assert learner.count() == 3
        await learner.leave()
        assert learner.count() == 1
