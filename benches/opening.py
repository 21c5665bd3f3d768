"""How soon something is seen: the first frame, the contents, a lesson's first recorded line.

The peers are a Textual app of three widgets, `python -c "import torch"`, and `--version` for
`list`, which has the course compiled as after its first use; a start in Chinese, with its
catalogue to read, is held against one in English by the CPU that `--help` takes. Each is a
process of its own on a terminal of 120x40, from the call to execute it to the last byte
of what is waited for; the repetitions take turns. Exits with 1 where a promise is broken.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter

from explain import machine
from terminals import Timed, tool

FRAME = 1.3
"""Time to the first frame for one of the bare app, at most."""

LISTED = 1.5
"""Time until the contents are listed for the first frame of the bare app, at most."""

LIST = 3.0
"""Time of `list` for that of `--version`, at most."""

LINE = 1.15
"""Time to the first recorded line for one of importing torch, at most."""

CHINESE = 1.05
"""CPU of a start in Chinese for one in English, at most."""

BARE = Path(__file__).with_name("bare.py")
LESSON = "saved-output"


def our_frame(home: str, *, answering: bool, waiting_for: tuple[str, ...]) -> float:
    """Return the seconds until the contents show something, for somebody who was here before."""
    Path(home, "progress.json").write_text('{"schema": 1, "introduced": true}')
    command = [tool("inplace-tui")]
    with Timed(command, answering=answering, INPLACE_TUI_HOME=home) as screen:
        return screen.wait_for(*waiting_for) - screen.began


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


def taken_by(argument: str, home: str) -> float:
    """Return the seconds that a command takes."""
    environment = {**os.environ, "INPLACE_TUI_HOME": home}
    began = perf_counter()
    subprocess.run(
        [tool("inplace-tui"), argument], check=True, stdout=subprocess.DEVNULL, env=environment
    )
    return perf_counter() - began


def cpu_of_help(language: str) -> float:
    """Return the seconds of CPU that a start takes which says something and ends."""
    environment = {**os.environ, "LC_ALL": f"{language}.UTF-8"}
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(
        [tool("inplace-tui"), "--help"], check=True, stdout=subprocess.DEVNULL, env=environment
    )
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


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
    shown = (("first frame", ("Contents", "quit"), FRAME), ("contents listed", ("1  ",), LISTED))
    with tempfile.TemporaryDirectory() as home:
        for what, texts, promised in shown:
            for answering, which in ((True, "answers"), (False, "is silent")):
                kept &= compared(
                    f"{what} / a bare Textual app's first frame, on a terminal that {which}",
                    partial(our_frame, home, answering=answering, waiting_for=texts),
                    partial(bare_frame, answering=answering),
                    times,
                    promised,
                )
        kept &= compared(
            "list / --version",
            partial(taken_by, "list", home),
            partial(taken_by, "--version", home),
            times,
            LIST,
        )
    chinese, english = (partial(cpu_of_help, each) for each in ("zh_CN", "en_US"))
    kept &= compared("CPU of --help in Chinese / in English", chinese, english, 30, CHINESE)
    name = f"first recorded line of `lesson {LESSON}` / import torch"
    kept &= compared(name, our_line, torch_import, times, LINE)
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=11)
    sys.exit(main(parser.parse_args().repetitions))
