"""From a failure to what to do about it: lessons, and a drill of programs like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inplace_tui.common.command.settings import Leads
from inplace_tui.tutorial.activity.drill.sketch import tag_about
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson

MOST = 3
"""Lessons."""


def leads_of(course: Course, concepts: Iterable[str]) -> Leads:
    """Return what concepts lead to, the most telling first.

    Beside the lessons that teach them stand those that the first of these needs, the last one
    that comes before it first.
    """
    named = tuple(concepts)
    taught = [found for each in named if (found := course.teaching(each)) is not None]
    nearest = list(_needed(course, taught[0])) if taught else []
    lessons = {each.lesson.id: each.lesson for each in (*taught, *nearest)}
    about = [*named, *(concept for each in nearest for concept in each.lesson.teaches)]
    drilled = next((each for each in about if tag_about([each]) is not None), None)
    return Leads(tuple(lessons.values())[:MOST], drilled)


def _needed(course: Course, about: LoadedLesson) -> Iterator[LoadedLesson]:
    needs = [course.teaching(each) for each in about.lesson.requires]
    yield from (each for each in reversed(course.lessons) if each in needs)
