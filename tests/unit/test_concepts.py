"""The map says what leads to what; the next lesson is one whose needs are met."""

from __future__ import annotations

import pytest

from inplace_tui.engine.course.concepts import concept_map, next_lesson
from inplace_tui.engine.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.model.program import Origin
from inplace_tui.present.cells import width
from inplace_tui.present.concept_map import rows
from inplace_tui.texts.concepts import CHINESE
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


def test_every_concept_of_the_course_has_a_chinese_name_and_no_name_is_left_over() -> None:
    named = {concept for each in COURSE.lessons for concept in each.lesson.teaches}
    named |= {concept for each in COURSE.lessons for concept in each.lesson.requires}

    assert named - {"screen"} == set(CHINESE) - {"screen"}
