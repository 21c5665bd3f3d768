"""What watching costs, on the loop where it costs most: small layers on a CPU.

The same loop takes turns plain, watched and under anomaly mode, in one process, so that what
else the machine does meets all three; what counts is CPU time. Exits with 1 where a promise is
broken. Adam makes 48 writes a step; to have torch call Python for each of the 23 nodes costs more.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import warnings
from collections.abc import Callable
from statistics import median
from time import process_time

import torch

from inplace_tui import blame

PROMISED = 1.5
"""CPU seconds watched for each plain second, at most."""

OF_ANOMALY = 0.5
"""CPU seconds watched for each under anomaly mode, at most."""

STEPS = 60


def loop() -> Callable[[], None]:
    """Return a step of training: four small layers and Adam."""
    torch.manual_seed(0)
    layers = [torch.nn.Linear(16, 16) for _ in range(4)]
    model = torch.nn.Sequential(*(part for each in layers for part in (each, torch.nn.ReLU())))
    optimizer = torch.optim.Adam(model.parameters())
    given, wanted = torch.randn(8, 16), torch.randn(8, 16)

    def step() -> None:
        optimizer.zero_grad()
        ((model(given) - wanted) ** 2).mean().backward()
        optimizer.step()

    return step


def timed(step: Callable[[], None], how: contextlib.AbstractContextManager[object]) -> float:
    with how:
        began = process_time()
        for _ in range(STEPS):
            step()
        return process_time() - began


def main(repetitions: int) -> int:
    """Print the ratios; return 0 if what is promised is kept."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "Anomaly Detection has been enabled")
    step = loop()
    ways: dict[str, Callable[[], contextlib.AbstractContextManager[object]]] = {
        "plain": contextlib.nullcontext,
        "watched": blame.watch,
        "anomaly": lambda: torch.autograd.detect_anomaly(check_nan=False),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repetitions + 1):
        for name, way in ways.items():
            seconds = timed(step, way())
            if turn:  # the first of each is not counted
                taken[name].append(seconds)
    plain, watched, anomaly = (median(taken[name]) for name in ways)
    print(f"a step plain: {plain / STEPS * 1e3:.2f} ms, anomaly mode {anomaly / plain:.2f} of it")
    print(f"  watched / plain         {watched / plain:5.2f}  promised {PROMISED}")
    print(f"  watched / anomaly mode  {watched / anomaly:5.2f}  promised {OF_ANOMALY}")
    kept = watched <= PROMISED * plain and watched <= OF_ANOMALY * anomaly
    print("kept" if kept else "NOT KEPT")
    return 0 if kept else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=11)
    sys.exit(main(parser.parse_args().repetitions))
