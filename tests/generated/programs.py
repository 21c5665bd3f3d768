"""Programs of one operation and one write: every combination of what, where to and how.

The generator knows on which line it put the write. All else that may matter
(how the write is spelled, where it stands, what is a leaf, how backward is
asked for) goes round from program to program, so that each turns up with each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent

from generated.ops import Operation, operations
from generated.writes import HOWS, spellings

PLACES = ("module", "function", "helper", "loop", "method")
MARK = "  # write"


@dataclass(frozen=True)
class Generated:
    """A program, and the line on which it writes."""

    name: str
    """What, where to, how, where: unique among all."""

    source: str
    line: int | None
    """Of the write, or of what stands in its place where nothing is written; None where nothing can
    be at fault."""


def programs() -> Iterator[Generated]:
    """Yield every combination once."""
    turn = 0
    for operation in operations():
        for target in ("x", "z") if operation.y is None else ("x", "z", "y"):
            for how in HOWS:
                yield _program(operation, target, how, turn)
                turn += 1


def _program(operation: Operation, target: str, how: str, turn: int) -> Generated:
    # The strides are prime to the lengths of what they go through.
    kind, is_scalar = _kind(operation, target)
    ways = spellings(how, kind=kind, is_scalar=is_scalar)
    write = ways[turn * 7 // len(HOWS) % len(ways)]
    place = PLACES[turn % len(PLACES)]
    made = _made(operation, target, turn)
    body = _PLACED[place](operation, made, write, target)
    lines = [*_imports(body), *_leaves(operation), *body.splitlines()]
    lines += [] if place == "loop" else [_backward(operation, turn)]
    (line,) = (number for number, text in enumerate(lines, 1) if text.endswith(MARK))
    source = "\n".join(text.removesuffix(MARK) for text in lines) + "\n"
    written = {"x": "input", "y": "other", "z": "output"}[target]
    parts = (operation.name, written, how, place)
    return Generated(" | ".join(parts), source, line)


def _kind(operation: Operation, target: str) -> tuple[str, bool]:
    if target == "z":
        return "complex" if operation.is_complex else "real", operation.is_scalar
    operand = operation.x if target == "x" else operation.y
    assert operand is not None
    return operand.kind, False


def _imports(body: str) -> Iterator[str]:
    yield "import torch"
    if "np." in body:
        yield "import numpy as np"
    if "F." in body:
        yield "from torch.nn import functional as F"
    if "checkpoint(" in body:
        yield "from torch.utils.checkpoint import checkpoint"


def _leaves(operation: Operation) -> Iterator[str]:
    yield f"a = torch.tensor({operation.x.literal}, requires_grad=True)"
    if operation.y is not None:
        wanted = ", requires_grad=True" if operation.y.differentiable else ""
        yield f"b = torch.tensor({operation.y.literal}{wanted})"


def _made(operation: Operation, target: str, turn: int) -> list[str]:
    """Return how the operands come from the leaves: mostly by an op that saves nothing."""
    forms = ("a * 1", "a.clone()", "a + 0", "a" if target == "x" else "a * 1")
    made = [f"x = {forms[turn // 9 % len(forms)]}"]
    if operation.y is not None:
        forms = ("b * 1", "b.clone()", "b", "b.detach().clone()")
        form = forms[turn // 9 % len(forms)] if operation.y.differentiable else "b.clone()"
        made.append(f"y = {form}")
    return made


def _backward(operation: Operation, turn: int) -> str:
    forms = [
        "z.backward(torch.randn_like(z))",
        "g = torch.autograd.grad(z, a, torch.randn_like(z))",
        "(z * torch.randn_like(z)).sum().backward()",
    ]
    return forms[turn // 5 % (2 if operation.is_complex else 3)]


def _called(operation: Operation, x: str = "x", y: str = "y", z: str = "z") -> str:
    return f"{z} = {operation.expression.format(x=x, y=y)}"


def _written(write: str, target: str) -> str:
    """Return the write with its mark, on `target`."""
    marked = write if MARK in write else write + MARK
    return marked.format(t=target)


def _module(operation: Operation, made: list[str], write: str, target: str) -> str:
    return "\n".join([*made, _called(operation), _written(write, target)])


def _function(operation: Operation, made: list[str], write: str, target: str) -> str:
    body = "\n".join([*made, _called(operation), _written(write, target), "return z"])
    return f"def forward():\n{indent(body, '    ')}\nz = forward()"


def _helper(operation: Operation, made: list[str], write: str, target: str) -> str:
    head = f"def change(t):\n{indent(_written(write, 't'), '    ')}"
    return "\n".join([head, *made, _called(operation), f"change({target})"])


def _loop(operation: Operation, made: list[str], write: str, target: str) -> str:
    body = ["a.grad = None", *made, _called(operation), "if turn == 1:"]
    body += [indent(_written(write, target), "    "), "z.backward(torch.randn_like(z))"]
    return "for turn in range(2):\n" + indent("\n".join(body), "    ")


def _method(operation: Operation, made: list[str], write: str, target: str) -> str:
    forward = [*(f"self.{line}" for line in made)]
    forward.append(_called(operation, "self.x", "self.y", "self.z"))
    return "\n".join(
        [
            "class Model:",
            "    def forward(self):",
            indent("\n".join(forward), " " * 8),
            "    def change(self):",
            indent(_written(write, f"self.{target}"), " " * 8),
            "model = Model()",
            "model.forward()",
            "model.change()",
            "z = model.z",
        ]
    )


_PLACED = {
    "module": _module,
    "function": _function,
    "helper": _helper,
    "loop": _loop,
    "method": _method,
}
