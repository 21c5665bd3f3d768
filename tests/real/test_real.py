"""Programs from public threads: is the culprit named, is there a fix, is it the author's?

`make real` judges all of them and prints the table; here a few are judged.
"""

from __future__ import annotations

import os
import sys

import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.runner.worker import Worker
from real.judging import REAL, RealProgram, judged

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAMPLE = ("hidden-states-of-phi", "gan-fits-sine", "descent-by-hand")
WHOLE = os.environ.get("REAL") == "all"
NAMED, FIXED, EQUIVALENT = 0.95, 0.95, 0.8
"""Parts of all programs of which the culprit must be named, for which there must be a fix, and
the author's or its equal first."""


@pytest.mark.parametrize(
    "real", [each for each in REAL if each.name in SAMPLE], ids=lambda each: each.name
)
@pytest.mark.whole(every=3)
async def test_the_first_fix_is_the_author_s_or_does_the_same(
    worker: Worker, real: RealProgram
) -> None:
    found = await judged(worker, real)

    assert (found.named, found.fixed, found.equivalent) == (True, True, True), found


@pytest.mark.skipif(not WHOLE, reason="make real judges all of them")
async def test_what_holds_of_all_programs(worker: Worker) -> None:
    found = {each.name: await judged(worker, each) for each in REAL}

    rows = [
        f"{' '.join('-x'[bool(judgement[at])] for at in range(3))}  {name}: {judgement.first}"
        for name, judgement in found.items()
    ]
    counts = [sum(bool(judgement[at]) for judgement in found.values()) for at in range(3)]
    total = "named {}, fixed {}, equivalent {}, of {}".format(*counts, len(found))
    sys.stdout.write("\n".join(["", *rows, total, ""]))
    assert counts[0] >= NAMED * len(found)
    assert counts[1] >= FIXED * len(found)
    assert counts[2] >= EQUIVALENT * len(found)


@pytest.mark.skipif(not WHOLE, reason="make real runs all of them")
async def test_every_program_fails_and_its_author_s_does_not(worker: Worker) -> None:
    async def runs(source: str) -> bool:
        program = Program(source=source, origin=Origin.OWN, seed=0)
        ended = await evidence(worker, program, Mode.BARE, Limits(seconds=60.0))
        return isinstance(ended.outcome, Completed)

    for real in REAL:
        assert not await runs(real.program), real.name
        assert await runs(real.mended), real.name
