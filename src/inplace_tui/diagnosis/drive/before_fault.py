"""Whether runs can begin just before a fault: a copy of the program must fail as it did itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inplace_tui.common.run.outcome import Completed, Outcome, Raised
from inplace_tui.common.run.program import Detail, Limits, Mode, Program, Stop
from inplace_tui.diagnosis.blame.truth import Evidence, ended_alike
from inplace_tui.diagnosis.drive.copies import FaultCopies
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.fixes.stopping import stop_before
from inplace_tui.diagnosis.runner.memory import beside
from inplace_tui.diagnosis.runner.worker import Worker

COPIED_FROM = 0.25
"""Seconds of a processor in a program's own run, from which on it is copied: a shorter one runs
from the start as often as it takes, so that everything is seen in whole runs."""

STEPS_ONLY = Detail(elements=False, compared_seconds=0.0, steps=True)
"""Nothing of the gradients but which never were there."""


def worth_copying(program: Program, first: Evidence, limits: Limits) -> Stop | None:
    """Return where a program is to stop to be copied; None if it is better run from the start.

    `first` is its own run.
    """
    is_long = COPIED_FROM <= (first.seconds or 0.0) < (limits.seconds or 0.0)
    return stop_before(program, first) if is_long and limits.in_view else None


@asynccontextmanager
async def copies_before_fault(
    worker: Worker, program: Program, first: Evidence, stop: Stop, limits: Limits
) -> AsyncIterator[FaultCopies | None]:
    """Run a program up to there, and give what runs copies of it.

    It is None where no copy can take the place of a run from the start.
    """
    copies = FaultCopies(worker, program, stop, first.seconds or 0.0)
    try:
        tried = beside(limits, first.resident)
        yield copies if await _fails_alike(copies, program, first.outcome, tried) else None
    finally:
        await copies.close()


async def _fails_alike(
    copies: FaultCopies, program: Program, first: Outcome, limits: Limits
) -> bool:
    """Whether a copy fails as the program did, and what it does beyond leaves no trace."""
    bare = await evidence(copies, program, Mode.BARE, limits)
    if not _is_same(first, bare.outcome):
        return False
    cloned = (await evidence(copies, program, Mode.CLONED, limits)).outcome
    # What it does beyond may be refused to a copy, as to write files is.
    return isinstance(cloned, Completed) or _is_same(first, cloned)


def _is_same(first: Outcome, again: Outcome) -> bool:
    if not (isinstance(first, Raised) and isinstance(again, Raised)):
        return False
    return ended_alike(first, again) and first.message == again.message


async def run_whole(copies: FaultCopies, program: Program, limits: Limits) -> Evidence:
    """Run an edited program once from its start to its end."""
    return await evidence(copies.worker, program, Mode.BARE, limits, STEPS_ONLY)
