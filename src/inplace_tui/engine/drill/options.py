"""Which programs a drill asks about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DrillOptions:
    """What was asked for on the command line; None is up to the learner's level."""

    seed: int | None = None
    level: int | None = None
    count: int | None = None

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
