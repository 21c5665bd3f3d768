"""Runs one program from start to end, with nobody looking on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from inplace_tui.drive.runs import record, verify
from inplace_tui.model.outcome import Completed, Truth, Unverified
from inplace_tui.model.program import Limits, Program
from inplace_tui.model.timeline import Timeline
from inplace_tui.runner.states import Refused
from inplace_tui.runner.worker import Worker


class WorkerRefusedError(Exception):
    """No program can be run here; the message says why."""


@dataclass(frozen=True)
class Played:
    """What a program did."""

    timeline: Timeline
    truth: Truth


@asynccontextmanager
async def warm_worker(python: Path | None = None) -> AsyncIterator[Worker]:
    """Start a worker, wait until it is ready, and leave nothing running.

    Args:
        python: another interpreter, whose torch and packages are to be used.

    Raises:
        WorkerRefusedError: it will never be ready.
    """
    worker = Worker(python=python)
    await worker.start()
    try:
        state = await worker.ready()
        if isinstance(state, Refused):
            raise WorkerRefusedError(state.reason)
        yield worker
    finally:
        await worker.close()


async def play(program: Program, limits: Limits, *, once: bool = False) -> Played:
    """Run a program; if it completes, again to see whether its gradients are right.

    Args:
        program: what to run.
        limits: of every run.
        once: leave the others out.

    Raises:
        WorkerRefusedError: no program can be run here.
    """
    async with warm_worker() as worker:
        timeline = await record(worker, program, limits)
        truth: Truth = Unverified()
        if isinstance(timeline.outcome, Completed) and not once:
            truth = await verify(worker, program, limits)
    return Played(timeline, truth)
