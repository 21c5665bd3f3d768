"""Arguments as a person would write them: `torch.tensor([0.5, -1.0])`.

What is written must be run: a text is kept only if a call with what it makes has the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Callable

import torch

from survey.calls import Call
from survey.trees import Tree, is_differentiable, tensors_in, with_tensors

LONGEST = 160
SHORT = 9
"""So many numbers are written out."""


def expressions(call: Call, shows_the_same: Callable[[Call], bool]) -> dict[str, Any] | None:
    """`call`, `setup` and `inputs` of a short program; None if none shows the same."""
    if call.text is None:
        return None
    for shorten in (_first_three, _as_it_is):
        shown = [name for name in call.arguments if name not in call.from_setup]
        try:
            texts = {name: _text(shorten(call.arguments[name])) for name in shown}
        except RuntimeError:  # a sparse tensor has no shape to give up
            continue
        written = {name: text for name, text in texts.items() if text is not None}
        if len(written) < len(texts) or sum(map(len, written.values())) > 3 * LONGEST:
            continue
        try:
            arguments = {name: made_by(text) for name, text in written.items()}
        except Exception:
            continue
        shorter = replace(call, arguments={**call.arguments, **arguments})
        if shows_the_same(shorter):
            found: dict[str, Any] = {"call": call.text, "inputs": written}
            if call.setup:
                found["setup"] = call.setup
            return found
    return None


def made_by(text: str) -> Tree:
    torch.manual_seed(0)
    return eval(text, {"torch": torch})


def _first_three(tree: Tree) -> Tree:
    """Enough for an operation that takes each element by itself."""
    return with_tensors(tree, lambda each: each.detach().reshape(-1)[:3] if each.dim() else each)


def _as_it_is(tree: Tree) -> Tree:
    return tree


def _text(tree: Tree) -> str | None:
    if isinstance(tree, torch.Tensor):
        return _tensor_text(tree)
    if isinstance(tree, (list, tuple)) and tensors_in(tree):
        return _sequence_text(tree)
    if isinstance(tree, dict):
        pairs = [(key, _text(value)) for key, value in tree.items()]
        if any(value is None for _, value in pairs):
            return None
        return "{" + ", ".join(f"{key!r}: {value}" for key, value in pairs) + "}"
    return constant(tree)


def _sequence_text(tree: Sequence[Tree]) -> str | None:
    parts = [_text(each) for each in tree]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    inside = ", ".join(known)
    if isinstance(tree, list):
        return f"[{inside}]"
    return f"({inside},)" if len(parts) == 1 else f"({inside})"


def constant(value: Any) -> str | None:
    """A text that makes the value again, if there is a short one."""
    if isinstance(value, torch.Size):
        return repr(tuple(value))
    if isinstance(value, (list, tuple)) and not tensors_in(value):
        return None if None in map(constant, value) else repr(value)
    if value is Ellipsis:
        return "..."
    if value is None or isinstance(value, (bool, int, float, complex, str, slice)):
        return repr(value)
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value)
    return repr(str(value)) if isinstance(value, torch.device) else None


def _tensor_text(tensor: torch.Tensor) -> str | None:
    if tensor.layout != torch.strided or tensor.numel() == 0:
        return None
    dtype = (
        ""
        if tensor.dtype in (torch.float64, torch.bool, torch.int64)
        else f", dtype={tensor.dtype}"
    )
    if tensor.dtype in (torch.float32, torch.complex64, torch.complex128):
        dtype = ""
    if tensor.numel() <= SHORT:
        text = f"torch.tensor({_rounded(tensor)}{dtype})"
        return None if "nan" in text or "inf" in text else text
    if is_differentiable(tensor):
        kind = ", dtype=torch.complex64" if tensor.is_complex() else dtype
        return f"torch.randn({_shape(tensor)}{kind})"
    text = f"torch.tensor({tensor.tolist()}{dtype})"
    return text if len(text) <= LONGEST else None


def _shape(tensor: torch.Tensor) -> str:
    return ", ".join(map(str, tensor.shape))


def _rounded(tensor: torch.Tensor) -> str:
    return str(_round(tensor.detach().tolist()))


def _round(value: Any) -> Any:
    if isinstance(value, list):
        return [_round(each) for each in value]
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, complex):
        return complex(round(value.real, 2), round(value.imag, 2))
    return value


__all__: list[str] = ["constant", "expressions", "made_by"]
