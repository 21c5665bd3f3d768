"""A lesson from elsewhere opens once the learner has said that they trust its pack."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inplace_tui.common import paths
from inplace_tui.common.trust import Trust
from inplace_tui.tutorial.settings import Settings
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog
from inplace_tui.tutorial.ui.launch import CourseReader
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from support.packs import write_pack
from support.screens import Stage, opened

OPENING = Opening(screen="lesson", lesson="new-idea")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's home with a pack in it."""
    monkeypatch.setenv(paths.HOME, str(tmp_path))
    write_pack(tmp_path / "packs" / "theirs", "new-idea", "Theirs")
    return tmp_path


def reader(*, trusting: bool = False) -> CourseReader:
    return CourseReader(Settings("en", trust=trusting), Trust(paths.trust_file()))


def asked(stage: Stage) -> bool:
    return isinstance(stage.app.screen, AskDialog)


def question(stage: Stage) -> str:
    """Return what stands in the box, without blanks: a path's length says where lines end."""
    return re.sub(r"\s", "", "".join(re.findall("│(.*?)│", stage.text)))


@pytest.mark.whole
async def test_the_question_says_what_running_it_means(home: Path) -> None:
    async with opened(OPENING, home, packs=reader()) as stage:
        await stage.until(lambda: asked(stage) and "scratch" in question(stage))
        await stage.press("L")
        await stage.until(lambda: "能读取你能" in question(stage))

        assert stage.worker.asked == []


@pytest.mark.whole
async def test_the_answers_are_named_where_the_question_takes_the_screen(home: Path) -> None:
    async with opened(OPENING, home, packs=reader(), size=(40, 10)) as stage:
        await stage.until(lambda: asked(stage) and "1 trust it" in stage.lines[-1])

        assert "Esc go back" in stage.lines[-1]


async def test_a_yes_opens_it_and_is_kept(home: Path) -> None:
    async with opened(OPENING, home, packs=reader()) as stage:
        await stage.until(lambda: asked(stage))
        await stage.press("1")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

    async with opened(OPENING, home, packs=reader()) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))

        assert not asked(stage)


@pytest.mark.whole
async def test_escape_runs_nothing_and_the_course_goes_on(home: Path) -> None:
    async with opened(OPENING, home, packs=reader()) as stage:
        await stage.until(lambda: asked(stage))
        await stage.press("escape")

        assert isinstance(stage.app.page, ContentsScreen)
        assert Trust(paths.trust_file()).digests == frozenset()

        await stage.press("c")
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))


@pytest.mark.whole
async def test_a_changed_pack_is_asked_about_again(home: Path) -> None:
    async with opened(OPENING, home, packs=reader(trusting=True)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
    (home / "packs/theirs/notes.txt").write_text("a change")

    async with opened(OPENING, home, packs=reader()) as stage:
        await stage.until(lambda: asked(stage))


@pytest.mark.whole
async def test_what_is_wrong_with_a_pack_is_said_below_the_course(home: Path) -> None:
    (home / "packs/theirs/link").symlink_to("/etc/passwd")

    async with opened(Opening(), home, size=(120, 40), packs=reader()) as stage:
        course = stage.app.course
        assert course is not None

        assert len(course.lessons) > 30
        assert course.find("new-idea") is None
        await stage.press("b", "G")
        assert "packs/theirs/link:1:1: a symbolic link" in "".join(
            row.text
            for row in stage.contents.query_one("#course").rows  # type: ignore[attr-defined]
        )
