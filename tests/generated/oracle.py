"""Torch alone, asked how a program ends. Run as a script: one JSON line in, one out.

Nothing of the project is imported here, so that no mistake of its own can
agree with itself. Each program runs in a child of its own, forked from a
process that has run no operation.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from math import isclose, isnan
from typing import Any

import torch
import torch._dynamo
from torch.autograd.graph import saved_tensors_hooks  # noqa: TID251 - this is a truth replay

FILENAME = "program.py"
DELIVERED = "# delivered\n"
"""Begins a program of which the gradients themselves are asked, and the loss with them."""


def main() -> None:
    """Answer every line until there are no more."""
    torch.set_num_threads(1)
    torch.manual_seed(0)  # reads sources of torch's to quote them: once here, not in each child
    gc.freeze()  # and no child searches all that is here for garbage
    for line in sys.stdin:
        source = json.loads(line)
        answer, gradients = in_child(partial(run, source))
        if source.startswith(DELIVERED):
            sys.stdout.write(json.dumps({"outcome": answer["outcome"], "gradients": gradients}))
            sys.stdout.write("\n")
            sys.stdout.flush()
            continue
        if answer["outcome"] == "right":
            _, true = in_child(partial(cloned, source))
            if not alike(gradients, true):
                answer["outcome"] = "wrong"
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def run(source: str) -> tuple[dict[str, object], list[Any]]:
    """Return how the program ends, and its gradients."""
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    answer: dict[str, object] = dict.fromkeys(("exception", "message", "line"))
    answer["outcome"] = "right"
    try:
        exec(compile(source, FILENAME, "exec", dont_inherit=True), names)
    except Exception as error:  # noqa: BLE001
        frames = traceback.extract_tb(error.__traceback__)
        asked = any(f"autograd{os.sep}" in frame.filename for frame in frames)
        answer["outcome"] = "raises_in_backward" if asked else "raises_before"
        answer["exception"] = type(error).__name__
        answer["message"] = str(error)
        answer["line"] = [frame.lineno for frame in frames if frame.filename == FILENAME][-1]
    return answer, gradients_of(names)


def cloned(source: str) -> tuple[dict[str, object], list[Any]]:
    """As `run`, with every saved tensor out of reach of later writes."""

    def unpack(kept: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        clone, original = kept
        # The one op that saves what it has yet to fill; its noise needs no gradient.
        drawn_late = "Rrelu" in torch._C._current_autograd_node().name()
        return original if drawn_late and not original.requires_grad else clone

    with saved_tensors_hooks(lambda tensor: (tensor.detach().clone(), tensor), unpack):
        return run(source)


def gradients_of(names: dict[str, Any]) -> list[Any]:
    """Return what arrived at the leaves, and what `grad` returned, as lists of numbers."""
    found: list[Any] = []
    for value in names.values():
        if isinstance(value, torch.nn.Module):
            found += [parameter.grad for parameter in value.parameters()]
        elif isinstance(value, torch.Tensor) and is_leaf(value):
            found.append(value.grad)
    found += names.get("g", ())
    if isinstance(names.get("loss"), torch.Tensor):
        found.append(names["loss"])
    return [None if tensor is None else plain(tensor) for tensor in found]


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether gradients arrive here; torch refuses to say it of some views."""
    try:
        return bool(tensor.requires_grad and tensor.is_leaf)
    except RuntimeError:
        return False


def plain(tensor: torch.Tensor) -> list[float]:
    """Return the elements in double precision, real parts first."""
    tensor = tensor.detach().to_dense() if tensor.is_sparse else tensor.detach()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    numbers: list[float] = tensor.double().flatten().tolist()
    return numbers


def alike(got: list[Any], true: list[Any]) -> bool:
    """Whether they are equal but for rounding; done by Python, as this process must run no op."""
    if [each is None for each in got] != [each is None for each in true]:
        return False
    return all(
        isclose(number, exact, rel_tol=1e-5, abs_tol=1e-7) or (isnan(number) and isnan(exact))
        for numbers, wanted in zip(got, true, strict=True)
        if numbers is not None
        for number, exact in zip(numbers, wanted, strict=True)
    )


def in_child(work: Callable[[], Any]) -> Any:
    """Return what `work` returns in a process that ends with it."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        told = pickle.dumps(work())
        with os.fdopen(write, "wb") as pipe:
            pipe.write(told)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    os.waitpid(pid, 0)
    return pickle.loads(told)


if __name__ == "__main__":
    main()
