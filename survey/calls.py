"""One way to call torch, with arguments to call it with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

from survey.trees import Arguments, Tree, is_differentiable, tensors_in


@dataclass
class Call:
    """A callable form with arguments by name; each run gets fresh copies of their tensors."""

    run: Callable[[Arguments], Tree]
    arguments: Arguments
    text: str | None
    """The call as a person would write it, from the names of its tensor arguments."""
    setup: list[str] = field(default_factory=list)
    """Lines that a program needs before the call, such as the making of a layer."""
    receiver: str | None = None
    """The argument that an in-place form writes; no leaf in any run, which would be refused."""
    frozen: bool = False
    """Nothing is to require grad: only what it writes and shares is asked."""

    from_setup: list[str] = field(default_factory=list)
    """Arguments that the setup makes, such as the weights of a layer."""
    mode: str | None = None
    """Of a layer: train or eval."""

    def tensor_names(self) -> list[str]:
        return [name for name, value in self.arguments.items() if tensors_in(value)]

    def differentiable_names(self) -> list[str]:
        if self.frozen:
            return []
        return [
            name
            for name in self.tensor_names()
            if any(is_differentiable(each) for each in tensors_in(self.arguments[name]))
        ]


def size(call: Call) -> int:
    return sum(each.numel() for each in tensors_in(call.arguments))


Sample = Any
