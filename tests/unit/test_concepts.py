"""The mapped list says what leads to what; the next lesson is one whose needs are met."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.concepts import NAMES
from inplace_tui.tutorial.course.course import next_lesson
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.tutorial.progress import LessonProgress, Record
from inplace_tui.tutorial.report import pages
from support.course import COURSE
from support.screens import course

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


def test_the_mapped_list_names_who_teaches_first_and_what_a_lesson_leads_to() -> None:
    again = lesson("e", "e", teaches="a")
    record = Record(lessons={"a": LessonProgress(finished=True)})

    listed = [*pages.course(course((*LESSONS, again)), record, "en", mapped=True)]

    assert listed == [
        "1. Beginnings",
        " ✓ a  Lesson a  4 min",
        "     teaches    a",
        "     leads to   b, d",
        "   b  Lesson b  4 min",
        "     builds on  a (a)",
        "     teaches    b",
        "     leads to   c",
        "   c  Lesson c  4 min",
        "     builds on  b (b), elsewhere",
        "     teaches    c",
        "   d  Lesson d  4 min",
        "     builds on  a (a)",
        "     teaches    d",
        "   e  Lesson e  4 min",
        "     builds on  e",
        "     teaches    a",
    ]


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ("     builds on  ", "     teaches    ", "     leads to   ")),
        ("zh", ("     需要先学   ", "     讲解       ", "     之后可学   ")),
    ],
)
def test_the_mapped_list_is_the_list_with_labelled_lines_between(
    language: str, labels: tuple[str, ...]
) -> None:
    mapped = [*pages.course(COURSE, Record(), language, mapped=True)]

    below = [line for line in mapped if line.startswith(labels)]
    assert len(below) > 2 * len(COURSE.lessons)
    assert [line for line in mapped if line not in below] == [
        *pages.course(COURSE, Record(), language)
    ]


def test_every_concept_of_the_course_has_a_chinese_name_and_no_name_is_left_over() -> None:
    named = {concept for each in COURSE.lessons for concept in each.lesson.teaches}
    named |= {concept for each in COURSE.lessons for concept in each.lesson.requires}

    assert named - {"screen"} == {name.en for name in NAMES} - {"screen"}
