"""What `t.sum().backward()` really does after every step of a run: torch is asked.

The program runs under the recorder, which tells when a step is over and which names
there are. A try is made in a forked copy of that very moment. One copy serves all
tensors of a step where no try can be felt by the next; where it could, each gets its
own. Forks take longer than all else: a run from which nothing but the tries is
wanted may do with those for tries that leave a trace.
"""

from __future__ import annotations

import ast
import hashlib
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import NoReturn

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from inplace_tui.common.run.program import Program
from inplace_tui.common.run.step import Event, Step
from inplace_tui.diagnosis.record.naming import names
from inplace_tui.diagnosis.record.process import main_module
from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.recording.recorder import Recorder
from inplace_tui.diagnosis.record.replay.clones import cloned
from inplace_tui.diagnosis.record.replay.findings import Findings
from support.extra_backwards import DIED, Tried, in_fork, numbers
from support.recording import in_child

_SECONDS = 30
_WAITS = 3
"""Seconds for a try from a graph of which a node is running. Its node may hold the lock that the
try needs, as when what it saved is unpacked by a second run: torch would wait for itself."""

_MAX_STEPS = 5_000


@dataclass(frozen=True)
class Moment:
    """What was there, and what came of every try, after one step."""

    step: Step
    state: bytes
    """A digest of all named tensors and their gradients, to see whether two runs are alike."""

    tries: dict[str, Tried]
    """By every name that reaches a tensor with a graph."""

    doubted: bool
    """The clones could not protect everything that was saved."""


def ask(program: Program, *, clone: bool, forked: bool) -> list[Moment]:
    """Run a program, and try a backward from every named tensor after every step.

    Args:
        program: a lesson's, or one like it.
        clone: clone whatever is saved, as the replay does that tells the truth.
        forked: make every try in a copy; without, views of a changed base may get their
            new node before the program asks for it.
    """
    told = in_child(lambda: _Run(program, clone=clone, forked=forked).done())
    if isinstance(told, int):
        raise RuntimeError(f"the process died: {told}")
    return told


class _Run:
    def __init__(self, program: Program, *, clone: bool, forked: bool) -> None:
        self._program = program
        self._clone = clone
        self._files = OwnFiles(program.source, program.filename)
        self._forked = forked
        self._findings = Findings(self._files)
        self._idle = _idle(program.source)
        self._moments: list[Moment] = []

    def done(self) -> list[Moment]:
        signal.alarm(20 * _SECONDS)
        namespace = vars(main_module.prepare(self._program, self._files))
        log: list[Event] = []
        recorder = Recorder(
            code=compile(self._program.source, self._program.filename, "exec", dont_inherit=True),
            files=self._files,
            namespace=namespace,
            log=log,
            emit=self._look,
            max_steps=_MAX_STEPS,
            on_limit=_stop,
        )
        with cloned(self._findings) if self._clone else nullcontext(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                with redirect_stdout(StringIO()):
                    recorder.run()
            except Exception:  # noqa: BLE001 - programs may end so
                pass
        assert not recorder.faults, recorder.faults
        return self._moments

    def _look(self, step: Step) -> None:
        frames = self._files.frames()
        found = list(names.named_tensors(frames))
        last = self._moments[-1] if self._moments else None
        if last is not None and (step.line, step.depth) in self._idle and not step.gone:
            state, tries = last.state, last.tries
        else:
            state, tries = self._asked(found, apart=step.unpredictable)
        self._moments.append(Moment(step, state, tries, bool(self._findings.doubts)))

    def _asked(
        self, found: Sequence[tuple[str, torch.Tensor]], *, apart: bool
    ) -> tuple[bytes, dict[str, Tried]]:
        called: dict[int, list[str]] = {}
        tensors: dict[int, torch.Tensor] = {}
        for name, tensor in found:
            if tensor.requires_grad and not _is_leaf(tensor):
                tensors[id(tensor)] = tensor
                called.setdefault(id(tensor), []).append(name)

        # What retains its gradient would have it from the first try on.
        apart = apart or any(tensor.retains_grad for tensor in tensors.values())
        apart = apart or torch._C._current_autograd_node() is not None

        def work() -> tuple[bytes, list[Tried] | None]:
            return _state(found), None if apart else _together(list(tensors.values()))

        seen = _copied(work) if self._forked else work()
        assert isinstance(seen, tuple)
        state, tries = seen
        if tries is None:
            tries = [_alone(tensor) for tensor in tensors.values()]
        told = dict(zip(tensors, tries, strict=True))
        return state, {name: told[key] for key, ways in called.items() for name in ways}


def _stop() -> NoReturn:
    raise KeyboardInterrupt


def _idle(source: str) -> set[tuple[int, int]]:
    """Return the lines of the module, with their depth, that can do nothing to a tensor."""
    kinds = ast.Try | ast.Pass | ast.FunctionDef | ast.ExceptHandler
    tree = ast.parse(source)
    inside = {
        below
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.ClassDef | ast.Lambda)
        for below in ast.walk(function)
        if below is not function
    }
    found = (node for node in ast.walk(tree) if isinstance(node, kinds) and node not in inside)
    return {(node.lineno, 0) for node in found if not getattr(node, "decorator_list", ())}


