"""A letter typed into the editor at 120x40: a program of 40 lines, and one of 2,000.

Letters take turns in the two, each in the middle of the program. What is compared is the
processor time of the screen's process, to the last byte of the redraw. Textual's own text area
asks the parser about all of a program at every key, and draws all that is in view. Exits with 1
where a promise is broken.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

from explain import machine
from steps import processor
from terminals import Timed, tool

RATIO = 1.5
"""Cost of a letter in the long program for one in the short one, at most."""

FRAME = 16.7
"""Milliseconds of a core that a letter may take in the median: who types fast sees each of them."""

LINE = "t{n} = (torch.ones(3, requires_grad=True) * {n}).exp()  # a comment\n"
SIZES = {"40 lines": 40, "2,000 lines": 2_000}


class Cost(NamedTuple):
    """What a letter took, in milliseconds."""

    processor: float
    wall: float


def opened(lines: int, folder: Path) -> Timed:
    """Open a program of so many lines in the editor, with the cursor in its middle."""
    folder.mkdir()
    path = folder / "typed.py"
    path.write_text("import torch\n" + "".join(LINE.format(n=n) for n in range(lines)))
    command = [tool("inplace-tui"), "sandbox", str(path)]
    screen = Timed(command, INPLACE_TUI_HOME=str(folder)).__enter__()
    screen.wait_for("import torch", "quit")
    screen.until_silent(1.0)
    for _ in range(lines // 2 // 30 + 1):
        screen.press("\x1b[6~", 0.1)
    screen.press("\x1b[F", 0.1)
    screen.type("  # ")  # what follows is proposed nothing for
    screen.until_silent(1.0)
    return screen


def letter(screen: Timed, key: str) -> Cost:
    """Type a letter; return what it took."""
    screen.until_silent(0.05)
    before = processor(screen)
    seconds = screen.press(key).seconds
    screen.until_silent(0.05)
    return Cost((processor(screen) - before) * 1e3, seconds * 1e3)


def main(count: int) -> int:
    """Measure; return 0 if what is promised is kept."""
    print(machine())
    taken: dict[str, list[Cost]] = {name: [] for name in SIZES}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        screens = {}
        for name, lines in SIZES.items():
            screens[name] = opened(lines, Path(folder) / str(lines))
            stack.push(screens[name].__exit__)
        for turn in range(count):
            for name, screen in screens.items():
                taken[name].append(letter(screen, "abcdefgh"[turn % 8]))
    costs = {name: median(each.processor for each in found) for name, found in taken.items()}
    print(f"a letter, 120x40, median of {count}:")
    for name, found in taken.items():
        wall = median(each.wall for each in found)
        least = min(each.processor for each in found)
        print(
            f"  {name:12} {costs[name]:.1f} ms of a core (least {least:.1f}); drawn in {wall:.0f}"
        )
    short, long = costs.values()
    print(f"  long / short: {long / short:.2f}")
    kept = long / short <= RATIO and max(costs.values()) <= FRAME
    print("kept" if kept else f"NOT KEPT: above {RATIO}, or {FRAME} ms")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--letters", type=int, default=100)
    sys.exit(main(parser.parse_args().letters))
