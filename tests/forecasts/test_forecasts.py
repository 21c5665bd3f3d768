"""At every step, what is read of a tensor's graph is what a replay does.

Of every lesson and of random programs with views and slices: a sample by default; with
`FORECASTS=all`, as `make forecasts` has it, all variants and 2,000 programs.
"""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from forecasts.by_replay import mistakes
from forecasts.judging import Found, judge
from forecasts.programs import program
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.runner.worker import Worker
from support.course import COURSE

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVERY = os.environ.get("FORECASTS") == "all"
SEED = os.environ.get("FORECASTS_SEED", "1")
PROGRAMS = 2_000
PARTS = 40 if EVERY else 8
"""Tests that they are spread over, so that two processes can share them."""

SAMPLE = 1
REPLAYED = 2
"""Of one random program, so many tensors are tried by replays of it."""

TAUGHT = [
    (f"{lesson.lesson.id} {variant or ''}", lesson.program(variant))
    for lesson in COURSE.lessons
    for variant in [None, *(each.id for each in lesson.lesson.variants)]
]


def numbers(part: int) -> list[int]:
    """Return which random programs belong to one part."""
    spread = list(range(part, PROGRAMS, PARTS))
    return spread if EVERY else spread[:SAMPLE]


def taught(part: int) -> list[tuple[str, Program]]:
    """Return which programs of lessons belong to one part."""
    return TAUGHT[part::PARTS] if EVERY else [TAUGHT[part * len(TAUGHT) // PARTS]]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.whole(every=8)
async def test_in_lessons_they_come_true(worker: Worker, part: int) -> None:
    total = Found()
    wrong: list[str] = []
    for name, lesson in taught(part):
        found = judge(lesson)
        total.add(found)
        wrong += [f"{name}: {each}" for each in found.contradictions]
        wrong += await _replayed(worker, lesson, found, name)

    print(total)  # noqa: T201 - the figures are what a full run is for
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.whole(every=8)
async def test_among_views_and_slices_they_come_true(worker: Worker, part: int) -> None:
    total = Found()
    wrong: list[str] = []
    for number in numbers(part):
        written = program(SEED, number)
        # Some with every try in a copy of the process, which is slow, and exact.
        found = judge(written, forked=number % 20 == 0)
        found.silent = random.Random(number).sample(
            found.silent, min(REPLAYED, len(found.silent)) if EVERY or number % 4 == 0 else 0
        )
        total.add(found)
        problems = found.contradictions + await _replayed(worker, written, found, str(number))
        if problems:
            wrong += [f"program {number} of seed {SEED}:", *problems, written.source]

    print(total)  # noqa: T201 - the figures are what a full run is for
    assert not wrong, f"FORECASTS_SEED={SEED} shows this again\n" + "\n".join(wrong)


async def test_the_judge_is_not_blind() -> None:
    """What is said after a silent write is not that all is well, and torch was really asked."""
    lines = "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\n"

    for write, kind in (
        ("y = y + 1", "Runs"),
        ("y.data.mul_(2)", "RunsWrong"),
        ("y += 1", "Raises"),
    ):
        found = judge(Program(source=f"{lines}{write}\n", origin=Origin.OWN))

        assert type(found.last["y"]).__name__ == kind
        assert found.contradictions == []
        assert found.said["not compared"] == 0


async def _replayed(worker: Worker, run: Program, found: Found, name: str) -> list[str]:
    """Return the forecasts of replays that differ from what torch does."""
    said: Counter[str] = Counter()
    return [f"{name}, replayed: {each}" for each in await mistakes(worker, run, found.silent, said)]
