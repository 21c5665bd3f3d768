"""Programs that write in place, each with a twin that computes the same out of place.

The twin is what the program means: what it delivers is the gradient of the loss that both
compute. The generator knows on which line a write is that may go wrong.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from generated.programs import MARK

_HEAD = """\
import torch
from torch import nn
from torch.nn import functional as F
a = torch.tensor([0.4, -0.7, 0.9], requires_grad=True)
b = torch.tensor([1.5, 0.6, -0.8], requires_grad=True)
net = nn.Linear(3, 3)
"""
_MADE = (
    "{x} = {y} * 2",
    "{x} = {y}.exp()",
    "{x} = {y}.sin()",
    "{x} = {y}.sigmoid()",
    "{x} = {y}.tanh()",
    "{x} = {y}.pow(2)",
    "{x} = {y} * b",
    "{x} = {y} + b",
    "{x} = net({y})",
    "{x} = F.softplus({y})",
    "{x} = {y}.softmax(0)",
    "{x} = {y} / (b * b)",
)
"""How one tensor is made of another."""

_WRITTEN = (
    ("{x}.add_(b)", "{x} = {x} + b"),
    ("{x}.mul_(b)", "{x} = {x} * b"),
    ("{x} += 1", "{x} = {x} + 1"),
    ("{x} *= 2", "{x} = {x} * 2"),
    ("{x}.relu_()", "{x} = {x}.relu()"),
    ("{x}.clamp_(max=0.5)", "{x} = {x}.clamp(max=0.5)"),
    ("{x}[0] = 0.5", "{x} = torch.cat([torch.full((1,), 0.5), {x}[1:]])"),
    ("{x}[1:] *= b[1:]", "{x} = torch.cat([{x}[:1], {x}[1:] * b[1:]])"),
    ("{x}[{x} > 0.3] = 0.1", "{x} = torch.where({x} > 0.3, torch.full((3,), 0.1), {x})"),
    ("{x}.view(3).sub_(b)", "{x} = {x} - b"),
    ("{x}.sin_()", "{x} = {x}.sin()"),
    ("F.elu({x}, inplace=True)", "{x} = F.elu({x})"),
    ("{x}.data.add_(1)", "{x} = {x} + 1"),
    ("{x}.detach().sub_(0.5)", "{x} = {x} - 0.5"),
    ("{x}.detach().numpy()[...] += 1", "{x} = {x} + 1"),
    ("{x}.copy_(b)", "{x} = b + {x} * 0"),
)
"""A write, and the same out of place. Those that autograd does not see add a constant, whose
derivative is nothing: what they do to what was saved before is all that can be wrong."""

_USED = ("({x} * {y}).sum()", "{x}.pow(2).sum() + {y}.sum()", "({y} - {x}).square().mean()")


@dataclass(frozen=True)
class Twins:
    """A program and its twin."""

    name: str
    source: str
    twin: str
    line: int
    """Of the write."""


def twins(count: int = 200) -> Iterator[Twins]:
    """Yield as many, always the same ones."""
    draw = random.Random(31)
    for number in range(count):
        written, instead = _WRITTEN[number % len(_WRITTEN)]
        yield _twins(number, draw, written, instead)


def _twins(number: int, draw: random.Random, written: str, instead: str) -> Twins:
    """Return x made of a, y made of x, a write to one of them, z made of either, and a loss.

    Of the twin, what was made before the write keeps the old value under its name.
    """
    first, second, third = draw.sample(_MADE, 3)
    target = draw.choice("xxy")
    body = [
        first.format(x="x", y="a"),
        second.format(x="y", y="x"),
        (target, written, instead),
        third.format(x="z", y=draw.choice("xy")),
    ]
    loss = draw.choice(_USED).format(x="z", y=draw.choice("xy"))
    in_loop = draw.random() < 0.25
    texts = []
    for column in (1, 2):
        lines = [
            each if isinstance(each, str) else each[column].format(x=target) + MARK for each in body
        ]
        lines += [f"loss = {loss}", "loss.backward()"]
        if in_loop:
            lines = ["for turn in range(2):", *(f"    {line}" for line in lines)]
        texts.append(_HEAD + "\n".join(lines) + "\n")
    marked = [n for n, line in enumerate(texts[0].splitlines(), 1) if line.endswith(MARK)]
    source, twin = (text.replace(MARK, "") for text in texts)
    return Twins(f"{number}: {written.format(x=target)}", source, twin, marked[0])
