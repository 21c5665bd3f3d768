"""A lesson in front of a class: the code, one panel, and answers that wait for the teacher."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.engine.session.saved import QuestionStatus
from inplace_tui.progress import Record
from inplace_tui.ui.opening import Opening
from inplace_tui.ui.panels import PANELS, CodePanel, QuestionPanel
from inplace_tui.ui.screens.lesson import LessonScreen
from inplace_tui.ui.screens.quiz import QuizScreen
from support.course import COURSE
from support.screens import opened

PRESENTED = Opening(screen="lesson", lesson="first-steps", present=True)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_there_is_the_code_and_one_panel_at_most(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(PRESENTED, tmp_path, size=size) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        screen = stage.lesson
        seen = [name for name in PANELS if screen.panel(name).display]

        assert len(seen) == (0 if size[0] < 100 else 1)
        assert screen.query_one(CodePanel).size.width >= size[0] * 6 // 10 - 2
        assert "presented" in stage.lines[0]
        assert ("Lesson" in stage.lines[0]) == (size[0] >= 100)  # the title needs the room more

        await stage.press("2")
        await stage.until(lambda: screen.panel("graph").display)

        assert [name for name in PANELS if screen.panel(name).display] == ["graph"]


async def test_answers_are_locked_until_the_teacher_shows_them_and_nothing_is_kept(
    tmp_path: Path,
) -> None:
    asked = Opening(screen="lesson", lesson="saved-output", present=True)
    async with opened(asked, tmp_path) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("c", "a", "enter")

        assert "Answers are locked" in stage.text
        assert "Enter answer" not in stage.text
        question = stage.lesson.view.question
        assert question is not None
        assert question.status is QuestionStatus.OPEN

        await stage.press("A")
        await stage.until(
            lambda: (
                (asked := stage.lesson.view.question) is not None
                and asked.status is QuestionStatus.SHOWN
            )
        )
        await stage.press("c", "A", "n")
        await stage.until(lambda: stage.lesson.view.recap is not None)
        assert stage.lesson.view.score is None  # nobody answered
        assert stage.app.learner.record == Record()
        stage.lesson.action_present()
        await stage.until(
            lambda: (
                isinstance(page := stage.app.page, LessonScreen)
                and not stage.app.presenting
                and page.view.cursor == -1
            )
        )

        assert stage.app.learner.record.lessons == {}


async def test_the_right_choice_is_in_view_when_the_answer_is_shown(tmp_path: Path) -> None:
    asked = Opening(screen="lesson", lesson="saved-output", present=True)
    async with opened(asked, tmp_path, lessons=COURSE, size=(60, 20)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("c", "A")
        await stage.until(lambda: stage.lesson.query_one(QuestionPanel).scroll_y > 0)

        assert "the answer was shown" in stage.text
        assert any(line.startswith(" ✓ ") for line in stage.lines), stage.text


async def test_a_checkpoint_in_front_of_a_class_is_locked_too_and_nothing_is_kept(
    tmp_path: Path,
) -> None:
    longest = max(COURSE.checkpoints, key=lambda each: len(each.chapter.title.en)).slug
    asked = Opening(screen="checkpoint", checkpoint=longest, present=True)
    async with opened(asked, tmp_path, lessons=COURSE, size=(80, 24)) as stage:

        def status() -> QuestionStatus | None:
            page = stage.app.page
            question = page.view.question if isinstance(page, QuizScreen) else None
            return None if question is None else question.status

        await stage.until(lambda: status() is QuestionStatus.OPEN)
        await stage.until(lambda: "Answers are locked" in stage.text)
        assert "presented" in stage.lines[0]

        await stage.press("A")
        await stage.until(lambda: status() is QuestionStatus.SHOWN)

        record = stage.app.learner.record
        assert (record.checkpoints, record.review.waiting) == ({}, {})
