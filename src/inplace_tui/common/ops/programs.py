"""Programs that show what the survey says: a call, a write to one of its tensors, a backward."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplace_tui.common.ops.survey import RESULT, OpCase
from inplace_tui.common.syntax import parsed


def write_to(case: OpCase, tensor: str) -> str:
    """Return the plainest write to a tensor of a case."""
    is_mask = re.search("True|False", case.inputs.get(tensor, "")) is not None
    return "{name}.logical_not_()" if is_mask else "{name}.add_(1)"


def needing_grad(case: OpCase, tensor: str) -> list[str]:
    """Return the arguments that must require grad to show what a write to a tensor does."""
    alone = case.kept_for(tensor)
    return alone[:1] if alone else case.grads


def program(case: OpCase, tensor: str, write: str | None = None) -> str | None:
    """Return a program in which a tensor is written between the call and its backward.

    Args:
        case: of an op that is recorded, in place or not.
        tensor: an argument, or `out`, what the call returns.
        write: a statement, with `{name}` for the tensor; without it, one that `write_to` says.

    Returns:
        None where the survey has no call with its inputs, or the tensor has no name of its own.
    """
    required = needing_grad(case, tensor)
    if case.call is None or case.loss is None or not required or not case.inputs:
        return None
    is_result = tensor == RESULT and case.loss in (f"{RESULT}.sum()", f"{RESULT}.real.sum()")
    # One that shares memory is another name of an argument.
    if tensor not in case.inputs and not (is_result and case.result == ["new"]):
        return None
    made = [case.inputs[each] for each in {tensor, *required} & case.inputs.keys()]
    if not all(each.startswith("torch.") for each in made):
        return None  # a list of tensors
    lines = [*_imports(case), "torch.manual_seed(0)", *case.setup]
    written = [name for name in case.writes if name in case.inputs]
    for name, text in case.inputs.items():
        grad = ".requires_grad_()" if name in required else ""
        # What the call writes may be no leaf that requires grad.
        copied = f"{text}{grad}.clone()" if grad and name in written else f"{text}{grad}"
        lines.append(f"{name} = {copied}")
    is_value = isinstance(parsed(case.call).body[0], ast.Expr)
    lines.append(f"{RESULT} = {case.call}" if is_value else case.call)
    line = (write or write_to(case, tensor)).format(name=tensor)
    is_leaf = tensor in required and tensor not in written
    lines += ["with torch.no_grad():", f"    {line}"] if is_leaf else [line]
    start = case.loss if re.fullmatch(r"[\w.]+\(\)", case.loss) else f"({case.loss})"
    return "\n".join([*lines, f"{start}.backward()", ""])


def _imports(case: OpCase) -> Iterator[str]:
    yield "import torch"
    if "F." in (case.call or ""):
        yield "import torch.nn.functional as F"


def write_by(case: OpCase) -> str | None:
    """Return a call as a statement that writes a tensor called `{name}`, for `program`.

    Its further tensors are drawn in the shape of that one.
    """
    written = [*case.writes]
    if case.call is None or not written or case.setup:
        return None
    text = re.sub(rf"\b{written[0]}\b", "{name}", case.call)
    for name in case.inputs:
        text = re.sub(rf"\b{name}\b(?!=)", "torch.rand_like({name})", text)
    return text
