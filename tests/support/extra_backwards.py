"""What `t.sum().backward()` really does after each statement of a program: torch is asked.

The program runs statement by statement, and the tries are made in forked copies of
the process, so that none disturbs the run. After the last statement every tensor
has a copy of its own; before, those of one statement share one, with the gradients
set aside, since a fork takes longer than all else.
"""

from __future__ import annotations

import ast
import os
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO

import torch

from inplace_tui.diagnosis.record.process.own_files import OwnFiles
from inplace_tui.diagnosis.record.replay.clones import cloned
from inplace_tui.diagnosis.record.replay.findings import Findings
from inplace_tui.diagnosis.record.replay.gradients import leaves_of
from support.recording import FILENAME, in_child

DIED = "died"
Numbers = tuple[str, bytes] | None


@dataclass(frozen=True)
class Tried:
    """How one backward ended."""

    error: str | None
    gradients: tuple[Numbers, ...] = ()
    """Of every leaf that it reaches, in the order of the graph."""


@dataclass
class After:
    """What was found after one statement."""

    state: dict[str, object] = field(default_factory=dict)
    """All that can be compared of the named tensors, to see whether two runs are alike."""

    tries: dict[str, Tried] = field(default_factory=dict)


def try_backwards(source: str, *, clone: bool) -> list[After]:
    """Try a backward from every named tensor after every statement of the module.

    Args:
        source: no more than assignments to plain names need be looked at.
        clone: clone whatever is saved, as the replay does that tells the truth.
    """
    told = in_child(lambda: _try_backwards(source, clone=clone))
    return told if isinstance(told, list) else []


def _try_backwards(source: str, *, clone: bool) -> list[After]:
    torch.manual_seed(0)
    names: dict[str, object] = {"__name__": "__main__", "__builtins__": __builtins__}
    found: list[After] = []
    with (
        cloned(Findings(OwnFiles(source, FILENAME))) if clone else nullcontext(),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        body = ast.parse(source).body
        for statement in body:
            code = compile(ast.Module([statement], []), FILENAME, "exec", dont_inherit=True)
            try:
                with redirect_stdout(StringIO()):
                    exec(code, names)
            except Exception:  # noqa: BLE001
                break
            found.append((_each if statement is body[-1] else _together)(names))
    return found


def _tensors(names: dict[str, object]) -> Iterator[tuple[str, torch.Tensor]]:
    return ((n, t) for n, t in list(names.items()) if isinstance(t, torch.Tensor))


def _state(names: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Yield what can be compared; in a copy of the process, where a view's new graph harms nobody.

    Whether it is a leaf can't be asked of a view without making it the graph of its base.
    """
    for name, tensor in _tensors(names):
        grad = tensor.grad if tensor.is_leaf else None
        yield name, (numbers(tensor), numbers(grad))


def numbers(tensor: torch.Tensor | None) -> Numbers:
    """Return a tensor's dtype, shape and elements; None where it has none to compare."""
    if tensor is None or tensor.layout != torch.strided or tensor.untyped_storage().nbytes() == 0:
        return None
    plain = tensor.detach().resolve_conj().resolve_neg().to(torch.complex128)
    return f"{tensor.dtype} {tuple(tensor.shape)}", plain.contiguous().numpy().tobytes()


def _each(names: dict[str, object]) -> After:
    state = in_fork(lambda: dict(_state(names)))
    after = After(state if isinstance(state, dict) else {})
    for name, tensor in _tensors(names):
        if tensor.requires_grad:
            tried = in_fork(lambda tensor=tensor: _try(tensor))  # type: ignore[misc]
            after.tries[name] = tried if isinstance(tried, Tried) else Tried(DIED)
    return after


def _together(names: dict[str, object]) -> After:
    tensors = [(name, tensor) for name, tensor in _tensors(names) if tensor.requires_grad]

    def work() -> After:
        tries = {name: _try(tensor, keep=True) for name, tensor in tensors}
        return After(dict(_state(names)), tries)

    told = in_fork(work)
    return told if isinstance(told, After) else After({}, {n: Tried(DIED) for n, _ in tensors})


def _try(tensor: torch.Tensor, *, keep: bool = False) -> Tried:
    """Try it; with `keep`, so that the graph and the gradients are as before."""
    leaves: list[torch.Tensor] = []
    before: list[torch.Tensor | None] = []
    try:
        with torch.inference_mode(False), torch.enable_grad():
            total = tensor.sum()
            leaves = leaves_of([total])
            before = [leaf.grad for leaf in leaves]
            for leaf in leaves if keep else ():
                leaf.grad = None
            total.backward(retain_graph=keep)
            return Tried(None, tuple(numbers(leaf.grad) for leaf in leaves))
    except Exception as error:  # noqa: BLE001
        return Tried(f"{type(error).__name__}: {error}")
    finally:
        for leaf, grad in zip(leaves, before, strict=False):
            if keep:
                leaf.grad = grad


def in_fork(work: Callable[[], object]) -> object:
    """Run something in a copy of this process and return what it returned; None if it died."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, pickle.dumps(work()))
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        told = pipe.read()
    os.waitpid(pid, 0)
    return pickle.loads(told) if told else None
