"""How soon something is seen: the first frame, and the first recorded line of a lesson.

The peers are a Textual app of three widgets, and `python -c "import torch"`. Each is a
process of its own on a terminal of 120x40, from the call to execute it to the last byte
of what is waited for; the repetitions take turns. Exits with 1 where a promise is broken.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from explain import machine
from terminals import Timed, tool

FRAME = 1.3
"""Time to the first frame for one of the bare app, at most."""

LINE = 1.15
"""Time to the first recorded line for one of importing torch, at most."""

BARE = Path(__file__).with_name("bare.py")
LESSON = "saved-output"


def our_frame(*, answering: bool) -> float:
    """Return the seconds until the contents are drawn, for somebody who was here before."""
    with tempfile.TemporaryDirectory() as home:
        Path(home, "progress.json").write_text('{"schema": 1, "introduced": true}')
        command = [tool("inplace-tui")]
        with Timed(command, answering=answering, INPLACE_TUI_HOME=home) as screen:
            return screen.wait_for("Contents", "quit") - screen.began


def bare_frame(*, answering: bool) -> float:
    """Return the seconds until the bare app is drawn."""
    with Timed([sys.executable, str(BARE)], answering=answering) as screen:
        return screen.wait_for("Bare", "one label", "quit") - screen.began


def our_line() -> float:
    """Return the seconds until a lesson's program is recorded and can be stepped through."""
    with (
        tempfile.TemporaryDirectory() as home,
        Timed([tool("inplace-tui"), "lesson", LESSON], INPLACE_TUI_HOME=home) as screen,
    ):
        return screen.wait_for("step 0", "y = x.exp()", "quit") - screen.began


def torch_import() -> float:
    """Return the seconds that a Python takes that imports torch and nothing else."""
    began = perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return perf_counter() - began


def compared(
    name: str, ours: Callable[[], float], peer: Callable[[], float], times: int, promised: float
) -> bool:
    """Print the ratio of the medians; return whether it is as promised."""
    ours(), peer()  # the first of each fills the caches, and is not counted
    pairs = [(ours(), peer()) for _ in range(times)]
    mine, other = ([pair[place] for pair in pairs] for place in (0, 1))
    ratio = median(mine) / median(other)
    spread = "  ".join(
        f"{who} {median(taken) * 1e3:.0f} ms (least {min(taken) * 1e3:.0f})"
        for who, taken in (("inplace-tui", mine), ("peer", other))
    )
    print(f"{name}: {ratio:.2f}  {spread}", flush=True)
    return ratio <= promised


def main(times: int) -> int:
    """Measure all; return 0 if what is promised is kept."""
    print(machine())
    kept = True
    for answering, which in ((True, "answers"), (False, "is silent")):
        kept &= compared(
            f"first frame / of a bare Textual app, on a terminal that {which}",
            partial(our_frame, answering=answering),
            partial(bare_frame, answering=answering),
            times,
            FRAME,
        )
    name = f"first recorded line of `lesson {LESSON}` / import torch"
    kept &= compared(name, our_line, torch_import, times, LINE)
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=11)
    sys.exit(main(parser.parse_args().repetitions))
