"""What a course leaves out: verdicts and concepts that none of its lessons is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.course.lesson_finder import (
    OF_RESULTS,
    OF_STEPS,
    OF_UNCOUNTED_STEPS,
)
from inplace_tui.engine.lessons.loader import LoadedLesson


@dataclass(frozen=True)
class Coverage:
    """`check --coverage --json`: what the lessons are about, by their ids."""

    verdicts: dict[str, tuple[str, ...]]
    """Every verdict, with the lessons that provoke it."""

    concepts: dict[str, tuple[str, ...]]
    """Every concept that is taught, needed, or named by a verdict, with the lessons
    that teach it."""

    unprovoked: tuple[str, ...]
    untaught: tuple[str, ...]
    unasked: tuple[str, ...]
    """Concepts whose lessons ask nothing."""


def coverage(
    lessons: Sequence[LoadedLesson], provoked: Mapping[str, Iterable[Verdict]]
) -> Coverage:
    """Return what lessons cover."""
    verdicts: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    concepts: dict[str, list[str]] = {}
    asked: set[str] = set()
    for each in lessons:
        lesson = each.lesson
        for verdict in set(provoked.get(lesson.id, ())):
            verdicts[verdict].append(lesson.id)
        for concept in lesson.teaches:
            concepts.setdefault(concept, []).append(lesson.id)
        if any(step.ask is not None for step in lesson.steps):
            asked.update(lesson.teaches)
    for concept in (*(c for each in lessons for c in each.lesson.requires), *_NAMED):
        concepts.setdefault(concept, [])
    return Coverage(
        verdicts={verdict: tuple(ids) for verdict, ids in verdicts.items()},
        concepts={concept: tuple(ids) for concept, ids in concepts.items()},
        unprovoked=tuple(verdict for verdict, ids in verdicts.items() if not ids),
        untaught=tuple(concept for concept, ids in concepts.items() if not ids),
        unasked=tuple(c for c, ids in concepts.items() if ids and c not in asked),
    )


_NAMED = (
    *(verdict.concept for verdict in Verdict if verdict.concept is not None),
    OF_RESULTS,
    OF_STEPS,
    OF_UNCOUNTED_STEPS,
)
