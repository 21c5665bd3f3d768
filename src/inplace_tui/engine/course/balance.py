"""What a course asks, and whether its answers can be guessed without reading the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from inplace_tui.engine.blame.ending import Ending
from inplace_tui.engine.lessons.check import Asked
from inplace_tui.model.lesson import Kind

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

    @property
    def raising(self) -> float:
        """The share of outcome questions whose program raises, 0 to 1."""
        return self.share(Ending.RAISES_BEFORE, Ending.RAISES_IN_BACKWARD)

    def share(self, *endings: Ending) -> float:
        """Return the share of outcome questions with one of these endings, 0 to 1."""
        total = sum(self.endings.values())
        return sum(self.endings.get(each, 0) for each in endings) / max(1, total)


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
