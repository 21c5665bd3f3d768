"""What 100,000 recorded steps cost a screen: work from a key to its redraw, and memory.

The program on a terminal, a loop that trains, all panels of 120x40 with the lanes among
them. The same keys are pressed at random steps of the long run and at step 10 of a short
one, in turns; the long run's may not take longer. What is compared is the processor time
of the screen's process: on a machine that is busy with other things the time on the wall
says more of them. Exits with 1 where a promise is broken.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
from collections import defaultdict
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from explain import machine
from terminals import Timed

RATIO = 1.5
"""Cost of a key at a random step for one at step 10 of a short run, at most. More digits,
longer letters and later names are drawn, which is bytes and not steps."""

MAX_MB = 300
"""Megabytes that the screen's process may have, torch apart: it is not in it."""

STEPS = 100_000
SHORT = 300
"""Steps of the short run: so many that a column of its lanes stands for more than one, and
moving by a column shows another moment there, too."""

LOOP = """\
import torch
x = torch.zeros(3)
for i in range({rounds}):
    x.add_(1)
"""
TRAINING = """\
import torch
torch.manual_seed(0)
lin = torch.nn.Linear(4, 4)
opt = torch.optim.SGD(lin.parameters(), lr=0.01)
x = torch.ones(2, 4)
for i in range({rounds}):
    opt.zero_grad()
    h = lin(x).relu()
    loss = h.sum()
    loss.backward()
    opt.step()
"""
PROGRAMS = {"loop": (LOOP, 2), "training": (TRAINING, 6)}
"""By name: a program and the lines of its loop."""

STREAMED = 0.3
"""Seconds in which a key must be answered while steps arrive, at the 95th percentile."""


def screen(path: str) -> None:
    """Be the program, with more time for its runs than learners have to wait."""
    from inplace_tui.cli import main  # noqa: PLC0415
    from inplace_tui.common.run.program import Limits  # noqa: PLC0415
    from inplace_tui.tutorial.drive import session_runner  # noqa: PLC0415

    vars(session_runner)["Limits"] = partial(Limits, seconds=600.0)
    sys.argv = ["inplace-tui", "sandbox", path]
    main()


def processor(screen: Timed) -> float:
    """Return the seconds that a program's threads had a processor."""
    threads = Path(f"/proc/{screen.process.pid}/task").glob("*/schedstat")
    return sum(int(each.read_text(encoding="utf-8").split()[0]) for each in threads) / 1e9


class Cost(NamedTuple):
    """What a key took."""

    step: int
    """Where it led to."""

    processor: float
    """Seconds of a core."""

    wall: float
    """Seconds to the last byte of its redraw."""


