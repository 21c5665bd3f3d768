"""Lessons are measured by the screen that a learner has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inplace_tui.tutorial.present.code import widest
from inplace_tui.tutorial.ui.arrangement import BARS, MARGIN, WORDS, Needs, plan
from inplace_tui.tutorial.ui.course_rows import Catalogue, Mark, rows
from inplace_tui.tutorial.ui.lesson_fit import HEIGHT, LINE, TITLE, WIDTH, lesson_overflows
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import PANELS, NarrationPanel
from support.course import COURSE
from support.played import LESSON
from support.screens import course, opened, plain
from support.whole import sample


def _programs() -> Iterator[tuple[str, str]]:
    """Yield every program that the course shows, and its name."""
    for loaded in COURSE.lessons:
        yield loaded.lesson.id, loaded.code
        for variant in loaded.lesson.variants:
            name = f"{loaded.lesson.id}/{variant.id}"
            yield name, loaded.program(variant.id).source
    for challenge in COURSE.challenges:
        yield challenge.challenge.id, challenge.code


@pytest.mark.whole(every=1)
def test_every_line_of_the_course_is_seen_whole_at_120_columns() -> None:
    cut = []
    for name, source in sample(_programs(), 8):
        rows, cells = len(source.splitlines()), widest(source)
        needs = Needs(code_rows=rows, code_width=cells, panels=tuple(PANELS))
        if plan(120, 40 - BARS, needs).regions["code"].width < cells + MARGIN:
            cut.append(name)

    assert cut == []


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


@pytest.mark.whole(every=1)
def test_every_text_of_the_course_fits() -> None:
    lessons = sample(COURSE.lessons, 8)

    assert [str(problem) for each in lessons for problem in lesson_overflows(each)] == []
