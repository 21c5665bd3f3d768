"""A key while a run computes on every core: how soon is it answered, and a bare app's key.

A program multiplies matrices in as many processes as there are cores, for ten seconds,
while its lines are recorded. Keys come about every 100 ms. Beside it a bare Textual app
counts keys on another terminal, under the same load. Exits with 1 where the promise is broken.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

from explain import machine
from figures import percentile
from terminals import Timed, tool

PROMISED = 0.05
"""Seconds in which nineteen of twenty keys are answered."""

COUNTER = Path(__file__).with_name("counter.py")

PROGRAM = """\
import multiprocessing, os, time, torch
def compute(until):
    torch.set_num_threads(1)
    a = torch.ones(300, 300)
    while time.time() < until:
        a = (a @ a).tanh()
until = time.time() + {seconds}
for _ in range(len(os.sched_getaffinity(0)) - 1):
    if os.fork() == 0:
        compute(until)
        os._exit(0)
a = torch.ones(300, 300)
while time.time() < until:
    b = a @ a
    a = b.tanh()
"""


def keys(screen: Timed, other: Timed, seconds: float) -> tuple[list[float], list[float]]:
    """Press keys on both terminals in turn, for so long; return how long each took."""
    mine: list[float] = []
    theirs: list[float] = []
    chance = random.Random(0)
    end = perf_counter() + seconds
    while perf_counter() < end:
        mark = "is shown" if len(mine) % 2 == 0 else "is hidden"
        for taken, where, pressed, seen in (
            (mine, screen, "p", mark),
            (theirs, other, "x", f"keys: {len(theirs) + 1}"),
        ):
            where.settle(0.0)
            taken.append(where.answer(pressed, seen))
            sleep(chance.uniform(0.02, 0.08))
    return mine, theirs


def main(seconds: float) -> int:
    """Measure; return 0 if what is promised is kept."""
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "busy.py"
        path.write_text(PROGRAM.format(seconds=seconds + 4))
        with (
            Timed([tool("inplace-tui"), "sandbox", str(path)], INPLACE_TUI_HOME=name) as screen,
            Timed([sys.executable, str(COUNTER)]) as other,
        ):
            other.wait_for("keys: 0")
            screen.wait_for("import multiprocessing", "run")
            screen.type("\x12")
            screen.wait_for("steps")
            sleep(1)
            mine, theirs = keys(screen, other, seconds)
    ours, peer = percentile(mine, 95), percentile(theirs, 95)
    # On a machine that is busy with other things, nobody's key is answered in time.
    kept = ours <= max(PROMISED, 1.5 * peer)
    print(f"a key while a run computes on every core, {len(mine)} keys, 95 of 100 answered within:")
    print(
        f"  {ours * 1e3:.1f} ms, median {median(mine) * 1e3:.1f}"
        f"  (a bare app: {peer * 1e3:.1f} ms, median {median(theirs) * 1e3:.1f};"
        f" ratio {ours / peer:.2f})"
    )
    print("kept" if kept else f"NOT KEPT: above {PROMISED * 1e3:.0f} ms")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    sys.exit(main(parser.parse_args().seconds))
