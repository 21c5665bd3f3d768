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
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
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

HELD = 1.8
"""Memory of all processes, at most, for that of the worker and a plain run."""

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


def processes(root: int) -> Iterator[int]:
    """Yield the processes that one has started, and theirs."""
    for children in Path(f"/proc/{root}/task").glob("*/children"):
        for pid in map(int, children.read_text().split()):
            yield pid
            yield from processes(pid)


def held() -> int:
    """Return the bytes that our processes hold, what several share counted once."""
    total = 0
    for pid in processes(os.getpid()):
        with suppress(OSError, StopIteration):  # it has ended
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += int(next(each for each in lines if each.startswith("Pss:")).split()[1]) * 1024
    return total


@asynccontextmanager
async def most_held() -> AsyncIterator[list[int]]:
    """Look ten times a second; give a list of the most bytes so far."""
    most = [0]

    async def look() -> None:
        while True:
            most[0] = max(most[0], held())
            await asyncio.sleep(0.1)

    looking = asyncio.create_task(look())
    try:
        yield most
    finally:
        looking.cancel()


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
        async with most_held() as held_plain:
            before = await plain(worker, steps)
        async with most_held() as held_ours:
            began = perf_counter()
            case = await explain(worker, program(steps), Options(), told)
            whole = perf_counter() - began
        once = mean((before, await plain(worker, steps)))
        anomaly = await plain(worker, steps, anomaly=True)
    print(f"{steps} steps of width {WIDTH}: plain {once:.1f} s, anomaly mode {anomaly:.1f} s")
    memory = held_ours[0] / held_plain[0]
    print(f"  memory        {held_ours[0] / 1e6:5.0f} MB {memory:5.2f}  promised {HELD:g}")
    kept = bool(named and fixed and memory <= HELD)
    if named and fixed:
        kept &= named[0] <= NAMED * once and fixed[0] <= FIXED * once + MORE
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
