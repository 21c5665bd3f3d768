"""Whole runs: what a program did, line by line, and whether its gradients are right."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from inplace_tui.common.decodable import decodable
from inplace_tui.common.run.outcome import Completed, Outcome, Raised, Truth, Unverified
from inplace_tui.common.run.program import Backward, Detail, Gradient, Limits, Mode, Origin, Program
from inplace_tui.common.run.step import Event, Printed
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.torch_names import TorchNames
from inplace_tui.diagnosis.blame.truth import Comparison, Evidence, compare, packed
from inplace_tui.diagnosis.drive.copies import FaultCopies
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker

ASK_TORCH = Program(
    source="from inplace_tui.diagnosis.record.torch_names import print_names\nprint_names()\n",
    origin=Origin.BUILT_IN,
)
MAX_MADE = 16
"""Files and folders that a program is run without; each is found by one more run."""

ANSWER = Limits(seconds=30.0, output_bytes=8 * 2**20)


class WorkerRefusedError(Exception):
    """No program can be run here; the message says why."""


class NoRecorderError(WorkerRefusedError):
    """Programs can run here, but not be recorded."""


@asynccontextmanager
async def warm_worker(python: Path | None = None) -> AsyncIterator[Worker]:
    """Start a worker, wait until it is ready, and leave nothing running.

    With `python`, another interpreter, whose torch and packages are to be used.

    Raises:
        WorkerRefusedError: it will never be ready.
    """
    worker = Worker(python=python)
    await worker.start()
    try:
        state = await worker.ready()
        if isinstance(state, messages.Refused):
            kind = NoRecorderError if state.has_torch else WorkerRefusedError
            raise kind(state.reason)
        yield worker
    finally:
        await worker.close()


def replay_limits(worker: Worker, program: Program, limits: Limits) -> Limits | None:
    """Return the limits of a run after the first one; None where there can be no such run.

    The user's own programs run again in a view of the files, which they can't change.
    """
    if program.origin is not Origin.OWN:
        return limits
    state = worker.state
    if isinstance(state, messages.Ready) and state.no_view is not None:
        return None
    return msgspec.structs.replace(limits, in_view=True)


Runner: TypeAlias = Worker | FaultCopies
"""What runs programs: from the start, or from just before a fault."""

Ran = TypeVar("Ran", Evidence, Timeline)


class Leftovers:
    """Files and folders that a program's first run made, and that it would refuse to make again.

    Its replays find them out: each ends at one that is in its way, and is repeated without it.
    """

    def __init__(self, made: tuple[str, ...] = ()) -> None:
        self.made = made
        self.first: Outcome = Completed()
        """How the first run ended: what was in its own way stays there."""

    async def run(
        self, run: Callable[[Program], Awaitable[Ran]], program: Program, limits: Limits
    ) -> Ran:
        """Run a program without them, in a view, until no other one is in its way."""
        while True:
            tried = msgspec.structs.replace(program, made=self.made)
            ran = await run(tried)
            path = _existing(ran.outcome)
            if not path or not limits.in_view or _existing(self.first):
                return ran
            if path in tried.made or len(tried.made) == MAX_MADE:
                return ran
            if path not in self.made:  # runs that are under way at once find the same
                self.made = (*self.made, path)


def _existing(outcome: Outcome | None) -> str:
    """Return the path that was there where a run wanted to make it; empty for any other end."""
    if not isinstance(outcome, Raised) or outcome.exception != "FileExistsError":
        return ""
    found = re.fullmatch(r"\[Errno \d+\] .+?: (?:'([^'\\]+)'|\"([^\"\\]+)\")", outcome.message)
    return "" if found is None else found[1] or found[2]


async def record(
    worker: Runner, program: Program, limits: Limits, *, detail: Detail = PLAIN
) -> Timeline:
    """Run a program, return its timeline with its outcome."""
    timeline = Timeline()
    async with aclosing(worker.run(program, Mode.RECORD, limits, detail)) as reports:
        async for report in reports:
            match report:
                case messages.LineRecorded(step=step):
                    timeline.append(step)
                case messages.ProgramEnded(outcome=outcome, faults=faults, off_at=off_at):
                    timeline.outcome, timeline.faults = outcome, faults
                    timeline.off_at = off_at
                case messages.ProgramStarted() | messages.BackwardRan() | messages.ProgramWrote():
                    continue
    return timeline


async def verify(worker: Worker, program: Program, limits: Limits) -> Truth:
    """Run a program three more times and return whether its gradients are right.

    A program that does not run to its end has no gradients to speak of: after
    one run that says so, the other two are not made.
    """
    leftovers, backwards = Leftovers(), list[bytes]()

    def take(backward: Backward) -> None:
        backwards.append(packed(backward))

    async def bare(program: Program) -> Evidence:
        backwards.clear()
        return await evidence(worker, program, Mode.BARE, limits, take=take)

    first = await leftovers.run(bare, program, limits)
    if not isinstance(first.outcome, Completed):
        return Unverified()
    program = msgspec.structs.replace(program, made=leftovers.made)
    trial = Comparison(first.outcome, backwards)
    second, cloned = await asyncio.gather(
        evidence(worker, program, Mode.BARE, limits, take=trial.repeat),
        evidence(worker, program, Mode.CLONED, limits, take=trial.replay),
    )
    trial.without_gradient = cloned.without_gradient
    return trial.truth(second.outcome, cloned.outcome)


Delivered: TypeAlias = tuple[Outcome, tuple[Backward, ...]]
"""How a run ended, and what its backwards delivered."""


def compared(first: Delivered, second: Delivered, cloned: Delivered) -> Truth:
    """Return whether gradients are right, by two bare runs and one with saved tensors cloned."""
    runs = (first, second, cloned)
    return compare(*(Evidence(outcome=ended, backwards=each) for ended, each in runs))


async def run_and_verify(
    program: Program,
    limits: Limits,
    *,
    once: bool,
    on_once: Callable[[], None] | None = None,
    python: Path | None = None,
) -> tuple[Timeline, Truth]:
    """Run a program; if it completes, again to see whether its gradients are right.

    With `once`, the others are left out; `on_once` is called before the first one where there can
    be no others.

    Raises:
        WorkerRefusedError: no program can be run here.
    """
    async with warm_worker(python) as worker:
        again = None if once else replay_limits(worker, program, limits)
        if again is None and not once and on_once is not None:
            on_once()
        timeline = await record(worker, program, limits)
        truth: Truth = Unverified()
        if isinstance(timeline.outcome, Completed) and again is not None:
            truth = await verify(worker, program, again)
    return timeline, truth


async def evidence(
    worker: Runner,
    program: Program,
    mode: Mode,
    limits: Limits,
    detail: Detail = PLAIN,
    *,
    on_events: Callable[[Sequence[Event]], None] | None = None,
    take: Callable[[Backward], None] | None = None,
) -> Evidence:
    """Run a program once, BARE or CLONED, and return what its backwards delivered.

    `on_events` is called with what it writes, as it comes, if `detail` asks for its output. Where
    backwards may be many, `take` is given each of them as it comes, and none is kept.
    """
    backwards: list[Backward] = []
    take = take or backwards.append
    left, moved, without = tuple[Gradient, ...](), tuple[str, ...](), tuple[str, ...]()
    steps: list[Backward] = []
    printed: list[str] = []
    async with aclosing(worker.run(program, mode, limits, detail)) as reports:
        async for report in reports:
            match report:
                case messages.BackwardRan(backward=Backward(left=True) as end):
                    left, moved = end.gradients, end.moved
                case messages.BackwardRan(backward=backward) if backward.without_gradient:
                    without = backward.without_gradient
                case messages.BackwardRan(backward=Backward(stepped=tuple()) as step):
                    steps.append(step)
                case messages.BackwardRan(backward=backward):
                    take(backward)
                case messages.ProgramWrote(events=events):
                    if on_events is not None:
                        on_events(events)
                    wrote = (each for each in events if isinstance(each, Printed))
                    printed += [each.text for each in wrote if each.stream == "stdout"]
                case messages.ProgramEnded() as ended:
                    return Evidence(
                        outcome=ended.outcome,
                        loaded=ended.loaded,
                        libraries=ended.libraries,
                        surroundings=ended.surroundings,
                        seen=ended.seen,
                        seconds=ended.seconds,
                        begun=ended.backwards,
                        saved_after=ended.saved_after,
                        resident=ended.resident,
                        probes=ended.probes,
                        wrote_files=ended.wrote_files,
                        backwards=tuple(backwards),
                        left=left,
                        moved=moved,
                        without_gradient=without,
                        steps=tuple(steps),
                        printed="".join(printed),
                    )
                case messages.ProgramStarted() | messages.LineRecorded():
                    continue
    raise AssertionError("a run ends with ProgramEnded")


async def torch_names(worker: Worker) -> TorchNames | None:
    """Return what torch offers; None where it could not be asked."""
    asked = await evidence(worker, ASK_TORCH, Mode.BARE, ANSWER, Detail(output=True))
    try:
        return msgspec.json.decode(asked.printed, type=decodable(TorchNames))
    except msgspec.DecodeError:
        return None
