"""What a course asks, and whether its answers can be guessed without reading the program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from inplace_tui.engine.blame.ending import Ending
from inplace_tui.engine.lessons.check import Asked
from inplace_tui.model.lesson import Kind


@dataclass(frozen=True)
class Balance:
    """Counts over the questions of some lessons."""

    questions: int
    predictions: int
    """Questions and variants: all that a learner commits to before it runs."""

    endings: Counter[Ending]
    """How the programs of outcome questions end."""

    variants: Counter[Ending]
    """How variants end."""

    places: Counter[int]
    """Where the right choice stands in its file, 1 being the first."""

    @property
    def raising(self) -> float:
        """The share of outcome questions whose program raises, 0 to 1."""
        return self.share(Ending.RAISES_BEFORE, Ending.RAISES_IN_BACKWARD)

    def share(self, *endings: Ending) -> float:
        """Return the share of outcome questions with one of these endings, 0 to 1."""
        return sum(self.endings[each] for each in endings) / max(1, self.endings.total())


def balance(asked: Iterable[Asked]) -> Balance:
    every = list(asked)
    variants = [each for each in every if each.kind is None]
    questions = [each for each in every if each.kind is not None]
    return Balance(
        questions=len(questions),
        predictions=len(every),
        endings=Counter(
            each.ending for each in questions if each.kind is Kind.OUTCOME and each.ending
        ),
        variants=Counter(each.ending for each in variants if each.ending),
        places=Counter(each.place for each in questions if each.place is not None),
    )
