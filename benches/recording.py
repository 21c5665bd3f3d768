"""What a recorded line costs, beside other ways to look at every line of the same program.

A program times its own loop, by the time that its process had a core: so what else the
machine does counts for little, and imports and start count for nothing. The repetitions
take turns. Exits with 1 where a promise is broken.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter

from explain import Peer, machine, peer
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.step import Printed
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.drive.runs import record, warm_worker
from inplace_tui.diagnosis.runner.worker import Worker
from thirty import LINES, contained, idle, inside, making, sized, writing

KINDS = (
    ("idle", idle),
    ("writing", writing),
    ("a node", making),
    ("function", inside),
    ("in a dict", contained),
)
"""What lines do."""

PROMISED = 100
"""Microseconds of a core that a line takes, at most, whatever it does."""

SIZE = 1.3
"""Cost of a line beside a tensor of 10^8 elements for one beside 10^4, at most."""

ROUNDS = 200
STEPS = 100_000
MAX_GROWTH = 300 * 2**20
"""Bytes that so many steps may take in the process that holds them."""

LIMITS = Limits(seconds=600, steps=2 * STEPS)


async def recorded(worker: Worker, source: str) -> Timeline:
    """Record a program that must run to its end."""
    timeline = await record(worker, Program(source=source, origin=Origin.OWN), LIMITS)
    assert isinstance(timeline.outcome, Completed), timeline.outcome
    assert not timeline.faults, timeline.faults[0]
    return timeline


async def ours(worker: Worker, source: str) -> float:
    """Return the seconds that a program says its loop took while it was recorded."""
    timeline = await recorded(worker, source)
    said = [e.text for step in timeline.steps for e in step.events if isinstance(e, Printed)]
    return float("".join(said))


async def lines(worker: Worker, other: Peer, repetitions: int) -> bool:
    """Print what a line costs in each way; return whether the promise is kept."""
    kept = True
    for name, program in KINDS:
        source, taken = program(ROUNDS), defaultdict[str, list[float]](list)
        # The tracer looks into nothing: a dictionary is for it as if it were not there.
        seen = writing(ROUNDS) if program is contained else source
        for _ in range(repetitions):
            for how in ("alone", "traced", "bdb", "looking"):
                taken[how].append(other.ask(how, seen))
            taken["recorded"].append(await ours(worker, source))
        each = {how: median(of) / (ROUNDS * LINES) * 1e6 for how, of in taken.items()}
        least = min(taken["recorded"]) / (ROUNDS * LINES) * 1e6
        ratio = each["recorded"] / each["looking"]
        kept &= each["recorded"] <= PROMISED
        print(
            f"  {name:9} {ratio:5.2f}"
            f"  recorded {each['recorded']:.0f} us (least {least:.0f}, at most {PROMISED})"
            f"  looking at all {each['looking']:.0f}  bdb {each['bdb']:.1f}"
            f"  empty tracer {each['traced']:.1f}  alone {each['alone']:.1f}"
        )
    return kept


async def sizes(worker: Worker, repetitions: int) -> bool:
    """Print what a line costs beside a large tensor, against a small one."""
    taken = defaultdict[int, list[float]](list)
    for _ in range(repetitions):
        for count in (10**4, 10**8):
            taken[count].append(await ours(worker, sized(ROUNDS, count)))
    ratio = median(taken[10**8]) / median(taken[10**4])
    each = [f"{median(of) / (ROUNDS * LINES) * 1e6:.0f}" for of in taken.values()]
    print(f"a tensor of 10^8 elements / of 10^4: {ratio:.2f}  {each[1]} us / {each[0]} us a line")
    return ratio <= SIZE


async def long(worker: Worker) -> bool:
    """Print what very many steps take in the process that holds them."""
    gc.collect()
    before, began = resident(), perf_counter()
    timeline = await recorded(worker, writing(STEPS // LINES))
    seconds, grown = perf_counter() - began, resident() - before
    count = len(timeline.steps)
    print(
        f"{count:,} steps that write: {seconds:.1f} s, {grown / 2**20:.0f} MiB to hold them"
        f" ({grown / count:.0f} bytes each)"
    )
    return grown <= MAX_GROWTH


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (line,) = (each for each in status.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


async def main(repetitions: int) -> int:
    """Measure all; return 0 if what is promised is kept."""
    print(machine())
    async with warm_worker() as worker:
        with peer() as other:
            print(f"a recorded line / a tracer that reads the 30 tensors, median of {repetitions}:")
            kept = await lines(worker, other, repetitions)
        kept &= await sizes(worker, repetitions)
        kept &= await long(worker)
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7)
    sys.exit(asyncio.run(main(parser.parse_args().repetitions)))
