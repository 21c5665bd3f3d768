"""A step at 120x40, from the key to the last byte of the redraw, against pudb's `n`.

The same program on the same terminal: thirty tensors, a graph of sixty nodes, and a loop
whose lines write. The steps take turns. Exits with 1 where the promise is broken.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from explain import machine
from figures import percentile
from terminals import Redraw, Timed, tool

PROMISED = 0.5
"""Time of a step for one of pudb's, at most, in the median."""

LINES = [f"t{i} = torch.ones(3, requires_grad=True)" for i in range(10)]
NODES = [f"t{10 + i} = t{i % 10} * {i + 2} + t{(i + 1) % 10}" for i in range(20)]
PROGRAM = "\n".join(
    [
        "import torch",
        *LINES,
        *NODES,
        "z = (t10 + t11 + t12 + t13 + t14 + t15 + t16 + t17 + t18 + t19).sum()",
        "n = torch.zeros(4)",
        "for i in range(100):",
        "    n.add_(1)",
        "    m = n * 2",
        "    n[0] = m[1]",
        "    k = i + 1",
        "",
    ]
)
FIRST = 33
"""Steps before the loop begins."""


@contextmanager
def ours(path: Path, home: Path) -> Iterator[Timed]:
    """Open the program in the sandbox, recorded, at its loop."""
    with Timed([tool("inplace-tui"), "sandbox", str(path)], INPLACE_TUI_HOME=str(home)) as screen:
        screen.wait_for("import torch", "quit")
        screen.settle(0.5)
        screen.type("\x12")
        screen.wait_for("534/534", "no gradient asked for")
        screen.settle(0.5)
        screen.type("g")
        screen.wait_for("0/534")
        for _ in range(FIRST):
            screen.press("n")
        screen.settle(0.3)
        yield screen


@contextmanager
def pudb(path: Path, home: Path) -> Iterator[Timed]:
    """Open the program in pudb, at its loop."""
    settings = home / "pudb" / "pudb.cfg"
    settings.parent.mkdir(parents=True)
    settings.write_text("[pudb]\nseen_welcome = z\nprompt_on_quit = False\n")
    with Timed([sys.executable, "-m", "pudb", str(path)], XDG_CONFIG_HOME=str(home)) as screen:
        screen.wait_for("import torch", "Variables")
        screen.settle(0.5)
        screen.type("n")
        screen.wait_for("torch: ")  # it takes seconds, and keys would be echoed meanwhile
        screen.settle(0.5)
        for _ in range(FIRST - 1):
            screen.press("n")
        screen.settle(0.3)
        yield screen


def steps(count: int) -> tuple[list[Redraw], list[Redraw]]:
    """Return so many steps of ours and of pudb's, taken in turn."""
    with tempfile.TemporaryDirectory() as name:
        home, path = Path(name), Path(name) / "stepped.py"
        path.write_text(PROGRAM)
        with ours(path, home / "ours") as mine, pudb(path, home / "theirs") as other:
            pairs = [(mine.press("n"), other.press("n")) for _ in range(count)]
    return [ours for ours, _ in pairs], [theirs for _, theirs in pairs]


def told(name: str, redraws: list[Redraw]) -> str:
    """Return what a step of one of them took."""
    taken = [each.seconds * 1e3 for each in redraws]
    sent = median(len(each.data) for each in redraws)
    return (
        f"{name} {median(taken):.1f} ms"
        f" (95 %: {percentile(taken, 95):.1f}, least {min(taken):.1f}; {sent:.0f} bytes)"
    )


def main(count: int) -> int:
    """Measure; return 0 if what is promised is kept."""
    print(machine())
    mine, other = steps(count)
    ratio = median(each.seconds for each in mine) / median(each.seconds for each in other)
    print(f"a step / a step of pudb, 120x40, median of {count}:")
    print(f"  {ratio:5.2f}  {told('inplace-tui', mine)}  {told('pudb', other)}")
    kept = ratio <= PROMISED
    print("kept" if kept else f"NOT KEPT: above {PROMISED}")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    sys.exit(main(parser.parse_args().steps))
