"""How long `explain` takes to name the line at fault of a training that fails at its end.

The program runs plain and under `explain` at the same time, each with one thread, so that
what else the machine does meets both. What counts is the CPU time of the program's own run,
which it prints when it comes to the failing backward, and what `explain` needs from there
until it has named the line. Exits with 1 where the promise is broken.

    python benches/long.py                  half a minute of layers of 256
    python benches/long.py --seconds 180    three minutes
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROMISED = 1.3
"""Seconds until the line is named, for each plain second."""

PROGRAM = """\
import sys, time, torch
width, steps = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(0)
layers = [torch.nn.Linear(width, width) for _ in range(4)]
model = torch.nn.Sequential(*(part for each in layers for part in (each, torch.nn.ReLU())))
optimizer = torch.optim.Adam(model.parameters())
given, wanted = torch.randn(64, width), torch.randn(64, width)
began = time.process_time()
for step in range(steps):
    optimizer.zero_grad()
    hidden = torch.sigmoid(model(given))
    loss = ((hidden - wanted) ** 2).mean()
    if step == steps - 1:
        hidden += 1
        print("took", time.process_time() - began, time.time(), flush=True)
    loss.backward()
    optimizer.step()
"""
TRIED = 200
"""Steps by which it is guessed how many fill the time."""

NAMED = "train.py:14  the line at fault"
"""What names it."""


def begun(command: list[str], folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def plain(folder: Path, width: int, steps: int) -> subprocess.Popen[str]:
    return begun([sys.executable, "train.py", str(width), str(steps)], folder)


def took(output: str) -> tuple[float, float]:
    """Return the CPU seconds that a program printed, and when it did."""
    line = next(each for each in output.splitlines() if each.startswith("took "))
    seconds, at = line.split()[1:]
    return float(seconds), float(at)


def main(seconds: float, width: int) -> int:
    """Print the ratio; return 0 if what is promised is kept."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
        calibrated, _ = took(plain(folder, width, TRIED).communicate()[0])
        steps = max(TRIED, round(TRIED * seconds / calibrated))
        explain = Path(sys.executable).with_name("inplace-tui")
        arguments = ["explain", "--budget", "1", "train.py", "--", str(width), str(steps)]
        watched, alone = begun([str(explain), *arguments], folder), plain(folder, width, steps)
        assert watched.stdout is not None
        output, named = "", 0.0
        for line in watched.stdout:
            output += line
            if NAMED in line and not named:
                named = time.time()
        plainly, _ = took(alone.communicate()[0])
        watched.wait()
    own, failed = took(output)
    after = named - failed
    ratio = (own + after) / plainly
    print(f"{steps} steps of width {width}: plain {plainly:.1f} s of CPU time")
    print(f"  in its own run under explain {own:.1f} s, the line named {after:.2f} s later")
    print(f"  until the line / plain  {ratio:5.2f}  promised {PROMISED}")
    kept = bool(named) and ratio <= PROMISED
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--width", type=int, default=256)
    given = parser.parse_args()
    sys.exit(main(given.seconds, given.width))