class Long(Timed):
    """The program with one run."""

    def __init__(self, source: str, folder: Path) -> None:
        path = folder / "program.py"
        path.write_text(source, encoding="utf-8")
        super().__init__(
            [sys.executable, __file__, "--screen", str(path)], INPLACE_TUI_HOME=str(folder)
        )

    def run(self) -> list[float]:
        """Run the program, and step while it runs; return what those keys took."""
        self.wait_for("import torch")
        self.type("\x12")
        taken: list[float] = []
        while "checking" in self.text or not re.search(r"step \d+/\d+", self.text):
            self.until_silent(0.05)
            if re.search(r"running.*steps", self.text):
                taken.append(self._answered(shown=len(taken) % 2 == 0))
        if len(taken) % 2:
            self._answered(shown=False)  # the same columns as where nothing was typed
        self.until_silent(1.0)
        self.press("6", 0.3)
        return taken

    def _answered(self, *, shown: bool) -> float:
        """Return how long it takes until a key has its effect, whatever else is drawn."""
        at = self.type("p")
        return self.wait_for(f"data_ptr is {'shown' if shown else 'hidden'}") - at

    def jump(self, step: int) -> Cost:
        """Go to a step by its number; return what the last key took."""
        self.press("#", 0.1)
        self.press(str(step), 0.1)
        return self.cost("\r")

    def cost(self, key: str) -> Cost:
        """Press a key; return what it took."""
        self.until_silent(0.1)
        before = processor(self)
        seconds = self.press(key).seconds
        self.until_silent(0.1)
        taken = processor(self) - before
        at = re.search(r"step (\d+)/", self.text)
        return Cost(int(at.group(1)) if at else 0, taken, seconds)

    def memory(self, field: str) -> float:
        """Return the megabytes of its process that are in memory (VmRSS), or were (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        (line,) = (each for each in status.splitlines() if each.startswith(field))
        return int(line.split()[1]) * 1024 / 1e6


def measure(name: str, count: int, repetitions: int, folder: Path) -> bool:
    """Print what a run of so many steps costs beside a short one; return if that is kept."""
    source, lines = PROGRAMS[name]
    short_folder, long_folder = folder / "short", folder / "long"
    short_folder.mkdir()
    long_folder.mkdir()
    taken = defaultdict[tuple[str, str], list[Cost]](list)
    with (
        Long(source.format(rounds=SHORT // lines), short_folder) as short,
        Long(source.format(rounds=(count - 10) // lines), long_folder) as long,
    ):
        short.run()
        streamed = sorted(long.run())
        for _ in range(repetitions):
            # The same line of the loop: each draws something else.
            later = 10 + lines * random.randrange((count - 20) // lines)
            for which, at, shown in (("short", 10, short), ("long", later, long)):
                taken["a jump", which].append(shown.jump(at))
                for what, key in (("a step", "n"), ("a step back", "N"), ("a column", ".")):
                    taken[what, which].append(shown.cost(key))
        for what, key in (("the start", "g"), ("the end", "G")):
            for which, shown in (("short", short), ("long", long)):
                for _ in range(repetitions):
                    shown.press("\x1b[D" if key == "G" else "\x1b[C")
                    taken[what, which].append(shown.cost(key))
        memory, peak = long.memory("VmRSS"), long.memory("VmHWM")
    kept = max(memory, peak) < MAX_MB
    print(
        f"{name}: {count:,} steps, {memory:.0f} MB in the screen's process ({MAX_MB} at most);"
        f" {peak:.0f} while its gradients were checked"
    )
    for what in dict.fromkeys(what for what, _ in taken):
        long_run, short_run = _alike(taken[what, "long"], taken[what, "short"], lines)
        if not long_run:
            kept = False
            print(f"  {what:12} led to the same line in none of the runs")
            continue
        mine, other = (median(c.processor for c in costs) for costs in (long_run, short_run))
        late, soon = (median(c.wall for c in costs) for costs in (long_run, short_run))
        kept &= mine / other <= RATIO
        cores = f"{mine * 1e3:.1f} ms / {other * 1e3:.1f} ms of a core"
        walls = f"{late * 1e3:.0f} ms / {soon * 1e3:.0f} ms"
        print(f"  {what:12} {mine / other:5.2f}  {cores}; redrawn after {walls}")
    if streamed:
        late = streamed[int(0.95 * (len(streamed) - 1))]
        kept &= late <= STREAMED
        print(
            f"  while steps arrive: median {median(streamed) * 1e3:.0f} ms,"
            f" 95th percentile {late * 1e3:.0f} ms of {len(streamed)} keys"
        )
    return kept


def _alike(some: list[Cost], others: list[Cost], lines: int) -> tuple[list[Cost], list[Cost]]:
    """Return those that led to a line to which some of the others led, too."""
    both = {each.step % lines for each in some} & {each.step % lines for each in others}
    first, second = ([c for c in costs if c.step % lines in both] for costs in (some, others))
    return first, second


def main(repetitions: int = 15, count: int = STEPS) -> int:
    """Measure all; return 0 if what is promised is kept."""
    print(machine())
    kept = True
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            kept &= measure(name, count, repetitions, Path(folder))
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--screen", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.screen:
        os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
        screen(asked.screen)
    else:
        sys.exit(main(asked.repetitions, asked.steps))
