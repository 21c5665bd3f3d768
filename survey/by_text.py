"""Calls that are written out by hand, where torch's tests have no sample."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional

from survey.calls import Call
from survey.programs import made_by
from survey.trees import Arguments, Tree


def call(
    text: str, inputs: dict[str, str], *, receiver: str | None = None, frozen: bool = False
) -> Call:
    """An expression, whose value is the result, or statements that may bind `out`."""
    arguments = {name: made_by(made) for name, made in inputs.items()}
    code, is_value = _compiled(text)

    def run(given: Arguments) -> Tree:
        names: dict[str, Any] = {**GIVEN, **given}
        if is_value:
            return eval(code, names)
        exec(code, names)
        return names.get("out")

    return Call(run, arguments, text, receiver=receiver, frozen=frozen)


GIVEN: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}


def _compiled(text: str) -> Any:
    try:
        return compile(text, "<survey>", "eval"), True
    except SyntaxError:
        return compile(text, "<survey>", "exec"), False


def calls(texts: list[str], inputs: dict[str, str], *, receiver: str | None = None) -> list[Call]:
    """Those names among the inputs that a text mentions are its arguments."""
    return [
        call(text, {name: made for name, made in inputs.items() if name in text}, receiver=receiver)
        for text in texts
    ]
