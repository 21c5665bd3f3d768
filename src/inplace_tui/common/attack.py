"""Runs the program of a general sentence with everything that may stand in its gap.

It is called by a program in the process of a run, and needs nothing but Python there.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from types import FunctionType

_BEFORE = """\
import torch
torch.manual_seed(0)

def raised(call):
    try:
        call()
    except Exception as error:
        return str(error) or type(error).__name__
    return ""
"""


def attack(gap: str, corner: str, code: str) -> None:
    """Print, as JSON, what happens with each function of a corner under the name of the gap.

    The program may call `raised`, which returns the message of the error that a call raises.

    Args:
        gap: the name by which `code` calls the function.
        corner: Python that defines functions; those with an underscore before are for the others.
        code: a program that asserts what the sentence says.
    """
    space: dict[str, object] = {"__name__": gap}
    exec(corner, space)  # noqa: S102  # as any program in a run
    found = {
        name: _refuted(code, {gap: each})
        for name, each in [*space.items()]
        if isinstance(each, FunctionType) and each.__module__ == gap and not name.startswith("_")
    }
    print(json.dumps(found))  # noqa: T201  # to the run's own output


def _refuted(code: str, space: dict[str, Callable[..., object]]) -> str:
    """Return the line of a program that did not run, and why; empty if it ran to its end."""
    try:
        exec(_BEFORE, space)  # noqa: S102
        exec(code, space)  # noqa: S102
    except Exception as error:  # noqa: BLE001  # any refutes the sentence
        called = traceback.extract_tb(error.__traceback__)
        lines = [each.lineno or 1 for each in called if each.filename == "<string>"]
        line = code.splitlines()[lines[0] - 1].strip()
        return f"{line} -> {type(error).__name__}" + (f": {error}" if str(error) else "")
    return ""
