"""Lessons are measured by the screen that a learner has."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.ui.arrangement import WORDS
from inplace_tui.ui.course_rows import Catalogue, Mark, rows
from inplace_tui.ui.lesson_fit import HEIGHT, LINE, TITLE, WIDTH, lesson_overflows
from inplace_tui.ui.opening import Opening
from inplace_tui.ui.panels import NarrationPanel
from support.course import COURSE
from support.played import LESSON
from support.screens import course, opened, plain


async def test_the_words_have_the_room_that_is_measured(tmp_path: Path) -> None:
    opening = Opening(screen="lesson", lesson=LESSON.lesson.id)
    async with opened(opening, tmp_path, size=(WIDTH, HEIGHT)) as stage:
        panel = stage.lesson.query_one(NarrationPanel)

        assert panel.scrollable_content_region.size == (LINE, WORDS)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_longest_title_that_fits_is_not_cut_in_the_contents(language: str) -> None:
    longest, longer = "t" * TITLE, "t" * (TITLE + 1)
    catalogue = Catalogue(
        course((plain("first", longest, longest), plain("second", longer, longer))),
        {"first": Mark.OPEN, "second": Mark.OPEN},
    )

    listed = [row.text for row in rows(catalogue, LINE, language)]

    assert longest in listed[1]
    assert len(lesson_overflows(catalogue.course.lessons[0])) == 0
    assert [each.message.en for each in lesson_overflows(catalogue.course.lessons[1])] == [
        f"too long for its line: {TITLE + 1} cells, {TITLE} fit (a Chinese character takes two)"
    ] * 2


def test_every_text_of_the_course_fits() -> None:
    lessons = COURSE.lessons

    assert [str(problem) for each in lessons for problem in lesson_overflows(each)] == []
