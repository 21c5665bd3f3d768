"""What is kept of a learner's drills, between sessions."""

from __future__ import annotations

import msgspec

from inplace_tui.model.counts import FromOne, FromZero
from inplace_tui.model.enums import StrEnum


class Sureness(StrEnum):
    """How sure a learner was of a prediction, asked before the truth was shown."""

    SURE = "sure"
    THINK = "think"
    GUESS = "guess"


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How many were answered, and how many of them rightly."""

    answered: FromZero = 0
    right: FromZero = 0

    def with_one(self, *, right: bool) -> Tally:
        return Tally(answered=self.answered + 1, right=self.right + right)


class Repeat(msgspec.Struct, frozen=True, kw_only=True):
    """A program that is to come back."""

    seed: FromZero
    level: FromOne
    grammar: int
    """The version of the grammar; under another one the seed names another program."""

    box: FromOne
    """How often it was answered rightly since it was missed, and one more."""

    due: int
    """It comes back when this many drills were answered in all."""

    day: int = 0
    """And not before this day, as `date.toordinal()` counts."""


class DrillRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the progress file."""

    level: FromOne = 1
    streak: FromZero = 0
    """Answers in a row that speak for a higher level."""

    total: Tally = Tally()
    concepts: dict[str, Tally] = {}
    """By concept, of the programs that it takes part in."""

    sureness: dict[Sureness, Tally] = {}
    """By how sure the learner was."""

    repeats: list[Repeat] = []
    fresh: int = 0
    """New programs answered since one came back."""

    given: dict[str, dict[int, bool]] = {}
    """By the name of an assigned drill, then by seed: was it right at the first answer?"""
