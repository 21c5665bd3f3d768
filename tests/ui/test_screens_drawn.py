"""What the main screens look like: goldens that a person can read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from inplace_tui.common.paths import built_in_lessons
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.drive.lessons import read_lesson
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.introduction import IntroductionScreen
from inplace_tui.tutorial.ui.screens.lesson import VariantsDialog
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from support.keyed import (
    COURSE,
    contents,
    drilled,
    failed,
    lesson,
    opened_tensor,
    panel,
    shown,
    tried,
    written,
)
from support.lent import Remembered
from support.screens import FIRST, LAST, Stage, course, opened
from support.whole import sample

SIZES = [(80, 24, "en"), (120, 40, "en"), (80, 24, "zh")]
Scene = Callable[[Stage], Awaitable[None]]
SAVED_OUTPUT = "04-storage-and-version/03-saved-output.yaml"
EDITED = "import torch\nweights = 1\nwei"


def then(scene: Scene, *keys: str) -> Scene:
    """Press these keys there."""

    async def play(stage: Stage) -> None:
        await scene(stage)
        await stage.press(*keys)

    return play


async def introduced(stage: Stage) -> None:
    """Open the introduction, whose program has run."""
    await contents(stage)
    stage.app.open_introduction()
    await stage.until(lambda: isinstance(stage.app.page, IntroductionScreen))
    await stage.ran()


async def welcomed(stage: Stage) -> None:
    """Open the welcome, at the line at fault."""
    await contents(stage)
    stage.app.open_welcome()
    await stage.until(lambda: isinstance(stage.app.page, WelcomeScreen))
    await stage.press("n")
    await stage.until(lambda: "expected version 0" in " ".join(stage.text.split()))
    await stage.press("n")
    await stage.until(lambda: "ExpBackward0" in stage.text)


async def completing(stage: Stage) -> None:
    """Type a name that the program has."""
    await written(stage.app.home / "mine.py", EDITED)(stage)
    stage.sandbox.asked_torch = True
    stage.sandbox.editor.move_cursor((2, 3))
    await stage.press("g", "backspace")
    stage.sandbox.editor.show_completions(asked=True)
    await stage.pilot.pause()


async def asked(stage: Stage) -> None:
    """Come to the question of a lesson."""
    await lesson("saved-output")(stage)
    await stage.press("c")
    if stage.lesson.view.question is None:
        await stage.press("n")


async def palette(stage: Stage) -> None:
    """Open the palette over a program that was run."""
    await shown()(stage)
    await stage.press("ctrl+p")


async def until_finished(stage: Stage) -> None:
    """Wait until all is told of the run in front."""
    page = stage.app.page
    if isinstance(page, RunScreen):
        await stage.until(lambda: not page.view.running and not page.view.verifying)
        await stage.until(lambda: page.view.fixes is None or page.view.fixes.over)
    if isinstance(stage.app.screen, VariantsDialog):
        session = stage.lesson.runner.session
        await stage.until(lambda: len(session.outcomes) == 1 + len(session.guesses))
    await stage.pilot.pause()


async def predicted(stage: Stage) -> None:
    await then(asked, "d", "enter", "G", "v", "4", "b", "enter")(stage)
    await until_finished(stage)
    await stage.press("v")


SCENES: dict[str, Scene] = {
    "contents": contents,
    "lesson-begun": then(lesson("saved-output"), "n", "n"),
    "question": asked,
    "question-wrong": then(asked, "a", "enter"),
    "lesson-why": then(asked, "d", "enter", "G", "G", "w"),
    "prediction": then(asked, "d", "enter", "G", "v", "4"),
    "variants": predicted,
    "sandbox-failed": failed,
    "editor-completing": completing,
    "values": opened_tensor("odd"),
    "graph-zoomed": then(panel("graph"), "z"),
    "lanes-zoomed": then(panel("lanes"), "z"),
    "drill": drilled,
    "export": then(shown(), "Y"),
    "challenge": tried,
    "palette": palette,
    "help": then(shown(), "question_mark"),
    "introduction": introduced,
    "welcome": welcomed,
}


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("look", SIZES, ids=str)
@pytest.mark.whole(every=4)
async def test_screens_look_as_they_should(
    worker: Worker, tmp_path: Path, look: tuple[int, int, str], matches_golden: object
) -> None:
    assert callable(matches_golden)
    differing = []
    width, height, language = look
    real, size = read_lesson(built_in_lessons() / SAVED_OUTPUT), (width, height)
    assert real is not None
    lessons = Course(course((FIRST, real, LAST)).chapters, (), COURSE.challenges)
    async with opened(
        Opening(),
        tmp_path,
        size=size,
        language=language,
        lessons=lessons,
        worker=Remembered(worker),
    ) as stage:
        for name, scene in sample(SCENES.items(), 3):
            await scene(stage)
            await until_finished(stage)
            try:
                matches_golden(stage.app, f"screen-{name}-{width}x{height}-{language}")
            except AssertionError as difference:
                differing.append(str(difference).split("\n")[0])
    assert not differing, "\n".join(differing)
