"""What a course leaves out, and whether its answers can be guessed without the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.course.lesson import Kind
from inplace_tui.tutorial.course.lessons.check import Asked
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson


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
    "saved-output",
    "step-between",
    "fused-step",
)


T = TypeVar("T")


@dataclass(frozen=True)
class Balance:
    """A part of `check --json`: what is asked, and how it comes out."""

    questions: int
    predictions: int
    """Questions and variants: all that a learner commits to before it runs."""

    endings: dict[Ending, int]
    """How the programs of outcome questions end."""

    variants: dict[Ending, int]
    """How variants end."""

    places: dict[int, int]
    """Where the right choice stands in its file, 1 being the first."""


def balance(asked: Iterable[Asked]) -> Balance:
    every = list(asked)
    variants = [each for each in every if each.kind is None]
    questions = [each for each in every if each.kind is not None]
    return Balance(
        questions=len(questions),
        predictions=len(every),
        endings=_counted(each.ending for each in questions if each.kind is Kind.OUTCOME),
        variants=_counted(each.ending for each in variants),
        places=dict(sorted(_counted(each.place for each in questions).items())),
    )


def _counted(found: Iterable[T | None]) -> dict[T, int]:
    return dict(Counter(each for each in found if each is not None))
