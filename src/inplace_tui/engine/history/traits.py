"""What is compared of one tensor: exactly as it is, and in a few words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inplace_tui.engine.state.values import MAX_ELEMENTS, flat, summary
from inplace_tui.model.snapshot import Snapshot, Tensor, Unreadable

WIDTH = 48
"""Characters of a tensor's values in words."""


@dataclass(frozen=True)
class Trait:
    """One thing about one tensor."""

    key: str
    """Of a facet."""

    exact: object
    """What must be equal to be the same; numbers as text, so that NaN equals NaN."""

    text: str
    numbers: tuple[complex, ...] = ()
    """The elements, where they can be read."""


def traits(tensor: Tensor, snapshot: Snapshot) -> tuple[Trait, ...]:
    shape = f"[{', '.join(map(str, tensor.shape))}]"
    return (
        Trait("shape", tensor.shape, shape),
        Trait("dtype", tensor.dtype, tensor.dtype),
        _plain("version", "none" if tensor.version is None else tensor.version),
        _plain("requires_grad", tensor.requires_grad),
        _plain("is_leaf", tensor.is_leaf),
        _plain("grad_fn", node_name(tensor, snapshot)),
        values_of(tensor, snapshot),
    )


def gradient_of(tensor: Tensor, snapshot: Snapshot) -> Trait | None:
    grad = None if tensor.grad is None else snapshot.tensors.get(tensor.grad)
    return None if grad is None else values_of(grad, snapshot)


def values_of(tensor: Tensor, snapshot: Snapshot) -> Trait:
    """Return the elements; of a large tensor the sample that was recorded."""
    shown = summary(tensor, snapshot, WIDTH)
    read = flat(tensor, snapshot)
    if isinstance(read, Unreadable):
        return Trait("values", read.reason, shown)
    numbers = tuple(read[0][:MAX_ELEMENTS])
    return Trait("values", (tensor.shape, tuple(map(repr, numbers))), shown, numbers)


def node_name(tensor: Tensor, snapshot: Snapshot) -> str | Unreadable:
    """Return the class name of `grad_fn`, as torch prints it."""
    if isinstance(tensor.grad_fn, Unreadable):
        return tensor.grad_fn
    node = None if tensor.grad_fn is None else snapshot.nodes.get(tensor.grad_fn)
    return "None" if node is None else node.name


def largest_difference(before: Trait, after: Trait) -> float | None:
    """Return the largest difference of two elements; None where they can't be compared."""
    if not before.numbers or len(before.numbers) != len(after.numbers):
        return None
    far = [abs(complex(b) - complex(a)) for b, a in zip(before.numbers, after.numbers, strict=True)]
    known = [each for each in far if math.isfinite(each)]
    return max(known) if len(known) == len(far) else None


def _plain(key: str, value: object) -> Trait:
    if isinstance(value, Unreadable):
        return Trait(key, value, f"⊘ {value.reason}")
    return Trait(key, value, str(value))
