"""What a path takes: the lessons that teach its goals, and those that these require.

Nothing is listed by hand. A concept with a bridge is told in one sentence instead of taught, so
that the lessons which only it would need are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from inplace_tui.common.local_text import LocalText
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lesson import GoalPath
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson


@dataclass(frozen=True)
class LearningPath:
    """The lessons of a path, in the order of the course."""

    about: GoalPath
    lessons: tuple[LoadedLesson, ...]
    challenge: LoadedChallenge | None = None
    """What it ends with."""

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.lessons)

    @property
    def minutes(self) -> int:
        return sum(each.lesson.minutes for each in self.lessons)

    def bridges(self, lesson: str) -> tuple[LocalText, ...]:
        """Return what to say at the start of a lesson: one sentence for each concept left out.

        Each is said once, at the first lesson that requires it.
        """
        told: set[str] = set()
        for each in self.lessons:
            here = [name for name in each.lesson.requires if name not in told]
            told |= {*each.lesson.teaches, *here}
            if each.id == lesson:
                bridges = self.about.bridges
                return tuple(bridges[name] for name in here if name in bridges)
        return ()


def learning_path(course: Course, identity: str | None) -> LearningPath | None:
    """Return a path by its id, the first one for None; None for the whole course."""
    found = (each for each in course.paths if identity in (None, each.id))
    about = next(found, None)
    if about is None:
        return None
    needed = needed_for(course, about.goals, without=about.bridges)
    lessons = tuple(each for each in course.lessons if each.id in needed)
    ends_with = course.find_challenge(about.ends_with) if about.ends_with else None
    return LearningPath(about, lessons, ends_with)


def needed_for(
    course: Course, concepts: Sequence[str], without: Sequence[str] | dict[str, LocalText] = ()
) -> set[str]:
    """Return the ids of the lessons that teach these concepts, and of those that they require."""
    found: set[str] = set()
    open_concepts = list(concepts)
    while open_concepts:
        loaded = course.teaching(open_concepts.pop())
        if loaded is not None and loaded.id not in found:
            found.add(loaded.id)
            open_concepts += [each for each in loaded.lesson.requires if each not in without]
    return found


def reference(course: Course) -> set[str]:
    """Return the ids of the lessons on no path but that of everything; none without paths."""
    if not course.paths:
        return set()
    paths = (learning_path(course, each.id) for each in course.paths)
    return {each.id for each in course.lessons}.difference(*(each.ids for each in paths if each))
