"""What replays find of the tensors whose forecast the graph does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forecasts.judging import Silent
from inplace_tui.common.run.program import Limits, Program
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.drive.session_runner import find_forecast
from inplace_tui.tutorial.forecast.forecast import Unknown
from support.foretold import contradiction

_LIMITS = Limits(seconds=60)


async def mistakes(
    worker: Worker, program: Program, silent: Sequence[Silent], said: Counter[str]
) -> list[str]:
    """Return the forecasts that differ from what torch does.

    Args:
        worker: a started one.
        program: which is replayed.
        silent: the tensors.
        said: counts the answers by their kind; what stays open, by the reason.
    """
    found = []
    for each in silent:
        told = await find_forecast(worker, program, _LIMITS, step=each.step, tensor=each.name)
        said[told.why if isinstance(told, Unknown) else type(told).__name__] += 1
        problem = contradiction(told, each.tried, each.true)
        if problem is not None:
            line, visit = each.step.line, each.step.visit
            found.append(f"line {line}, visit {visit}, {each.name}: {told}: {problem}")
    return found
