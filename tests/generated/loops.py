"""Training loops with every optimizer, whose step may come between two backwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generated.programs import MARK, Generated

_FOREACH = ("Adamax", "NAdam", "RAdam", "Adadelta", "ASGD", "RMSprop", "Rprop", "Adafactor")
_FUSED = ("SGD", "Adam", "AdamW", "Adagrad")
_KINDS = ("foreach=False", "foreach=True", "fused=True")
_CLOSURE = """\
def closure_{net}():
    {net}.zero_grad()
    square = sum(p.pow(2).sum() for p in {net}.parameters())
    square.backward()
    return square
"""


@dataclass(frozen=True)
class Optimizer:
    """One of torch's, in one of its forms."""

    name: str
    options: str

    def made(self, net: str) -> str:
        """Return the lines that make it."""
        arguments = ", ".join(filter(None, [f"{net}.parameters()", "lr=0.1", self.options]))
        line = f"opt_{net} = torch.optim.{self.name}({arguments})"
        return _CLOSURE.format(net=net) + line if self.name == "LBFGS" else line

    def step(self, net: str) -> str:
        """Return the line that steps."""
        closure = f"closure_{net}" if self.name == "LBFGS" else ""
        return f"opt_{net}.step({closure})"


def optimizers() -> Iterator[Optimizer]:
    """Yield every one in every form that it has on a CPU."""
    for name in _FUSED:
        yield from (Optimizer(name, kind) for kind in _KINDS)
    for name in _FOREACH:
        yield from (Optimizer(name, kind) for kind in _KINDS[:2])
    yield Optimizer("SGD", "momentum=0.9, nesterov=True")
    yield Optimizer("Adam", "amsgrad=True, maximize=True")
    yield from (Optimizer(name, "") for name in ("Muon", "LBFGS", "SparseAdam"))


def loops() -> Iterator[Generated]:
    """Yield every shape of loop with every optimizer that can do it."""
    text = Path(__file__).with_name("loops.txt").read_text(encoding="utf-8")
    for section in text.split("\n[")[1:]:
        name, _, body = section.partition("]\n")
        for optimizer in optimizers():
            if optimizer.name != "SparseAdam" or "{sparse}" in body:
                yield _loop(name, body.strip(), optimizer)


def _loop(name: str, body: str, optimizer: Optimizer) -> Generated:
    body = body.replace("{sparse}", str(optimizer.name == "SparseAdam"))
    body = re.sub(r"\{opt:(\w+)\}", lambda found: optimizer.made(found[1]), body)
    body = re.sub(r"\{step:(\w+)\}", lambda found: optimizer.step(found[1]), body)
    lines = ["import torch", "from torch import nn", *body.splitlines()]
    marked = [number for number, text in enumerate(lines, 1) if text.endswith(MARK)]
    source = "\n".join(text.removesuffix(MARK) for text in lines) + "\n"
    line = marked[0] if marked else None
    return Generated(f"{name} | {optimizer.name}({optimizer.options})", source, line)
