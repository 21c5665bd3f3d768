"""What torch.compile changes of a call's answers, with the backend that compiles no kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from survey.calls import Call
from survey.experiment import (
    VERSION_CHECK,
    NotComparableError,
    Run,
    backward,
    first_line,
    forward,
    kept,
    same_gradients,
    written_and_shared,
)

BACKEND = "aot_eager"


def changed_by_compiling(call: Call, usual: dict[str, Any], pattern: list[str]) -> dict[str, Any]:
    """What is otherwise when the call is compiled.

    Args:
        call: a call with inputs.
        usual: its `writes`, `result` and `keeps` in eager mode; `keeps` where the pattern
            requires grad.
        pattern: the arguments that shall require grad; none if backward can't run.

    Returns:
        Of the keys of `usual` those that differ; `backward` with what that says if it can't
        run; or `raises` with the kind of error if the call itself does.
    """
    torch.compiler.reset()  # or the ninth call of the same code runs as it is
    _keep_no_buffers()
    compiled = replace(call, run=torch.compile(call.run, backend=BACKEND, dynamic=False))
    try:
        writes, result = written_and_shared(compiled)
        run = forward(compiled, pattern)
    except Exception as error:
        return {"raises": first_line(error).partition(":")[0]}  # more may name an address
    found: dict[str, Any] = {"writes": writes, "result": result}
    if pattern:
        try:
            found["keeps"] = _kept(compiled, pattern, run)
        except NotComparableError:
            return {}
        except Exception as error:
            checked = VERSION_CHECK in str(error)
            found["backward"] = VERSION_CHECK if checked else first_line(error)
    return {key: value for key, value in found.items() if value != usual.get(key)}


def _keep_no_buffers() -> None:
    """Let a backward run more than once, as all experiments here do."""
    from torch._functorch import config

    if hasattr(config, "donated_buffer"):
        config.donated_buffer = False


def _kept(call: Call, pattern: list[str], run: Run) -> dict[str, str]:
    right = backward(run)
    if not same_gradients(right, backward(forward(call, pattern))):
        raise NotComparableError("two runs differ, with the same seed")
    return kept(call, pattern, run, right)
