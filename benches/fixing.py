"""How long it takes until `explain` names the line, and has a fix, for a training that fails late.

What counts is how many plain runs of the same program take as long: one is made before and one
after, in the same worker, so that what else the machine does meets all of them; and a run under
anomaly mode, which names one line. Exits with 1 where the promise is broken.

    python benches/fixing.py                      10 seconds of training
    python benches/fixing.py --seconds 1 10 60    several
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from statistics import mean
from time import perf_counter

from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.drive.explain import DIGESTS_ONLY, Options, Progress, explain
from inplace_tui.diagnosis.drive.runs import evidence, warm_worker
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.worker import Worker
from perceptron import faulty

NAMED = 1.3
"""Plain runs, at most, until the line is named."""

FIXED, MORE = 2.5, 10.0
"""Plain runs, at most, and seconds beside them, until a fix has held."""

WIDTH = 128
TRIED = 400
"""Steps by which it is guessed how many fill the time."""


def program(steps: int, *, anomaly: bool = False) -> Program:
    source = faulty(WIDTH, batch=256, steps=steps)
    if anomaly:
        source = source.replace("for step", "torch.autograd.set_detect_anomaly(True)\nfor step")
    return Program(source=source, origin=Origin.OWN)


async def plain(worker: Worker, steps: int, *, anomaly: bool = False) -> float:
    """Return the seconds of a run that nobody watches."""
    began = perf_counter()
    ran = program(steps, anomaly=anomaly)
    await evidence(worker, ran, Mode.BARE, Limits(seconds=None), DIGESTS_ONLY)
    return perf_counter() - began


async def measure(seconds: float) -> bool:
    """Print what one length takes; return whether what is promised is kept."""
    named: list[float] = []
    fixed: list[float] = []

    def told(progress: Progress) -> None:
        if isinstance(progress, Case) and progress.blame is not None:
            named.append(perf_counter() - began)
        elif isinstance(progress, FixSearch) and progress.found:
            fixed.append(perf_counter() - began)

    async with warm_worker() as worker:
        await plain(worker, TRIED)
        steps = round(TRIED * seconds / await plain(worker, TRIED))
        before = await plain(worker, steps)
        began = perf_counter()
        case = await explain(worker, program(steps), Options(), told)
        whole = perf_counter() - began
        once = mean((before, await plain(worker, steps)))
        anomaly = await plain(worker, steps, anomaly=True)
    print(f"{steps} steps of width {WIDTH}: plain {once:.1f} s, anomaly mode {anomaly:.1f} s")
    kept = bool(named and fixed)
    if kept:
        kept = named[0] <= NAMED * once and fixed[0] <= FIXED * once + MORE
        print(f"  line named     {named[0]:6.1f} s  {named[0] / once:5.2f}  promised {NAMED:g}")
        print(f"  first fix      {fixed[0]:6.1f} s  {fixed[0] / once:5.2f}  {FIXED:g} and 10 s")
    print(f"  all was said   {whole:6.1f} s  {whole / once:5.2f}  {case.runs} runs")
    print("kept" if kept else "NOT KEPT")
    return kept


async def main(lengths: list[float]) -> int:
    return 0 if all([await measure(each) for each in lengths]) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[10.0])
    sys.exit(asyncio.run(main(parser.parse_args().seconds)))
