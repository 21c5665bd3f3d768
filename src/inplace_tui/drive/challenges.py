"""Runs what a challenge needs run: its references, and all that `check` asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from inplace_tui.drive.check import in_order
from inplace_tui.drive.runs import record, verify
from inplace_tui.engine.challenges.challenge_check import attempts, judge, verified_by
from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.challenges.grading import References
from inplace_tui.engine.lessons.check import Verified
from inplace_tui.engine.lessons.claims import FinishedRun
from inplace_tui.model.outcome import Completed, Truth, Unverified
from inplace_tui.model.program import Limits
from inplace_tui.runner.worker import Worker


@dataclass(frozen=True)
class CheckedChallenge:
    """A challenge, and its result."""

    loaded: LoadedChallenge
    verified: Verified


async def references(
    worker: Worker, loaded: LoadedChallenge, limits: Limits | None = None
) -> References:
    """Record the program as it was, and the solution."""
    limits = limits or Limits()
    start = await record(worker, loaded.program(), limits)
    return References(start, await record(worker, loaded.program(loaded.solved_code), limits))


def check(challenges: Sequence[LoadedChallenge], worker: Worker) -> AsyncIterator[CheckedChallenge]:
    """Run every program of every challenge; yield the challenges in their order."""

    async def checked(loaded: LoadedChallenge) -> CheckedChallenge:
        runs = {each.source: await run(worker, loaded, each.source) for each in attempts(loaded)}
        return CheckedChallenge(loaded, judge(loaded, runs))

    return in_order(challenges, checked)


async def run(
    worker: Worker, loaded: LoadedChallenge, source: str, limits: Limits | None = None
) -> FinishedRun:
    """Run an edited program as far as its grade needs it."""
    limits = limits or Limits()
    program = loaded.program(source)
    timeline = await record(worker, program, limits)
    done = FinishedRun(timeline, Unverified(), {}, source)
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed) and verified_by(loaded, done):
        truth = await verify(worker, program, limits)
    return FinishedRun(timeline, truth, {}, source)
