"""Finds the forecast of one tensor by replays, where the graph does not show it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from inplace_tui.common.run import outcome
from inplace_tui.common.run.outcome import Completed, Outcome, Raised
from inplace_tui.common.run.program import Backward, Detail, ExtraBackward, Limits, Mode, Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.verdicts import verdict_of_message
from inplace_tui.common.version_error import version_error
from inplace_tui.diagnosis.blame.truth import Evidence, compare
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.forecast.forecast import Forecast, Raises, Runs, RunsWrong, Unknown
from inplace_tui.tutorial.forecast.obstacles import UnknownReason


@dataclass(frozen=True)
class _Replay:
    """One replay."""

    outcome: Outcome
    before: tuple[Backward, ...]
    """What the program's own backwards delivered."""

    backward: Backward | None
    """What the one that was tried did; None if the replay did not come to it."""


async def find_forecast(
    worker: Worker, program: Program, limits: Limits, *, step: Step, tensor: str
) -> Forecast:
    """Replay a program up to a step, and return what backward from a tensor does there."""
    extra_backward = ExtraBackward(line=step.line, visit=step.visit, tensor=tensor)
    first = await _replay(worker, program, limits, Mode.BARE, extra_backward)
    if first.backward is None:
        return Unknown(UnknownReason.NOT_REPEATED)
    if isinstance(first.outcome, Raised):
        second = await _replay(worker, program, limits, Mode.BARE, extra_backward)
        same = isinstance(second.outcome, Raised) and (
            (second.outcome.exception, second.outcome.message)
            == (first.outcome.exception, first.outcome.message)
        )
        return _raised(first.outcome) if same else Unknown(UnknownReason.NOT_REPEATED)
    if not isinstance(first.outcome, Completed):
        return Unknown(UnknownReason.NOT_COMPARED)
    second, cloned = await asyncio.gather(
        _replay(worker, program, limits, Mode.BARE, extra_backward),
        _replay(worker, program, limits, Mode.CLONED, extra_backward),
    )
    return _compared(first, second, cloned)


def _raised(error: Raised) -> Raises:
    versions = version_error(error.message)
    return Raises(
        verdict_of_message(error.message),
        saved=None if versions is None else versions.expected,
        now=None if versions is None else versions.now,
    )


def _compared(first: _Replay, second: _Replay, cloned: _Replay) -> Forecast:
    if first != second:
        return Unknown(UnknownReason.NOT_REPEATED)
    if first.before:
        earlier = compare(*(_evidence(each, earlier=True) for each in (first, second, cloned)))
        if isinstance(earlier, outcome.Wrong):
            return Unknown(UnknownReason.EARLIER_WRONG)
    truth = compare(*(_evidence(each) for each in (first, second, cloned)))
    match truth:
        case outcome.Right():
            return Runs()
        case outcome.Wrong():
            return RunsWrong()
        case outcome.NotReproducible() | outcome.Unverified():
            return Unknown(UnknownReason.NOT_COMPARED)


def _evidence(replay: _Replay, *, earlier: bool = False) -> Evidence:
    last = () if earlier or replay.backward is None else (replay.backward,)
    return Evidence(outcome=replay.outcome, backwards=(*replay.before, *last))


async def _replay(
    worker: Worker, program: Program, limits: Limits, mode: Mode, extra_backward: ExtraBackward
) -> _Replay:
    backwards: list[Backward] = []
    before: int | None = None
    detail = Detail(extra_backward=extra_backward)
    async with aclosing(worker.run_in_detail(program, mode, limits, detail)) as reports:
        async for report in reports:
            match report:
                case messages.BackwardRan(backward=backward):
                    backwards.append(backward)
                case messages.LineRecorded():
                    before = len(backwards)
                case messages.ProgramEnded(outcome=ended):
                    reached = before is not None and len(backwards) == before + 1
                    replay = backwards.pop() if reached else None
                    return _Replay(ended, tuple(backwards), replay)
                case messages.ProgramStarted() | messages.ProgramWrote():
                    continue
    raise AssertionError("a run ends with ProgramEnded")
