"""On generated programs, what the project says is what torch alone does.

A sample by default; with `GENERATED=all`, as `make generated` has it, every one.
"""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from generated.judging import Oracle, disagreements, oracle, refuted
from generated.loops import loops
from generated.programs import PLACES, Generated, programs
from generated.twins import twins
from generated.writes import HOWS
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALL = [*programs(), *loops()]
random.Random(0).shuffle(ALL)  # every n-th of them must not be of the same kind
EVERY = os.environ.get("GENERATED") == "all"
PARTS = 48 if EVERY else 9
"""Tests that the programs are spread over, so that two processes can share them."""

SAMPLE = 90
SEED = os.environ.get("GENERATED_SEED", "1")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def torch_alone() -> AsyncIterator[Oracle]:
    """One process that asks torch, for all tests here."""
    async with oracle() as asked:
        yield asked


def chosen(part: int) -> list[Generated]:
    """Return the programs of one part: all of them, or as many of each way to write."""
    spread = ALL[part::PARTS]
    if EVERY:
        return spread
    draw = random.Random(f"{SEED}/{part}")
    each = SAMPLE // PARTS // (len(HOWS) + 1)
    kinds = [[p for p in spread if f"| {how} |" in p.name] for how in HOWS]
    kinds.append([p for p in spread if p.name.count("|") == 1])
    return [program for kind in kinds for program in draw.sample(kind, each)]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.whole(every=9)
async def test_outcome_and_culprit_are_those_of_torch_and_of_the_generator(
    worker: Worker, torch_alone: Oracle, part: int
) -> None:
    found = await disagreements(worker, torch_alone, chosen(part))

    again = "" if EVERY else f"GENERATED_SEED={SEED} shows this again\n"
    assert not found, again + "\n".join(map(str, found))


TWINS = list(twins())


@pytest.mark.parametrize("part", range(50))
@pytest.mark.whole
async def test_no_twin_refutes_what_is_said_of_a_program(
    worker: Worker, torch_alone: Oracle, part: int
) -> None:
    """Not "right", no accusation, and no fix."""
    found = {each.name: await refuted(worker, torch_alone, each) for each in TWINS[part::50]}

    assert not {name: reasons for name, reasons in found.items() if reasons}


async def test_there_are_programs_of_every_combination() -> None:
    assert len({program.name for program in ALL}) == len(ALL) > 2000
    assert len({program.source for program in ALL}) == len(ALL)
    for how in HOWS:
        for place in PLACES:
            assert any(program.name.endswith(f"| {how} | {place}") for program in ALL)


async def test_the_oracle_is_not_blind(torch_alone: Oracle) -> None:
    """It tells all four outcomes apart, where there is no doubt about them."""
    head = "import torch\na = torch.ones(2, requires_grad=True)\nx = a * 1\ny = x.exp()\n"
    writes = {
        "right": "y = y + 1",
        "wrong": "y.data.add_(1)",
        "raises_in_backward": "y.add_(1)",
        "raises_before": "a.add_(1)",
    }

    for outcome, write in writes.items():
        answer = await torch_alone.answer(f"{head}{write}\ny.sum().backward()\n")

        assert answer.outcome == outcome
