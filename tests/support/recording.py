"""Runs a program bare or recorded in a forked child and tells all that can be told of it.

Nothing of the runner is used: what is compared here is the recorder alone.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from types import CodeType
from typing import NoReturn, TypeVar

import torch
import torch._dynamo

from inplace_tui.common.run.snapshot import Saved, Snapshot, Tensor
from inplace_tui.common.run.step import Event, Mutation, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.readings import Readings, use
from inplace_tui.diagnosis.record.recording.recorder import Recorder
from inplace_tui.diagnosis.record.torch_memory import measure

T = TypeVar("T")

FILENAME = "program.py"
_SECONDS = 60
_MANY = 10_000


@dataclass(frozen=True)
class Ending:
    """What can be seen of a program after it ran."""

    error: str | None
    """Type and message of the exception that left it."""

    printed: str
    warned: tuple[tuple[str, str, int], ...]
    tensors: dict[str, object]
    """By global name: values, gradient, version and flags."""

    sequence_numbers: int
    """How many nodes were made while it ran."""


@dataclass(frozen=True)
class Recorded:
    """A recorded run."""

    ending: Ending
    steps: tuple[Step, ...]
    faults: tuple[str, ...]
    first_line: int | None
    timeline: Timeline = field(compare=False)

    def step(self, line: int, visit: int = 1) -> Step:
        """Return the step of one visit of a line."""
        return next(s for s in self.steps if (s.line, s.visit) == (line, visit))

    def after(self, line: int, visit: int = 1) -> Snapshot:
        """Return what was there when a line had finished."""
        return self.timeline.at(self.step(line, visit).index)

    def tensor(self, name: str, line: int, visit: int = 1) -> Tensor:
        """Return a tensor by name, after a line."""
        return named(self.after(line, visit), name)

    def mutations(self, line: int | None = None) -> list[Mutation]:
        """Return all writes, or those of one step's line."""
        return [
            event
            for step in self.steps
            if line in (None, step.line)
            for event in step.events
            if isinstance(event, Mutation)
        ]


def named(snapshot: Snapshot, name: str) -> Tensor:
    """Return the tensor that has this name."""
    return next(tensor for tensor in snapshot.tensors.values() if name in tensor.names)


def slot(snapshot: Snapshot, node: str, name: str) -> Saved:
    """Return the only saved tensor of that name under a node of that name."""
    (found,) = (
        saved
        for saved in snapshot.saved.values()
        if snapshot.nodes[saved.node].name == node and saved.slot == name
    )
    return found


def bare(source: str) -> Ending:
    """Run a program as Python would."""
    told = in_child(lambda: _run(source, exec))
    return told if isinstance(told, Ending) else _died(told)


def record(
    source: str, *, max_steps: int = 100_000, by: Callable[[], Readings] = measure
) -> Recorded:
    """Run a program under the recorder, which reads torch in this way."""
    told = in_child(lambda: _recorded(source, max_steps, by))
    if isinstance(told, int):
        return Recorded(_died(told), (), (), None, Timeline())
    ending, steps, faults, first_line = told
    timeline = Timeline()
    for step in steps:
        timeline.append(step)
    return Recorded(ending, tuple(steps), tuple(faults), first_line, timeline)


def _died(status: int) -> Ending:
    """Return what is left of a program that took its process with it."""
    return Ending(f"died: {status}", "", (), {}, 0)


def _recorded(
    source: str, max_steps: int, by: Callable[[], Readings]
) -> tuple[Ending, list[Step], list[str], int | None]:
    steps: list[Step] = []
    log: list[Event] = []
    recorders: list[Recorder] = []

    def stop() -> NoReturn:
        raise KeyboardInterrupt("limit")

    def run(code: CodeType, names: dict[str, object]) -> None:
        recorder = Recorder(
            code=code,
            files=OwnFiles(source, FILENAME),
            namespace=names,
            log=log,
            emit=steps.append,
            max_steps=max_steps,
            on_limit=stop,
        )
        recorders.append(recorder)
        recorder.run()

    ending = _run(source, run, by)
    return ending, steps, recorders[0].faults, recorders[0].first_line


def _run(
    source: str,
    execute: Callable[[CodeType, dict[str, object]], None],
    by: Callable[[], Readings] = measure,
) -> Ending:
    names: dict[str, object] = {"__name__": "__main__", "__builtins__": __builtins__}
    code = compile(source, FILENAME, "exec", dont_inherit=True)
    torch.manual_seed(0)
    measure()
    use(by())
    error = None
    printed = io.StringIO()
    start = torch._C._autograd._get_sequence_nr()
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            execute(code, names)
        except BaseException as raised:  # noqa: BLE001
            error = _unplaced(f"{type(raised).__name__}: {raised}")
        made = torch._C._autograd._get_sequence_nr() - start
    return Ending(
        error=error,
        printed=_unplaced(printed.getvalue()),
        warned=tuple((w.category.__name__, str(w.message), w.lineno) for w in caught),
        tensors={n: _told(t) for n, t in names.items() if isinstance(t, torch.Tensor)},
        sequence_numbers=made,
    )


def _unplaced(text: str) -> str:
    """Return what two runs say alike that have the same objects at other addresses."""
    return re.sub(r"0x[0-9a-f]+", "0x…", text)


def _told(tensor: torch.Tensor) -> object:
    """Return everything about a tensor that a recorder might have changed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            _asked(lambda: (tensor.shape, tensor.stride(), str(tensor.dtype))),
            _asked(lambda: tensor._version),
            _asked(lambda: (tensor.is_leaf, type(tensor.grad_fn).__name__)),
            _asked(lambda: (tensor.requires_grad, tensor.retains_grad)),
            _asked(lambda: _bytes(tensor)),
            _asked(lambda: None if tensor.grad is None else _bytes(tensor.grad)),
        ]


def _asked(question: Callable[[], T]) -> T | str:
    try:
        return question()
    except Exception as refusal:  # noqa: BLE001
        return f"{type(refusal).__name__}: {refusal}"


def _bytes(tensor: torch.Tensor) -> object:
    if tensor.layout != torch.strided:
        return str(tensor)
    needs = tensor.untyped_storage().nbytes()
    if needs == 0 and tensor.numel():
        return "resized away"
    if tensor.numel() > _MANY:
        tensor = tensor.detach().flatten()[:: tensor.numel() // 100]
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return bytes(plain.view(-1).view(torch.uint8).tolist()) if plain.numel() else b""


def in_child(work: Callable[[], T]) -> T | int:
    """Do it in a forked child, so that no program meets what another left behind.

    Returns:
        What `work` returned, or the wait status of a child that died.
    """
    torch.set_num_threads(1)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        signal.alarm(_SECONDS)
        try:
            told = pickle.dumps((True, work()))
        except BaseException:  # noqa: BLE001
            told = pickle.dumps((False, traceback.format_exc()))
        with os.fdopen(write, "wb") as pipe:
            pipe.write(told)
        sys.stdout = sys.stderr = io.StringIO()
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(pid, 0)
    if not told:
        return status
    is_good, result = pickle.loads(told)
    if not is_good:
        raise RuntimeError(result)
    found: T = result
    return found
