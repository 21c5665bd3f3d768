"""The contents on a path, the library behind it, the choice of a path, and testing out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.course.lesson import GoalPath
from inplace_tui.tutorial.course.paths import learning_path
from inplace_tui.tutorial.drive import playlist
from inplace_tui.tutorial.progress import Progress
from inplace_tui.tutorial.ui.course_rows import Catalogue, Mark, rows
from inplace_tui.tutorial.ui.dialogs.paths import PathsDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from support.course import COURSE
from support.screens import LAST, course, opened

CONTENTS = Opening()
SHORT = GoalPath(
    id="short",
    title=LocalText("The short one"),
    summary=LocalText("Two lessons"),
    goals=["first-steps", "last-words"],
    bridges={},
)
LONG = GoalPath(
    id="long",
    title=LocalText("The long one"),
    summary=LocalText("All of it"),
    goals=["first-steps", "saved-output", "last-words"],
)
PATHS = replace(course(), paths=(SHORT, LONG))


async def test_the_contents_open_on_the_first_path_and_the_library_is_a_key_away(
    tmp_path: Path,
) -> None:
    async with opened(CONTENTS, tmp_path, lessons=PATHS) as stage:
        path = stage.text
        await stage.press("b")
        library = stage.text
        await stage.press("b")

        assert "The short one" in stage.lines[0]
        assert "0 of 2, 8 min left" in stage.lines[0]
        assert "1 min" not in path
        assert "1 min" in library
        assert "reference" not in library
        assert stage.text == path


async def test_lessons_follow_each_other_as_on_the_path(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path, lessons=PATHS) as stage:
        await stage.press("c")
        title = stage.lines[0]
        await stage.press("right_square_bracket")

        assert "Lesson 1/2" in title
        assert stage.lesson.lesson is LAST


async def test_the_end_of_a_lesson_names_the_key_that_leads_on(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path, lessons=PATHS) as stage:
        await stage.press("c")
        await stage.ran()
        await stage.press("G")
        for key in ("c", "n", "enter"):
            await stage.press(key)
            assert "This lesson is done: ] goes on to what follows." in stage.text
            await stage.press("w")


async def test_a_path_that_was_chosen_is_kept(tmp_path: Path) -> None:
    async with opened(CONTENTS, tmp_path, lessons=PATHS) as stage:
        await stage.press("p")
        assert isinstance(stage.app.screen, PathsDialog)
        await stage.press("2")
        assert "The long one" in stage.lines[0]
    async with opened(CONTENTS, tmp_path, lessons=PATHS) as stage:
        assert "The long one" in stage.lines[0]
        await stage.press("p", "3")
        assert "Contents" in stage.lines[0]


async def test_five_questions_place_the_learner(tmp_path: Path) -> None:
    lessons = replace(COURSE, paths=COURSE.paths[:1])
    async with opened(CONTENTS, tmp_path, lessons=lessons) as stage:
        await stage.press("p", "3")
        await stage.until(lambda: isinstance(stage.app.page, PlaylistScreen))

        assert "Five questions" in stage.lines[0]


def answered(quiz: playlist.Quiz, *, wrong: int) -> None:
    """Answer all questions, some of them wrong at the first try."""
    for number, name in enumerate(quiz.names):
        lesson, _, asked = name.partition("/")
        status = QuestionStatus.WRONG if number < wrong else QuestionStatus.RIGHT
        answer = SavedAnswer(question=asked, status=status, tried=("x",))
        quiz.save(SaveProgress(lesson=lesson, cursor=1, answers=(answer,), finished=True))


def test_a_right_answer_marks_its_lesson_and_what_it_needs(tmp_path: Path) -> None:
    progress, path = Progress(tmp_path / "progress.json"), learning_path(COURSE, "error")
    quiz = playlist.placement(COURSE, path, progress)
    assert len(quiz.items) == 5
    asked = [name.partition("/")[0] for name in quiz.names]
    answered(quiz, wrong=1)

    assert {*asked[1:]} <= progress.passed
    assert asked[0] not in progress.passed
    assert progress.record.review.waiting == {}
    assert quiz.result(COURSE).known == len(progress.passed)
    assert not progress.finished


@pytest.mark.parametrize(("wrong", "known"), [(0, True), (1, True), (2, False)])
def test_a_checkpoint_with_at_most_one_miss_tests_its_chapter_out(
    wrong: int, known: bool, tmp_path: Path
) -> None:
    progress, chapter = Progress(tmp_path / "progress.json"), COURSE.checkpoints[0]
    answered(playlist.checkpoint(COURSE, chapter, progress), wrong=wrong)

    ids = {each.id for each in chapter.lessons}
    assert (ids <= progress.passed) is known
    assert not progress.finished


def test_what_is_known_and_what_is_reference_is_said_in_the_library() -> None:
    marks = {COURSE.lessons[0].id: Mark.KNOWN}
    listed = "\n".join(row.text for row in rows(Catalogue(COURSE, marks), 80, "en"))

    assert "known" in listed
    assert "reference" in listed


def test_progress_of_merged_lessons_counts_for_the_one_that_replaces_them(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json")
    right = SavedAnswer(question="ends", status=QuestionStatus.RIGHT, tried=("a",))
    missed = SavedAnswer(question="which", status=QuestionStatus.WRONG, tried=("a", "b"))
    progress.save(SaveProgress(lesson="old", cursor=3, answers=(right, missed), finished=True))
    begun = SavedAnswer(question="ends", status=QuestionStatus.WRONG, tried=("a", "c"))
    progress.save(SaveProgress(lesson="new", cursor=1, answers=(begun,), finished=False))
    progress.carry_over({"old": "new", "older": "new"})
    again = Progress(tmp_path / "progress.json")

    assert {*again.record.lessons} == {"new"}
    kept = again.lesson("new")
    assert kept.finished
    assert kept.cursor == 1
    assert kept.answers["ends"].tried == ("a", "c")
    assert kept.answers["which"].tried == ("a", "b")
    assert {*again.record.review.waiting} == {"new/ends", "new/which"}
