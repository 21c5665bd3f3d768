"""The peer: runs a program with torch already imported, as ours does in its worker.

Reads one JSON line `{"how": ..., "source": ...}` after the other and answers with the
seconds that the program took, or what else was asked for. Every program has a fresh fork,
one thread and no garbage to collect: a process of its own, imports aside, was never faster.
"""

from __future__ import annotations

import bdb
import gc
import io
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from types import CodeType, FrameType
from typing import Any, TypeAlias

import torch
import torch._dynamo
import torch.optim

from inplace_tui.blame.witness import watch

Trace: TypeAlias = Callable[[FrameType, str, Any], Any]


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


def watched(code: CodeType) -> float:
    """Return the seconds of the program with the witness."""
    with watch():
        return bare(code)


def valued(code: CodeType) -> float:
    """Return the same where it compares values, too."""
    with watch(values=True):
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


def alone(code: CodeType) -> float:
    """Return the seconds that a program says its loop took."""
    with redirect_stdout(io.StringIO()) as said:
        exec(code, {"__name__": "__main__"})
    return float(said.getvalue())


def traced(code: CodeType) -> float:
    """Return the same under a tracer that does nothing."""

    def nothing(frame: FrameType, _event: str, _arg: object) -> Trace | None:
        return nothing if frame.f_code.co_filename == code.co_filename else None

    return _under(nothing, code)


def debugged(code: CodeType) -> float:
    """Return the same under what pdb is made of, with a look at the variables at each line."""

    class Debugger(bdb.Bdb):
        def user_line(self, frame: FrameType) -> None:
            _ = frame.f_locals

    with redirect_stdout(io.StringIO()) as said:
        Debugger(skip=["torch*", "contextlib"]).run(code, {"__name__": "__main__"})
    return float(said.getvalue())


def looking(code: CodeType) -> float:
    """Return the same under a tracer that reads every tensor there is at each line.

    What the recorder tells of a tensor, as one would read it who wrote that in an hour;
    of the graph nothing, and of writes only what a version tells.
    """
    before: dict[str, tuple[object, ...]] = {}

    def look(frame: FrameType, event: str, _arg: object) -> Trace | None:
        if frame.f_code.co_filename != code.co_filename:
            return None
        if event == "line":
            now = {
                name: (
                    value._version,
                    value.requires_grad,
                    value.is_leaf,
                    value.grad_fn,
                    value.grad if value.is_leaf else None,
                    value.shape,
                    value.stride(),
                    value.data_ptr(),
                    value.flatten()[:6].tolist(),
                )
                for name, value in list(frame.f_locals.items())
                if isinstance(value, torch.Tensor)
            }
            before.clear()
            before.update(now)
        return look

    return _under(look, code)


def _under(tracer: Trace, code: CodeType) -> float:
    sys.settrace(tracer)
    try:
        return alone(code)
    finally:
        sys.settrace(None)


WAYS: dict[str, Callable[[CodeType], float]] = {
    "bare": bare,
    "anomaly": anomaly,
    "watched": watched,
    "valued": valued,
    "saved": saved,
    "alone": alone,
    "traced": traced,
    "bdb": debugged,
    "looking": looking,
}


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
