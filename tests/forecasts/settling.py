"""What replays settle of the tensors of which the graph does not tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forecasts.judging import Silent
from inplace_tui.drive.forecast import settle
from inplace_tui.engine.forecast.forecast import Unknown
from inplace_tui.model.program import Limits, Program
from inplace_tui.runner.worker import Worker
from support.foretold import contradiction

_LIMITS = Limits(seconds=60)


async def mistakes(
    worker: Worker, program: Program, silent: Sequence[Silent], said: Counter[str]
) -> list[str]:
    """Return what is settled otherwise than torch has it.

    Args:
        worker: a started one.
        program: which is replayed.
        silent: what to settle.
        said: counts the answers by their kind; what stays open, by the reason.
    """
    found = []
    for each in silent:
        told = await settle(worker, program, _LIMITS, step=each.step, tensor=each.name)
        said[told.why if isinstance(told, Unknown) else type(told).__name__] += 1
        problem = contradiction(told, each.tried, each.true)
        if problem is not None:
            line, visit = each.step.line, each.step.visit
            found.append(f"line {line}, visit {visit}, {each.name}: {told}: {problem}")
    return found
