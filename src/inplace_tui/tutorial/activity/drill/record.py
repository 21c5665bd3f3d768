"""What a drill asks about, and what is kept of a learner's drills between sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from inplace_tui.common.decodable import FromOne, FromZero
from inplace_tui.common.enums import StrEnum
from inplace_tui.tutorial.activity.drill.sketch import Tag


@dataclass(frozen=True)
class DrillOptions:
    """What was asked for on the command line; None is up to the learner's level."""

    seed: int | None = None
    level: int | None = None
    count: int | None = None

    about: Tag | None = None
    """Every program has it."""

    kept: bool = False
    """The answers count for the learner, although somebody else chose the programs."""

    @property
    def name(self) -> str:
        return f"{self.seed}/{self.level or 1}"

    def is_done(self, given: Mapping[str, Mapping[int, bool]]) -> bool:
        """Whether all of it was answered, going by `DrillRecord.given`."""
        return len(given.get(self.name, ())) >= (self.count or 1)

    @property
    def is_chosen(self) -> bool:
        return self.seed is not None or self.level is not None

    @property
    def counts(self) -> bool:
        """Whether the answers are kept."""
        return self.kept or not self.is_chosen


ENDLESS = DrillOptions()
"""Up to the learner's level, without an end."""


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

    due: int
    """It comes back when this many drills were answered in all."""


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