def _is_leaf(tensor: torch.Tensor) -> bool:
    """Whether it is one; torch refuses to say it of some views, which are none."""
    try:
        return bool(tensor.is_leaf)
    except RuntimeError:
        return False


def _state(found: Sequence[tuple[str, torch.Tensor]]) -> bytes:
    digest = hashlib.sha256()
    with torch.no_grad():
        for name, tensor in found:
            digest.update(f"{name} {numbers(tensor)!r}".encode())
    return digest.digest()


def _copied(work: Callable[[], object], seconds: int = _SECONDS) -> object:
    """Do it in a copy of this process, out of the recorder's sight."""

    def unseen() -> object:
        sys.settrace(None)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # a handler of Python's would wait, too
        signal.alarm(seconds)
        return work()

    return in_fork(unseen)


def _alone(tensor: torch.Tensor) -> Tried:
    is_running = torch._C._current_autograd_node() is not None
    tried = _copied(lambda: _tried(tensor), _WAITS if is_running else _SECONDS)
    return tried if isinstance(tried, Tried) else Tried(DIED)


def _together(tensors: Sequence[torch.Tensor]) -> list[Tried] | None:
    """Try all, one after the other; None where a try might be felt by the next."""
    tries: list[Tried] = []
    for tensor in tensors:
        tried = _tried(tensor, keep=True)
        if tried is None:
            return None
        tries.append(tried)
    return tries


def _tried(tensor: torch.Tensor, *, keep: bool = False) -> Tried | None:
    """Try it.

    Args:
        tensor: from which.
        keep: leave graph and gradients as they were, or return None where that can't be.
    """
    leaves: list[torch.Tensor] = []
    try:
        with torch.inference_mode(False), torch.enable_grad():
            total = tensor.sum()
            start = total.grad_fn
            assert start is not None
            nodes = list(_below(start))
            leaves = [n.variable for n in nodes if type(n).__name__ == "AccumulateGrad"]
            written = any(leaf.grad is not None for leaf in leaves)
            if keep and (written or any(isinstance(n, BackwardCFunction) for n in nodes)):
                leaves = []
                return None
            total.backward(retain_graph=keep)
            return Tried(None, tuple(numbers(leaf.grad) for leaf in leaves))
    except Exception as error:  # noqa: BLE001
        return Tried(f"{type(error).__name__}: {error}")
    finally:
        for leaf in leaves if keep else ():
            leaf.grad = None


def _below(start: Node) -> Iterator[Node]:
    """Yield every node that backward would reach, in an order that replays repeat."""
    seen = {start}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        yield node
        for after, _ in node.next_functions:
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append(after)
