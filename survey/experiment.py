"""One call, run again and again with one thing changed: what does each change make of backward?

Nothing is read of torch's tables or private structures here. That a tensor is kept for backward is
seen by writing it after the forward pass and comparing what backward does with an undisturbed run.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Optional

import torch

from survey.calls import Call
from survey.disturbing import RefusedError, Write, add_one, counted, uncounted, writes_for
from survey.sharing import shared_with
from survey.trees import (
    Arguments,
    Tree,
    fresh,
    is_differentiable,
    named_tensors,
    nearly_same,
    requiring,
    same_snapshot,
    snapshot,
    tensors_in,
    with_tensors,
)

VERSION_CHECK = "modified by an inplace operation"
MOST_OUTPUTS = 3
"""Of a list of results, such as the parts of a split, the first ones are looked at."""

Writes = dict[str, list[Any]]
Gradients = list[Optional[torch.Tensor]]


@dataclass
class Answer:
    """What one sample showed."""

    call: Call
    nodes: list[str] = field(default_factory=list)
    grads: list[str] = field(default_factory=list)
    keeps: dict[str, dict[str, str]] = field(default_factory=dict)
    writes: Writes = field(default_factory=dict)
    result: list[str] = field(default_factory=list)
    modes: dict[str, Any] = field(default_factory=dict)
    in_place: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    backward: str | None = None
    loss: str | None = None


class NotComparableError(Exception):
    """Gradients of this sample show nothing when they are compared."""


def seed() -> None:
    torch.default_generator.manual_seed(0)  # torch.manual_seed asks CUDA, which takes long
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)


def first_line(error: BaseException) -> str:
    text = str(error).strip().split("\n")[0]
    if "functions with out=... arguments don't support automatic differentiation" in text:
        return "out= has no derivative"
    return f"{type(error).__name__}: {text}"[:160]


@dataclass
class Run:
    """A forward pass: what went in, what came out."""

    leaves: Arguments
    arguments: Arguments
    result: Tree
    unrecorded: list[Any] = field(default_factory=list)
    """What stands for the receiver in the graph before the call."""

    def outputs(self) -> list[tuple[str, torch.Tensor]]:
        """What came out and did not go in, and what an in-place form made of its receiver."""
        inside = {id(each) for each in tensors_in(self.arguments)}
        named = [each for each in named_tensors(self.result) if id(each[1]) not in inside]
        return named[:MOST_OUTPUTS]

    def ends(self) -> list[torch.Tensor]:
        """Everything that backward can start from: results, and arguments that were written."""
        leaves = {id(each) for each in tensors_in(self.leaves)}
        found: dict[int, torch.Tensor] = {}
        for each in [*tensors_in(self.result), *tensors_in(self.arguments)]:
            if each.requires_grad and id(each) not in leaves and is_differentiable(each):
                found.setdefault(id(each), each)
        return list(found.values())

    def loss(self) -> str:
        """A number that needs all of it, and keeps none of it for backward."""
        texts = {id(each): text for text, each in self._texts()}
        parts = [(texts.get(id(each)), each) for each in self.ends()[:MOST_OUTPUTS]]
        return " + ".join(f"{text}{_real(each)}.sum()" for text, each in parts if text)

    def _texts(self) -> list[tuple[str, torch.Tensor]]:
        """How a program reaches each tensor after `out = call`."""
        found = [
            (name if name.startswith("out") else f"out.{name}", each)
            for name, each in named_tensors(self.result)
        ]
        for name, value in self.arguments.items():
            found += named_tensors(value, name)
        return found


def _real(tensor: torch.Tensor) -> str:
    if tensor.layout != torch.strided:
        return ".to_dense()"
    return ".real" if tensor.is_complex() else ""


def forward(call: Call, pattern: Sequence[str]) -> Run:
    """Run the call once, with those arguments requiring grad and all others not."""
    leaves = {}
    for name, value in call.arguments.items():
        leaves[name] = with_tensors(value, _leaf if name in pattern else fresh)
    arguments = dict(leaves)
    started: list[Any] = []
    if call.receiver is not None:
        arguments[call.receiver] = with_tensors(leaves[call.receiver], lambda each: each.clone())
        started = [each.grad_fn for each in tensors_in(arguments[call.receiver])]
    seed()
    return Run(leaves, arguments, call.run(arguments), started)


def _leaf(tensor: torch.Tensor) -> torch.Tensor:
    copy = fresh(tensor)
    return copy.requires_grad_() if is_differentiable(copy) else copy


def backward(run: Run) -> Gradients:
    ends = run.ends()
    seed()
    with torch.no_grad():
        starts = [_start(each) for each in ends]
    return list(
        torch.autograd.grad(
            ends, requiring(run.leaves), starts, retain_graph=True, allow_unused=True
        )
    )


def _start(end: torch.Tensor) -> torch.Tensor:
    if end.layout == torch.sparse_coo:
        known = end.detach().coalesce()
        return torch.sparse_coo_tensor(known.indices(), known.values() * 0 + 1, known.shape)
    if end.layout != torch.strided:
        raise NotComparableError(f"a gradient of layout {end.layout} can't be made up")
    start = torch.rand(end.shape, dtype=torch.float64) + 0.5
    return start.to(end.dtype)


def same_gradients(one: Gradients, other: Gradients) -> bool:
    return len(one) == len(other) and all(
        (a is None and b is None) or (a is not None and b is not None and nearly_same(a, b))
        for a, b in zip(one, other)
    )


def after(
    call: Call, pattern: Sequence[str], target: str, disturb: Callable[[torch.Tensor], bool]
) -> tuple[bool, Any]:
    """Whether the write changed values, and the gradients or the error that came after it."""
    run = forward(call, pattern)
    changed = [disturb(each) for each in _targets(run)[target]]
    try:
        return any(changed), backward(run)
    except (RuntimeError, ValueError, IndexError, NotImplementedError) as error:
        return any(changed), error


def _targets(run: Run) -> dict[str, list[torch.Tensor]]:
    found = {name: tensors_in(value) for name, value in run.arguments.items() if tensors_in(value)}
    for name, tensor in run.outputs():
        if tensor.layout != torch.strided or tensor.numel():
            found.setdefault(name, [tensor])
    return found


def effect(found: Any, right: Gradients) -> str:
    if isinstance(found, BaseException):
        return "raises" if VERSION_CHECK in str(found) else "fails"
    return "harmless" if same_gradients(right, found) else "wrong"


def kept(call: Call, pattern: Sequence[str], run: Run, right: Gradients) -> dict[str, str]:
    """For each tensor that is kept for backward, how a write to it shows."""
    found = {}
    for target, tensors in _targets(run).items():
        code = _code(call, pattern, target, right, writes_for(tensors[0]))
        if code is not None:
            found[target] = code
    return found


def _code(
    call: Call, pattern: Sequence[str], target: str, right: Gradients, writes: list[Write]
) -> str | None:
    by_count = _by_count(call, pattern, target, right, writes)
    if by_count in ("wrong", "fails"):
        return by_count
    by_data = _worst_by_data(call, pattern, target, right, writes)
    if by_count == "raises":
        return "raises, unused" if by_data == "harmless" else "raises"
    if by_data == "untried":  # an index that is kept would have raised: no write leaves its range
        by_data = _worst_by_data(call, pattern, target, right, [add_one])
    if by_data in ("wrong", "fails"):
        return "only by .data" if by_count == "untried" else by_data
    return "untried" if by_data == by_count == "untried" else None


def _by_count(
    call: Call, pattern: Sequence[str], target: str, right: Gradients, writes: list[Write]
) -> str:
    """One counted write is enough: the version check does not look at values."""
    for write in writes:
        try:
            changed, found = after(call, pattern, target, partial(counted, write=write))
        except RefusedError:
            continue
        said = effect(found, right)
        return said if changed or said == "raises" else "harmless"
    return "untried"


def _worst_by_data(
    call: Call, pattern: Sequence[str], target: str, right: Gradients, writes: list[Write]
) -> str:
    """A value may matter for one write and not for another: zero times anything is zero."""
    worst = "untried"
    for write in writes:
        try:
            changed, found = after(call, pattern, target, partial(uncounted, write=write))
        except RefusedError:
            continue
        if not changed:
            continue
        worst = effect(found, right)
        if worst != "harmless":
            return worst
    return worst


MOST_ALONE = 4


def measure(call: Call) -> Answer:
    """Everything that one sample can show. Raises what the call itself raises."""
    answer = Answer(call)
    _look_at_writes(call, answer)
    _look_at_modes(call, answer)
    names = call.differentiable_names()[:MOST_ALONE]
    for name in names:
        _look_at_backward(call, answer, name, [name])
    together = [name for name in names if name not in answer.refused]
    if len(together) > 1:
        _look_at_backward(call, answer, "all", together)
    return answer


def _look_at_writes(call: Call, answer: Answer) -> None:
    answer.writes, answer.result = written_and_shared(call)


def written_and_shared(
    call: Call, mode: Callable[[], Any] | None = None
) -> tuple[Writes, list[str]]:
    """By how much each version moves, whether values change, and what the result shares."""
    before: dict[str, list[tuple[torch.Tensor, Any, int]]] = {}

    def run(arguments: Arguments) -> Tree:
        for name, value in arguments.items():
            before[name] = [(each, snapshot(each), each._version) for each in tensors_in(value)]
        with nullcontext() if mode is None else mode():
            return call.run(arguments)

    done = forward(Call(run, call.arguments, None, receiver=call.receiver), [])
    writes: Writes = {}
    for name, held in before.items():
        moved = [each._version - old for each, _, old in held]
        changed = any(not same_snapshot(old, snapshot(each)) for each, old, _ in held)
        if any(moved) or changed:
            writes[name] = [max(moved), changed]
    return writes, _results(done)


def _results(run: Run) -> list[str]:
    if run.result is None:
        return ["none"]
    tensors = named_tensors(run.result)
    if not tensors:
        return ["no tensor"]
    kinds = [shared_with(tensor, run.arguments) or "new" for _, tensor in tensors]
    return list(dict.fromkeys(kinds))


def _look_at_modes(call: Call, answer: Answer) -> None:
    """Only what a mode changes is told."""
    usual = (answer.writes, answer.result)
    for name, mode in (("no_grad", torch.no_grad), ("inference_mode", torch.inference_mode)):
        try:
            writes, result = written_and_shared(call, mode)
        except Exception as error:
            answer.modes[name] = {"raises": first_line(error)}
            continue
        if (writes, result) != usual:
            answer.modes[name] = {"writes": writes, "result": result}


def _look_at_backward(call: Call, answer: Answer, title: str, pattern: list[str]) -> None:
    try:
        run = forward(call, pattern)
    except (RuntimeError, NotImplementedError, ValueError, TypeError, IndexError) as error:
        answer.refused[title] = first_line(error)
        return
    found_nodes = [each.grad_fn for each in run.ends() if each.grad_fn not in run.unrecorded]
    nodes = list(dict.fromkeys(each.name() for each in found_nodes if each is not None))
    if not nodes:
        return
    if title == "all" or not answer.nodes:
        answer.nodes = nodes
        answer.loss = run.loss()
    try:
        right = backward(run)
    except (RuntimeError, NotImplementedError, ValueError, IndexError) as error:
        if "The specified loss function depends" in str(error):  # on the phase of a vector
            raise NotComparableError("its loss would have to ignore phases") from error
        answer.backward = first_line(error)
        return
    if not same_gradients(right, backward(forward(call, pattern))):
        raise NotComparableError("two runs differ, with the same seed")
    if title != "all" and any(each is not None for each in right):
        answer.grads.append(title)
    found = kept(call, pattern, run, right)
    if found:
        answer.keeps[title] = found
