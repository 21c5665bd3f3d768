"""How long it takes until `explain` has a fix for a training that fails at its end.

What counts is how many plain runs of the same program take as long: one is made before and one
after, in the same worker, so that what else the machine does meets all three. Exits with 1
where the promise is broken.

    python benches/fixing.py                20 seconds of training
    python benches/fixing.py --seconds 4    less
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from statistics import mean
from time import perf_counter

from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.drive.explain import DIGESTS_ONLY, Options, explain
from inplace_tui.diagnosis.drive.runs import evidence, warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from perceptron import faulty

PROMISED = 12.0
"""Plain runs, at most."""

WIDTH = 128
TRIED = 400
"""Steps by which it is guessed how many fill the time."""


def program(steps: int) -> Program:
    return Program(source=faulty(WIDTH, batch=256, steps=steps), origin=Origin.OWN)


async def plain(worker: Worker, steps: int) -> float:
    """Return the seconds of a run that nobody watches."""
    began = perf_counter()
    await evidence(worker, program(steps), Mode.BARE, Limits(seconds=None), DIGESTS_ONLY)
    return perf_counter() - began


async def main(seconds: float) -> int:
    """Print the ratio; return 0 if what is promised is kept."""
    async with warm_worker() as worker:
        await plain(worker, TRIED)
        steps = round(TRIED * seconds / await plain(worker, TRIED))
        before = await plain(worker, steps)
        began = perf_counter()
        case = await explain(worker, program(steps), Options(budget=PROMISED * before))
        taken = perf_counter() - began
        once = mean((before, await plain(worker, steps)))
    ratio = taken / once
    print(f"{steps} steps of width {WIDTH}: a plain run {once:.1f} s")
    print(f"  {case.runs} runs until a fix was known, {taken:.1f} s")
    print(f"  until then / plain  {ratio:5.2f}  promised {PROMISED:g}")
    kept = bool(case.fixes) and ratio <= PROMISED
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    sys.exit(asyncio.run(main(parser.parse_args().seconds)))
