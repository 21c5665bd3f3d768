"""The level follows the learner, and what was missed by somebody who was sure comes back."""

from __future__ import annotations

from random import Random

import pytest

from inplace_tui.common.run.ending import Ending
from inplace_tui.tutorial.activity.drill.grammar import LEVELS, VERSION, Drill
from inplace_tui.tutorial.activity.drill.learning import (
    APART,
    BACK_AFTER,
    MAX_REPEATS,
    DrillAnswer,
    NextDrill,
    choose_next,
    record_after,
)
from inplace_tui.tutorial.activity.drill.record import DrillRecord, Repeat, Sureness, Tally
from inplace_tui.tutorial.activity.drill.sketch import Tag

TODAY = 700_000


def drill(seed: int = 7, level: int = 1) -> Drill:
    return Drill(seed, level, "", (Tag.DATA, Tag.LEAF), Ending.RIGHT)


def told(
    record: DrillRecord,
    *,
    right: bool,
    of: Drill | None = None,
    sureness: Sureness = Sureness.SURE,
    day: int = TODAY,
) -> DrillRecord:
    return record_after(record, DrillAnswer(of or drill(level=record.level), right, sureness, day))


def simulated(share: float, sureness: Sureness = Sureness.SURE, count: int = 400) -> list[int]:
    """Return the levels that a learner goes through who is right in this share of all cases."""
    random, record, levels = Random(1), DrillRecord(), []
    for _ in range(count):
        wanted = choose_next(record, random)
        shown = drill(wanted.seed, wanted.level)
        right = random.random() < share
        record = told(record, right=right, of=shown, sureness=sureness)
        levels.append(record.level)
    return levels


# The staircase.


def test_who_is_always_right_is_at_the_top_after_two_drills_a_level() -> None:
    levels = simulated(1.0)

    assert levels.index(LEVELS) == 2 * (LEVELS - 1) - 1
    assert set(levels[levels.index(LEVELS) :]) == {LEVELS}


def test_who_guesses_among_four_stays_low() -> None:
    levels = simulated(0.25)

    assert sum(levels) / len(levels) < 1.3
    assert max(levels) <= 3


def test_who_says_that_it_is_a_guess_is_not_lifted_by_luck() -> None:
    assert set(simulated(1.0, Sureness.GUESS)) == {1}


def test_who_knows_most_of_it_ends_up_between() -> None:
    levels = simulated(0.7)[100:]

    assert 2 < sum(levels) / len(levels) < 4.5


def test_a_wrong_answer_leads_one_level_down_and_starts_the_row_over() -> None:
    record = told(DrillRecord(level=4, streak=1), right=False)

    assert (record.level, record.streak) == (3, 0)


def test_an_easier_program_lifts_nobody_and_a_harder_one_sinks_nobody() -> None:
    before = DrillRecord(level=3, streak=1)

    assert told(before, right=True, of=drill(level=2)).level == 3
    assert told(before, right=False, of=drill(level=5)).level == 3


# What comes back.


def missed(level: int = 1) -> DrillRecord:
    return told(DrillRecord(), right=False, of=drill(level=level))


def with_more(record: DrillRecord, count: int) -> DrillRecord:
    for number in range(count):
        record = told(record, right=True, of=drill(seed=1000 + number))
    return record


def comes_back(record: DrillRecord) -> bool:
    return choose_next(record, Random(1)) == NextDrill(7, 1, repeat=True)


def test_a_confident_miss_comes_back_after_a_while() -> None:
    record = missed()
    waited = 0
    while not comes_back(record):
        record = with_more(record, 1)
        waited += 1

    assert waited == BACK_AFTER


@pytest.mark.parametrize("sureness", [Sureness.THINK, Sureness.GUESS])
def test_who_was_not_sure_is_not_asked_again(sureness: Sureness) -> None:
    record = told(DrillRecord(), right=False, sureness=sureness)

    assert record.repeats == []


def test_once_it_is_right_it_is_the_reviews() -> None:
    record = told(with_more(missed(), BACK_AFTER), right=True, of=drill())

    assert record.repeats == []


@pytest.mark.parametrize(
    ("right", "sureness"), [(False, Sureness.GUESS), (True, Sureness.GUESS), (False, Sureness.SURE)]
)
def test_until_it_is_right_and_no_guess_it_comes_back_again(
    right: bool, sureness: Sureness
) -> None:
    record = told(with_more(missed(), BACK_AFTER), right=right, of=drill(), sureness=sureness)

    assert [each.due - record.total.answered for each in record.repeats] == [BACK_AFTER]


def test_new_programs_come_between_two_that_come_back() -> None:
    record = missed()
    for seed in range(20, 24):
        record = told(record, right=False, of=drill(seed))
    record = with_more(record, 10)
    repeats = []
    for number in range(9):
        wanted = choose_next(record, Random(number))
        repeats.append(wanted.repeat)
        record = told(record, right=True, of=drill(wanted.seed, wanted.level))

    assert repeats == [True, *[False] * APART] * 3


def test_what_another_grammar_made_does_not_come_back() -> None:
    other = Repeat(seed=7, level=1, grammar=VERSION + 1, due=0)

    assert not choose_next(DrillRecord(repeats=[other], fresh=9), Random(1)).repeat


def test_one_who_is_always_sure_and_wrong_does_not_fill_the_file() -> None:
    record = DrillRecord()
    for seed in range(200):
        record = told(record, right=False, of=drill(seed))

    assert len(record.repeats) == MAX_REPEATS


# What is counted.


def test_answers_are_counted_by_concept_and_by_sureness() -> None:
    record = told(told(DrillRecord(), right=True), right=False, sureness=Sureness.GUESS)

    assert record.total == Tally(answered=2, right=1)
    assert record.concepts == {tag: Tally(answered=2, right=1) for tag in ("data", "leaf")}
    assert record.sureness == {
        Sureness.SURE: Tally(answered=1, right=1),
        Sureness.GUESS: Tally(answered=1, right=0),
    }


def test_what_may_come_next_is_known_before_the_answer() -> None:
    """So that it can be prepared meanwhile."""
    record = DrillRecord(level=2, streak=1)
    either = (DrillAnswer(drill(level=2), way, Sureness.THINK, TODAY) for way in (True, False))

    assert [record_after(record, answered).level for answered in either] == [3, 1]
