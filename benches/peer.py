"""The peer: runs a program with torch already imported, as `explain` does in its worker.

Reads one JSON line `{"how": ..., "source": ...}` after the other and answers with the
seconds that the program took, or what else was asked for. Every program has a fresh fork,
one thread and no garbage to collect: a process of its own, imports aside, was never faster.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import CodeType

import torch
import torch._dynamo
import torch.optim


def bare(code: CodeType) -> float:
    """Return the seconds of the program alone."""
    began = time.perf_counter()
    with suppress(RuntimeError):
        exec(code, {"__name__": "__main__"})
    return time.perf_counter() - began


def anomaly(code: CodeType) -> float:
    """Return the seconds of the program under anomaly mode."""
    with torch.autograd.set_detect_anomaly(True):  # what we are measured against
        return bare(code)


def saved(code: CodeType) -> float:
    """Return the bytes that autograd holds saved when a backward begins, at most."""
    held: list[int] = []
    most = 0
    backward = torch.autograd.backward

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        held.append(tensor.numel() * tensor.element_size())
        return tensor

    def measured(*args: object, **options: object) -> None:
        nonlocal most
        most = max(most, sum(held))
        backward(*args, **options)
        held.clear()

    torch.autograd.backward = measured
    # Counting is no recording: here the hooks may switch the version check off.
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):  # noqa: TID251
        bare(code)
    return most


WAYS: dict[str, Callable[[CodeType], float]] = {"bare": bare, "anomaly": anomaly, "saved": saved}


def _forked(how: str, source: str) -> float:
    """Return the answer of a fork."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)
        found = WAYS[how](compile(source, "program.py", "exec"))
        os.write(theirs, repr(found).encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answer:
        found = float(answer.read())
    os.waitpid(child, 0)
    return found


def main() -> None:
    """Serve until stdin ends."""
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        asked = json.loads(line)
        print(_forked(asked["how"], asked["source"]), flush=True)


if __name__ == "__main__":
    main()
