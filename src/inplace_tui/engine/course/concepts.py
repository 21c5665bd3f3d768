"""What every lesson needs and teaches, and which one to take next. Nothing is locked."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from inplace_tui.engine.course.course import Course
from inplace_tui.engine.lessons.loader import LoadedLesson


@dataclass(frozen=True)
class ConceptPlace:
    """A lesson on the map; lessons are named by their number in the course."""

    number: int
    loaded: LoadedLesson
    needs: tuple[tuple[str, int | None], ...]
    """Concepts, with the lesson that teaches each first; None if none does."""

    opens: tuple[int, ...]
    """The lessons that need what this one is the first to teach."""


def concept_map(course: Course) -> tuple[ConceptPlace, ...]:
    taught: dict[str, int] = {}
    for number, each in enumerate(course.lessons, 1):
        for concept in each.lesson.teaches:
            taught.setdefault(concept, number)
    opens: dict[int, list[int]] = {}
    places = []
    for number, each in enumerate(course.lessons, 1):
        needs = tuple((concept, taught.get(concept)) for concept in each.lesson.requires)
        for teacher in sorted({teacher for _, teacher in needs if teacher is not None}):
            opens.setdefault(teacher, []).append(number)
        places.append((number, each, needs))
    return tuple(
        ConceptPlace(number, each, needs, tuple(opens.get(number, ())))
        for number, each, needs in places
    )


def next_lesson(lessons: Sequence[LoadedLesson], done: Container[str]) -> LoadedLesson | None:
    """Return the first lesson that is not done and whose needs are met.

    What no lesson teaches can't be waited for. Where every lesson that is left
    needs another that is left, it is the first of them.
    """
    left = [each for each in lessons if each.lesson.id not in done]
    waiting = {concept for each in left for concept in each.lesson.teaches}
    known = {
        concept for each in lessons if each.lesson.id in done for concept in each.lesson.teaches
    }
    for each in left:
        own = set(each.lesson.teaches)
        if not (set(each.lesson.requires) - known - own) & waiting:
            return each
    return left[0] if left else None
