"""What questions are called outside of their lessons: `saved-output/ends`.

Before the slash stands where a question comes from: a lesson, a chapter's checkpoint or
the drill.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lesson import VARIANT_QUESTION
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson

DRILL = "drill"
CHECKPOINT = "checkpoint."
"""Before the slug of a chapter, where lessons have their ids; no id has a full stop."""


def lesson_of(name: str, course: Course) -> LoadedLesson | None:
    """Return the lesson of a question, or one of its chapter; None for a made-up program."""
    place = name.partition("/")[0]
    if place.startswith(CHECKPOINT):
        chapter = course.find_chapter(place.removeprefix(CHECKPOINT))
        return next(iter(chapter.lessons), None) if chapter is not None else None
    return next((each for each in course.lessons if each.lesson.id == place), None)


def is_known(name: str, course: Course) -> bool:
    place, _, asked = name.partition("/")
    if place == DRILL:
        return True
    loaded = lesson_of(name, course)
    if loaded is None or place.startswith(CHECKPOINT):
        return loaded is not None
    about = loaded.lesson
    if asked.startswith(VARIANT_QUESTION):
        return asked.removeprefix(VARIANT_QUESTION) in {each.id for each in about.variants}
    return asked in {step.ask.id for step in about.steps if step.ask}


def unseen(course: Course, finished: Mapping[str, Container[str]]) -> Iterator[str]:
    """Yield the questions of variants that were not predicted in lessons that are finished.

    Args:
        finished: the ids of those lessons, with the ids of the questions that were answered.
    """
    for each in course.lessons:
        for variant in each.lesson.variants if each.lesson.id in finished else ():
            asked = f"{VARIANT_QUESTION}{variant.id}"
            if asked not in finished[each.lesson.id]:
                yield f"{each.lesson.id}/{asked}"
