"""A letter typed into a program of 2,000 lines at 120x40, beside Textual's own text area.

That asks the parser about all of a program at every key, and draws all that is in view; ours
has panels, notes and what is proposed around it. Letters take turns in the two, in the middle
of the program. What is compared is the processor time of the screen's process. Exits with 1
where the promise is broken.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from explain import machine
from steps import processor
from terminals import Timed, tool

PROMISED = 0.5
"""Cost of a letter for one in Textual's own area, at most, in the median."""

LINES = 2_000
LINE = "t{n} = (torch.ones(3, requires_grad=True) * {n}).exp()  # a comment\n"
OURS, PEER = "ours", "Textual's own"


def in_the_middle(screen: Timed) -> Timed:
    """Put the cursor at the end of a line there, in a comment."""
    screen.wait_for("import torch")
    screen.until_silent(1.0)
    for _ in range(LINES // 2 // 30):
        screen.press("\x1b[6~", 0.1)
    screen.press("\x1b[F", 0.1)
    screen.until_silent(1.0)
    return screen


def letter(screen: Timed, key: str) -> float:
    """Type a letter; return the milliseconds of a core that it took."""
    screen.until_silent(0.05)
    before = processor(screen)
    screen.press(key)
    screen.until_silent(0.05)
    return (processor(screen) - before) * 1e3


def main(count: int) -> int:
    """Measure; return 0 if what is promised is kept."""
    print(machine())
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder) / "typed.py"
        path.write_text("import torch\n" + "".join(LINE.format(n=n) for n in range(LINES)))
        # A cursor that blinks would never be silent.
        still = {"INPLACE_TUI_HOME": folder, "TEXTUAL_ANIMATIONS": "none"}
        commands = {
            OURS: [tool("inplace-tui"), "sandbox", str(path)],
            PEER: [sys.executable, str(Path(__file__).with_name("area.py")), str(path)],
        }
        screens = {
            name: in_the_middle(stack.enter_context(Timed(command, answering=True, **still)))
            for name, command in commands.items()
        }
        taken: dict[str, list[float]] = {name: [] for name in screens}
        for turn in range(count):
            for name, screen in screens.items():
                taken[name].append(letter(screen, "abcdefgh"[turn % 8]))
    print(f"a letter in {LINES:,} lines, 120x40, median of {count}:")
    for name, found in taken.items():
        print(f"  {name:14} {median(found):6.1f} ms of a core (least {min(found):.1f})")
    ratio = median(taken[OURS]) / median(taken[PEER])
    kept = ratio <= PROMISED
    print(f"  {OURS} / {PEER}: {ratio:.2f}\n{'kept' if kept else f'NOT KEPT: above {PROMISED}'}")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--letters", type=int, default=100)
    sys.exit(main(parser.parse_args().letters))
