"""The map says what leads to what; the next lesson is one whose needs are met."""

from __future__ import annotations

import pytest

from inplace_tui.common.cells import width
from inplace_tui.common.rows import Style
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.concepts import NAMES
from inplace_tui.tutorial.course.course import concept_map, next_lesson
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.tutorial.present.concept_map import around, drawing, rows
from support.course import COURSE
from support.screens import course

_LESSON = """
schema: 1
id: {id}
title: {{en: "Lesson {id}", zh: "课程 {id}"}}
teaches: [{id}]
requires: [{requires}]
difficulty: 2
minutes: 4
code: |
  x = 1  #@ make
steps:
  - at: make
recap: {{en: the end, zh: 到此为止}}
"""


def lesson(identity: str, *requires: str) -> LoadedLesson:
    text = _LESSON.format(id=identity, requires=", ".join(requires))
    return load_lesson(text, f"{identity}.yaml", origin=Origin.BUILT_IN)


LESSONS = (lesson("a"), lesson("b", "a"), lesson("c", "b", "elsewhere"), lesson("d", "a"))


@pytest.mark.parametrize(
    ("done", "expected"),
    [((), "a"), (("a",), "b"), (("b",), "a"), (("a", "b"), "c"), (("a", "b", "c"), "d")],
)
def test_the_next_lesson_is_the_first_whose_needs_are_met(
    done: tuple[str, ...], expected: str
) -> None:
    found = next_lesson(LESSONS, done)

    assert found is not None
    assert found.lesson.id == expected


def test_a_lesson_that_needs_a_later_one_waits_for_it() -> None:
    found = next_lesson((lesson("a", "b"), lesson("b")), ())

    assert found is not None
    assert found.lesson.id == "b"


def test_a_circle_of_needs_bars_nobody() -> None:
    found = next_lesson((lesson("a", "b"), lesson("b", "a")), ())

    assert found is not None
    assert found.lesson.id == "a"


def test_nothing_is_next_when_all_are_done() -> None:
    assert next_lesson(LESSONS, ("a", "b", "c", "d")) is None


def test_the_map_names_teachers_and_what_a_lesson_opens() -> None:
    places = concept_map(course(LESSONS))

    assert [(each.number, each.needs, each.opens) for each in places] == [
        (1, (), (2, 4)),
        (2, (("a", 1),), (3,)),
        (3, (("b", 2), ("elsewhere", None)), ()),
        (4, (("a", 1),), ()),
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("room", [20, 40, 100])
def test_the_map_fits_its_room_and_leads_to_lessons(language: str, room: int) -> None:
    drawn = rows(course(LESSONS), {"a": "✓"}, room, language)

    assert max(width(row.text) for row in drawn) <= room
    assert {row.target.choice for row in drawn} == {None, 0, 1, 2, 3}
    assert "✓  1" in drawn[1].text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("room", "height"), [(74, 19), (110, 34), (156, 50)])
@pytest.mark.whole(every=3)
def test_the_drawn_map_fits_and_every_lesson_is_reached_by_arrows(
    language: str, room: int, height: int
) -> None:
    marks = {"leaves": ("✓", Style.RIGHT)}
    for number in range(1, len(COURSE.lessons) + 1, 9):
        view = around(COURSE, number)
        drawn = drawing(COURSE, view, marks, room=room, height=height, language=language)
        assert max(width(row.text) for row in drawn) <= room
        assert len(drawn) <= height
        assert sum("┏" in row.text for row in drawn) == 1  # the cursor is in sight
    reached, view = {1}, around(COURSE, 1)
    for _ in COURSE.lessons:
        view = view.moved(COURSE, 0, 1)
        reached.add(view.cursor)
    assert len(reached) == len(COURSE.lessons)


def test_left_leads_to_what_is_needed_and_the_map_moves_along() -> None:
    whole = course(LESSONS)
    view = around(whole, 3)

    assert view.columns == ((2,), (1, 2, 3, 4), ())

    view = view.moved(whole, -1, 0)
    assert (view.cursor, view.centre) == (2, 3)
    view = view.moved(whole, -1, 0)
    assert (view.cursor, view.centre) == (1, 2)
    view = view.moved(whole, -1, 0)
    assert (view.cursor, view.centre) == (1, 1)  # it needs nothing
    view = view.moved(whole, 1, 0).moved(whole, 0, 1)
    assert (view.cursor, view.centre) == (4, 1)
    assert view.moved(whole, 0, 1) == view


def test_an_arrow_of_the_map_points_at_what_needs_the_other() -> None:
    drawn = drawing(
        course(LESSONS), around(course(LESSONS), 1), {}, room=74, height=22, language="en"
    )

    assert [row.text[46:63] for row in drawn if "▶" in row.text] == [
        "┃──┬─▶│ Lesson b ",
        "│  ╰─▶│ Lesson d ",
    ]


def test_a_short_chapter_is_followed_by_the_next_where_there_is_room() -> None:
    first, second = (chapter.chapter.title["en"] for chapter in COURSE.chapters[:2])

    drawn = drawing(COURSE, around(COURSE, 1), {}, room=112, height=32, language="en")

    texts = [row.text for row in drawn]
    assert first in texts[0]
    assert len(COURSE.chapters[0].lessons) == 1
    assert texts[5].strip() == second
    shown = [n for n in range(20) if any(f"─ {n} ─" in text for text in texts)]
    assert shown == [2, 3, 4, 5, 6]
    assert len(drawn) <= 32


@pytest.mark.parametrize("language", ["en", "zh"])
def test_how_many_lessons_have_no_box_is_not_cut(language: str) -> None:
    """The chapter has five lessons, of which three boxes fit."""
    drawn = drawing(COURSE, around(COURSE, 4), {}, room=72, height=19, language=language)

    assert " (+2) " in drawn[0].text


def test_every_concept_of_the_course_has_a_chinese_name_and_no_name_is_left_over() -> None:
    named = {concept for each in COURSE.lessons for concept in each.lesson.teaches}
    named |= {concept for each in COURSE.lessons for concept in each.lesson.requires}

    assert named - {"screen"} == {name.en for name in NAMES} - {"screen"}
