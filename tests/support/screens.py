"""The whole program on a screen of any size, with a worker that stands in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.events import Key
from textual.pilot import Pilot

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problem
from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lesson import Chapter
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.app import InplaceApp
from inplace_tui.tutorial.ui.keymap import Keymap
from inplace_tui.tutorial.ui.launch import CourseReader
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.widgets.editor import Editor
from support import drawn
from support.patience import PATIENCE
from support.played import LESSON
from support.stand_in import StandIn

_PLAIN = """
schema: 1
id: {id}
title: {{en: {en}, zh: {zh}}}
teaches: [{id}]
difficulty: 2
minutes: 4
code: |
  x = make()  #@ make
  y = x + 1   #@ add
steps:
  - at: add
    say: {{en: "[/b] is not markup", zh: "[/b] 不是标记"}}
recap: {{en: the end, zh: 到此为止}}
"""


def plain(identity: str, en: str, zh: str) -> LoadedLesson:
    """Return a lesson without questions or variants."""
    return load_lesson(
        _PLAIN.format(id=identity, en=en, zh=zh), f"{identity}.yaml", origin=Origin.BUILT_IN
    )


SAVED_OUTPUT = Opening(screen="lesson", lesson=LESSON.lesson.id)
FIRST = plain("first-steps", "First steps", "第一步")
LAST = plain("last-words", "Last words", "最后的话")


def course(
    lessons: Sequence[LoadedLesson] = (FIRST, LESSON, LAST), problems: tuple[Problem, ...] = ()
) -> Course:
    """Return a course of one chapter."""
    title = LocalText(en="Beginnings", zh="开始")
    chapter = Chapter(schema=1, title=title, summary=title)
    return Course((LoadedChapter(chapter, "beginnings", tuple(lessons)),), problems)


class Stage:
    """The app, its pilot, and the worker behind it."""

    def __init__(self, app: InplaceApp, pilot: Pilot[int], worker: Worker) -> None:
        self.app, self.pilot, self._worker = app, pilot, worker

    @property
    def worker(self) -> StandIn:
        """The worker that stands in, where it does."""
        assert isinstance(self._worker, StandIn)
        return self._worker

    @property
    def lesson(self) -> LessonScreen:
        """The lesson in front."""
        assert isinstance(self.app.page, LessonScreen)
        return self.app.page

    @property
    def sandbox(self) -> SandboxScreen:
        """The sandbox in front."""
        assert isinstance(self.app.page, SandboxScreen)
        return self.app.page

    @property
    def editor(self) -> Editor:
        """The editor of the sandbox or the challenge in front."""
        assert isinstance(self.app.page, EditorScreen)
        return self.app.page.editor

    @property
    def contents(self) -> ContentsScreen:
        """The contents in front."""
        assert isinstance(self.app.page, ContentsScreen)
        return self.app.page

    @property
    def text(self) -> str:
        """What the terminal shows."""
        return drawn.text(self.app)

    @property
    def lines(self) -> list[str]:
        """What the terminal shows, line by line."""
        return self.text.split("\n")

    async def press(self, *keys: str) -> None:
        """Press keys as a learner does, one after the other."""
        for key in keys:
            if len(key) == 1 and not key.isascii():
                # As a terminal sends it; the pilot knows no character of that name.
                self.app.post_message(Key(key, key))
                await self.pilot.pause()
            else:
                await self.pilot.press(key)
        await self.pilot.pause()

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Let the program go on until this is so."""
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                await self.pilot.pause()
                await asyncio.sleep(0)
        await self.pilot.pause()

    async def ran(self) -> None:
        """Wait until the run in front is over and its replays too."""
        page = self.app.page
        assert isinstance(page, RunScreen)
        await self.until(lambda: not page.view.running and not page.view.verifying)


@asynccontextmanager
async def opened(
    opening: Opening,
    home: Path,
    *,
    size: tuple[int, int] = (80, 24),
    language: str = "en",
    lessons: Course | None = None,
    worker: Worker | None = None,
    packs: CourseReader | None = None,
    keymap: Keymap | None = None,
    guided: bool = False,
) -> AsyncIterator[Stage]:
    """Open the program; what it keeps is kept in `home`.

    `guided` is as the command line has it: without, every learner knows all words.
    """
    worker = worker or StandIn()
    app = InplaceApp(
        opening=opening,
        progress=lambda: Progress(home / "progress.json"),
        home=home,
        lessons_folder=home / "lessons",
        language=language,
        read=packs.read if packs else lambda _: lessons or course(),
        packs=packs,
        worker=worker,
        keymap=keymap,
        guided=guided,
    )
    async with app.run_test(size=size) as pilot:
        stage = Stage(app, pilot, worker)
        await stage.until(lambda: app.catalogue is not None)
        yield stage


@asynccontextmanager
async def lesson(
    home: Path,
    size: tuple[int, int] = (80, 24),
    opening: Opening = SAVED_OUTPUT,
    worker: StandIn | None = None,
) -> AsyncIterator[Stage]:
    """Open a lesson, and wait until it has run."""
    async with opened(opening, home, size=size, worker=worker) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        yield stage
