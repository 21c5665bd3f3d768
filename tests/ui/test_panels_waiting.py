"""A newcomer's first lessons show few panels; the others come with the lesson that needs them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.paths import built_in_lessons, lesson_files
from inplace_tui.tutorial.course.course import panels_ahead
from inplace_tui.tutorial.course.lesson import PanelName
from inplace_tui.tutorial.drive.lessons import named_panels
from inplace_tui.tutorial.progress import LessonProgress, Progress, Record
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import PANELS
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.introduction import IntroductionScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from inplace_tui.tutorial.ui.widgets.panel_area import PanelArea, PanelTabs
from support.course import COURSE
from support.screens import Stage, opened

FIRST = COURSE.lessons[0].lesson.id
LARGE = 200, 60


@asynccontextmanager
async def lesson_opened(
    name: str, home: Path, *, size: tuple[int, int] = (80, 24), guided: bool = True
) -> AsyncIterator[Stage]:
    async with opened(
        Opening(screen="lesson", lesson=name), home, size=size, lessons=COURSE, guided=guided
    ) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        yield stage


def offered(stage: Stage) -> set[str]:
    """Return the panels that are seen or one tab away."""
    page = stage.app.page
    assert page is not None
    tabs = {tab.name for tab in page.query_one(PanelTabs).tabs}
    return (tabs | set(page.query_one(PanelArea).plan.regions)) & set(PANELS)


def leads_to(stage: Stage, name: str) -> bool:
    page = stage.app.page
    return isinstance(page, LessonScreen) and page.lesson.lesson.id == name


def test_what_waits_comes_in_this_order() -> None:
    named = dict.fromkeys(panel for each in COURSE.lessons for panel in each.lesson.panels)

    assert [each for each in named if each in PANELS] == ["graph", "output", "timeline", "lanes"]
    assert {*named} == {*PanelName}
    panels = COURSE.named_panels

    def ahead(lesson: str, *begun: str) -> set[str]:
        return panels_ahead(panels, lesson, begun) & {*PANELS}

    assert panels_ahead(panels, FIRST, ()) == {*PanelName}
    assert ahead("branching-graph") == {"output", "timeline", "lanes"}
    assert ahead(FIRST, "grads-add-up") == {"lanes"}
    assert ahead("storage-pointers") == set()
    assert panels_ahead(panels, "of-another-course", ()) == set()


def test_what_waits_is_known_before_the_course_is_read() -> None:
    assert list(named_panels(built_in_lessons()).items()) == list(COURSE.named_panels.items())


async def test_a_lesson_that_is_there_before_the_course_shows_two_panels(tmp_path: Path) -> None:
    [file] = lesson_files(built_in_lessons(), FIRST)
    (tmp_path / "lessons").symlink_to(built_in_lessons())
    asked = Opening(screen="lesson", lesson_file=file)
    async with opened(asked, tmp_path, size=LARGE, lessons=COURSE, guided=True) as stage:
        await stage.ran()
        assert offered(stage) == set()
        await stage.press("n", "n")
        assert offered(stage) <= {"state"}

        assert "Lesson 1/12" in stage.lines[0]
        stage.app.catalogue = None  # as while the course is read: the path is not known yet
        stage.lesson.show_title()
        await stage.pilot.pause()

        assert "Lesson " not in stage.lines[0]


@pytest.mark.whole
async def test_the_first_lesson_shows_two_panels_at_every_size(tmp_path: Path) -> None:
    async with lesson_opened(FIRST, tmp_path) as stage:
        for size in ((80, 24), (120, 40), LARGE, (40, 12)):
            await stage.pilot.resize_terminal(*size)
            await stage.pilot.pause()
            assert offered(stage) <= {"state", "why"}
            await stage.press(*["tab"] * 8)
            assert offered(stage) <= {"state", "why"}


@pytest.mark.whole
async def test_a_checkpoint_shows_the_panels_of_its_lessons(tmp_path: Path) -> None:
    async with lesson_opened(FIRST, tmp_path, size=LARGE) as stage:
        for chapter, seen in (
            (COURSE.chapters[1], {"state", "graph", "why", "output"}),
            (COURSE.chapters[2], {"state", "graph", "why", "output", "timeline"}),
        ):
            stage.app.open_checkpoint(chapter.slug)
            await stage.until(lambda: isinstance(stage.app.page, PlaylistScreen))
            page = stage.app.page
            assert isinstance(page, PlaylistScreen)
            assert page.panel_layout.empty == {"state", "why"}  # nothing ran yet
            assert page.panel_layout.waiting == (set(PANELS) - seen) | page.panel_layout.empty
            stage.app.show_contents()
            await stage.until(lambda: isinstance(stage.app.page, ContentsScreen))


@pytest.mark.whole
async def test_on_a_path_a_panel_comes_with_the_lesson_of_that_path(tmp_path: Path) -> None:
    """`branching-graph`, which the whole course names it with, comes before both of them."""
    whole = Record(path="everything")
    for home, lesson, shown in (
        (tmp_path / "1", "write-before-use", {"state", "why"}),
        (tmp_path / "2", "saved-output", {"state", "why", "graph"}),
        (tmp_path / "3", "write-before-use", set(PANELS)),
    ):
        home.mkdir()
        if home.name == "3":
            (home / "progress.json").write_bytes(msgspec.json.encode(whole))
        async with opened(Opening(), home, size=LARGE, lessons=COURSE, guided=True) as stage:
            await stage.until(lambda: stage.app.catalogue is not None)
            stage.app.open_lesson(lesson)
            await stage.until(lambda: leads_to(stage, lesson))  # noqa: B023
            await stage.ran()
            assert stage.lesson.panel_layout.waiting | {*offered(stage)} == set(PANELS)
            assert {"graph", "lanes"} & offered(stage) == {"graph", "lanes"} & shown, lesson


async def test_a_panel_that_is_asked_for_comes_and_stays(tmp_path: Path) -> None:
    async with lesson_opened(FIRST, tmp_path, size=LARGE) as stage:
        await stage.press("2")
        assert offered(stage) == {"graph"}
        assert stage.app.focused is stage.lesson.panel("graph")
        assert Progress(tmp_path / "progress.json").record.panels == ("graph",)

        stage.app.open_lesson("leaves")
        await stage.until(lambda: leads_to(stage, "leaves"))
        assert "graph" in offered(stage)


async def test_who_came_to_a_later_lesson_has_all_panels(tmp_path: Path) -> None:
    record = Record(lessons={"storage-pointers": LessonProgress(cursor=1)})
    (tmp_path / "progress.json").write_bytes(msgspec.json.encode(record))
    async with lesson_opened(FIRST, tmp_path, size=LARGE) as stage:
        assert offered(stage) == set(PANELS)


async def test_the_introduction_shows_what_it_tells_of(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path, size=LARGE, lessons=COURSE, guided=True) as stage:
        await stage.press("I", "l")
        await stage.until(lambda: isinstance(stage.app.page, IntroductionScreen))
        assert offered(stage) == set(PANELS)
