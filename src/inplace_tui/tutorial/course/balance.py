"""Whether the answers of a course can be guessed without the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from inplace_tui.common.run.ending import Ending
from inplace_tui.tutorial.course.lesson import Kind
from inplace_tui.tutorial.course.lessons.check import Asked

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
