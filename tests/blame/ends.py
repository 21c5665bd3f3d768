"""Runs programs in forks, watched or not, and tells how they ended: JSON lines in and out.

Run by any Python from 3.9 on that has torch; needs nothing but `inplace_tui.blame`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import traceback
import warnings
from typing import Any

SECONDS = 60


def shown(value: Any, depth: int = 3) -> Any:
    """Return what can be seen of a value without changing it."""
    import torch

    if isinstance(value, torch.Tensor):
        seen = {"type": type(value).__name__}
        for name in ("dtype", "shape", "is_leaf", "requires_grad", "_version"):
            try:
                seen[name] = str(getattr(value, name))
            except RuntimeError as error:
                seen[name] = str(error)
        try:
            seen["values"] = repr(value.detach().tolist())
        except (RuntimeError, NotImplementedError) as error:
            seen["values"] = str(error)
        if value.is_leaf and depth:
            seen["grad"] = shown(value.grad, depth - 1)
        return seen
    if isinstance(value, (list, tuple)) and depth:
        return [shown(each, depth - 1) for each in value]
    if isinstance(value, torch.nn.Module) and depth:
        state = [*value.named_parameters(), *value.named_buffers()]
        return {name: shown(each, depth - 1) for name, each in state}
    if isinstance(value, int) and value > 1 << 32:
        return "an address"
    if isinstance(value, (int, float, str, bool)) or value is None:
        return repr(value)
    return type(value).__name__


def ended(source: str, path: str, witness: Any = None) -> dict[str, Any]:
    """Run a program; return its exception, output, warnings and values."""
    out, error_out = io.StringIO(), io.StringIO()
    namespace = {"__name__": "__main__", "__file__": path}
    raised = None
    with open(path, "w", encoding="utf-8") as written:
        written.write(source)
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(error_out),
    ):
        warnings.simplefilter("always")
        try:
            exec(compile(source, path, "exec", dont_inherit=True), namespace)
        except BaseException as error:
            added = len(getattr(error, "__notes__", ()))
            notes = added if hasattr(error, "add_note") else None  # before Python 3.11
            trace = [
                (entry.filename, entry.lineno, entry.name)
                for entry in traceback.extract_tb(error.__traceback__)
                if "inplace_tui" not in entry.filename  # a wrapped function's, see docs/blame.md
            ]
            if witness is not None:
                witness.refused(error)  # as `with blame.watch()` does with what leaves it
            raised = [type(error).__name__, str(error), trace[1:], notes]
    return {
        "raised": raised,
        "out": out.getvalue(),
        "error_out": error_out.getvalue(),
        "warnings": [
            (each.category.__name__, str(each.message), each.filename, each.lineno)
            for each in caught
        ],
        "values": {
            name: shown(value) for name, value in namespace.items() if not name.startswith("__")
        },
    }


def run(job: dict[str, Any], path: str) -> dict[str, Any]:
    """Run a job as it asks to be run."""
    import torch

    from inplace_tui import blame

    stirred = [torch.rand(71 * n) for n in range(job.get("stir", 0))]
    del stirred[::2]
    witness = None
    with contextlib.ExitStack() as stack:
        if job["watched"]:
            witness = stack.enter_context(blame.watch(values=job.get("values", False)))
        end = ended(job["source"], path, witness)
    return {"end": end, "findings": [] if witness is None else witness.findings}


def in_fork(job: dict[str, Any], path: str) -> Any:
    """Return what a fork says of a job, or how it died."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(SECONDS)
        try:
            with os.fdopen(write, "w") as told:
                json.dump(run(job, path), told)
        except BaseException:
            traceback.print_exc()
            os._exit(70)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    return json.loads(said) if said else {"end": {"died": status}, "findings": []}


def main() -> None:
    """Answer one job a line."""
    import torch

    with contextlib.suppress(ImportError):  # before torch 2.0 there is none
        import torch._dynamo  # once, and not in each fork that makes an optimizer
    import torch.utils.checkpoint

    torch.set_num_threads(1)
    path = os.path.abspath("program.py")
    for line in sys.stdin:
        print(json.dumps(in_fork(json.loads(line), path)), flush=True)


if __name__ == "__main__":
    main()
