"""The next lesson is one whose needs are met; every concept has a name."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.concepts import NAMES
from inplace_tui.tutorial.course.course import next_lesson
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson
from support.course import COURSE

_LESSON = """
schema: 1
id: {id}
title: {{en: "Lesson {id}", zh: "课程 {id}"}}
teaches: [{teaches}]
requires: [{requires}]
difficulty: 2
minutes: 4
code: |
  x = 1  #@ make
steps:
  - at: make
recap: {{en: the end, zh: 到此为止}}
"""


def lesson(identity: str, *requires: str, teaches: str = "") -> LoadedLesson:
    needed = ", ".join(requires)
    text = _LESSON.format(id=identity, requires=needed, teaches=teaches or identity)
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


def test_every_concept_of_the_course_has_a_chinese_name_and_no_name_is_left_over() -> None:
    named = {concept for each in COURSE.lessons for concept in each.lesson.teaches}
    named |= {concept for each in COURSE.lessons for concept in each.lesson.requires}

    assert named - {"screen"} == {name.en for name in NAMES} - {"screen"}
