"""What follows from an answer: the learner's level, what comes back, what comes next.

The level is a staircase. Two right answers in a row, neither a guess, lead one
level up; a wrong one leads one down. A right guess changes nothing. An easier
program can't lift anybody, a harder one can't sink them.

What was missed by somebody who was sure comes back after `BACK_AFTER` more drills, until it is
right. On other days it comes back in the review, as does what was wrong or not known for sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import msgspec

from inplace_tui.tutorial.activity.drill.grammar import LEVELS, VERSION, Drill
from inplace_tui.tutorial.activity.drill.record import DrillRecord, Repeat, Sureness, Tally
from inplace_tui.tutorial.activity.drill.sketch import Tag
from inplace_tui.tutorial.activity.session.saved import Recall

UP_AFTER = 2
"""Right answers in a row that lead a level up."""

BACK_AFTER = 5
"""Drills until what was missed comes back."""

APART = 2
"""New programs between two that come back."""

MAX_REPEATS = 60
"""More than these are not kept waiting; the ones that wait longest are."""

SEEDS = 10**6
"""New programs have a seed below this, so that a person can say it."""


@dataclass(frozen=True)
class DrillAnswer:
    """One drill that was answered."""

    drill: Drill
    right: bool
    sureness: Sureness
    day: int
    """As `date.toordinal()` counts."""

    given: str = ""
    """The name of the assigned drill that it belongs to."""


@dataclass(frozen=True)
class NextDrill:
    """A program to be shown."""

    seed: int
    level: int
    repeat: bool = False
    """It comes back, for it was missed by somebody who was sure."""

    about: Tag | None = None
    """Of the programs from the seed on, the first that has it is meant."""


def record_after(record: DrillRecord, answered: DrillAnswer) -> DrillRecord:
    level, streak = _climbed(record, answered)
    concepts = dict(record.concepts)
    for tag in answered.drill.tags:
        concepts[tag] = concepts.get(tag, Tally()).with_one(right=answered.right)
    sure = answered.sureness
    tallied = record.sureness.get(sure, Tally()).with_one(right=answered.right)
    total = record.total.with_one(right=answered.right)
    came_back = _found(record, answered.drill) is not None
    given = dict(record.given)
    if answered.given:  # the first answer counts
        first = {answered.drill.seed: answered.right}
        given[answered.given] = first | given.get(answered.given, {})
    return DrillRecord(
        level=level,
        streak=streak,
        total=total,
        concepts=concepts,
        sureness={**record.sureness, sure: tallied},
        repeats=_scheduled(record, answered, total.answered),
        fresh=0 if came_back else record.fresh + 1,
        given=given,
    )


def _climbed(record: DrillRecord, answered: DrillAnswer) -> tuple[int, int]:
    level, here = record.level, answered.drill.level
    if not answered.right:
        return (max(1, level - 1) if here <= level else level), 0
    if answered.sureness is Sureness.GUESS or here < level:
        return level, record.streak
    if record.streak + 1 < UP_AFTER:
        return level, record.streak + 1
    return min(LEVELS, level + 1), 0


def _scheduled(record: DrillRecord, answered: DrillAnswer, count: int) -> list[Repeat]:
    drill, old = answered.drill, _found(record, answered.drill)
    others = [each for each in record.repeats if each is not old]
    guessed = answered.sureness is Sureness.GUESS
    is_back = old is not None and (guessed or not answered.right)
    if not is_back and (answered.right or answered.sureness is not Sureness.SURE):
        return others
    seed, level, due = drill.seed, drill.level, count + BACK_AFTER
    return [*others, Repeat(seed=seed, level=level, grammar=VERSION, due=due)][-MAX_REPEATS:]


def _found(record: DrillRecord, drill: Drill) -> Repeat | None:
    name = (VERSION, drill.seed, drill.level)
    return next((r for r in record.repeats if (r.grammar, r.seed, r.level) == name), None)


def drill_name(seed: int, level: int) -> str:
    return f"{VERSION}-{level}-{seed}"


def recall(answered: DrillAnswer) -> Recall:
    if not answered.right:
        return Recall.MISSED
    return Recall.KNOWN if answered.sureness is Sureness.SURE else Recall.LUCKY


def choose_next(record: DrillRecord, random: Random) -> NextDrill:
    """Return what to show next: what is due, or something new at the learner's level."""
    known = (r for r in record.repeats if r.grammar == VERSION and r.level <= LEVELS)
    due = [each for each in known if each.due <= record.total.answered]
    if due and record.fresh >= APART:
        first = min(due, key=lambda each: (each.due, each.seed))
        return NextDrill(first.seed, first.level, repeat=True)
    return NextDrill(random.randrange(SEEDS), min(record.level, LEVELS))


def newer_record(ours: DrillRecord, theirs: DrillRecord) -> DrillRecord:
    """Return the record to keep of two: a file that is imported may know less."""
    newer = theirs if theirs.total.answered >= ours.total.answered else ours
    return msgspec.structs.replace(newer, given=ours.given | theirs.given)
