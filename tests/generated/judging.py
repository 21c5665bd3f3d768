"""What the project says of a program, beside what torch alone says."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from generated.oracle import DELIVERED, alike
from generated.programs import Generated
from generated.twins import Twins
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Completed, Raised, Truth, Unverified, Wrong
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.explain.explanation import culprits
from inplace_tui.diagnosis.runner.worker import Worker

_LIMITS = Limits(seconds=60)


@dataclass(frozen=True)
class Answer:
    """How a program ends."""

    outcome: str
    """As `explain --json` names it."""

    exception: str | None = None
    message: str | None = None
    line: int | None = None
    """Where it raised."""


@dataclass(frozen=True)
class Disagreement:
    """A program of which the project does not say what is so."""

    program: Generated
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"# {self.program.name}", *self.reasons, self.program.source])


class Oracle:
    """The process that asks torch alone."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._turn = asyncio.Lock()

    async def answer(self, source: str) -> Answer:
        """Return how the program ends."""
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        async with self._turn:
            asked.write(json.dumps(source).encode() + b"\n")
            return Answer(**json.loads(await told.readline()))

    async def delivered(self, source: str) -> list[list[float] | None] | None:
        """Return the gradients and the loss of a program; None if it raises."""
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        async with self._turn:
            asked.write(json.dumps(DELIVERED + source).encode() + b"\n")
            answer = json.loads(await told.readline())
        return answer["gradients"] if answer["outcome"] == "right" else None


@asynccontextmanager
async def oracle() -> AsyncIterator[Oracle]:
    """Start it, and end it."""
    script = Path(__file__).with_name("oracle.py")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", str(script), stdin=PIPE, stdout=PIPE, limit=2**24
    )
    try:
        yield Oracle(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


async def disagreements(
    worker: Worker, torch_alone: Oracle, programs: Sequence[Generated]
) -> list[Disagreement]:
    """Return the programs of which something else is said than is so.

    Two are under way at once: while one waits for its child, the other is read.
    """
    waiting = asyncio.Semaphore(2)

    async def judged(program: Generated) -> Disagreement | None:
        async with waiting:
            reasons = await _reasons(worker, torch_alone, program)
        return Disagreement(program, reasons) if reasons else None

    return [each for each in await asyncio.gather(*map(judged, programs)) if each is not None]


async def refuted(worker: Worker, torch_alone: Oracle, twins: Twins) -> list[str]:
    """Return what `explain` says of a program that its twin refutes."""
    program = Program(source=twins.source, origin=Origin.OWN)
    case = await explain(worker, program, Options())
    got, meant = [await torch_alone.delivered(each) for each in (twins.source, twins.twin)]
    assert meant is not None, twins.twin
    found = []
    if case.ending is Ending.RIGHT and (got is None or not alike(got, meant)):
        found.append(f"called right: {got}, the twin has {meant}")
    if case.ending is Ending.WRONG and got is not None and alike(got, meant):
        found.append(f"called wrong, as the twin is: {meant}")
    if (got is None) != isinstance(case.outcome, Raised):
        found.append(f"ended as {case.outcome}")
    accused = [each.line for each in culprits(case)]
    if accused[:1] not in ([], [twins.line]):
        found.append(f"accused line {accused[0]}, written on line {twins.line}")
    if case.ending in _NEED_CULPRITS and not accused:
        found.append("no line is accused")
    for fix in case.fixes:
        fixed = await torch_alone.delivered(fix.source)
        lost = fixed is None or [each is None for each in fixed] != [each is None for each in meant]
        if lost:
            found.append(f"the fix {fix.title['en']!r} drops a gradient: {fixed}\n{fix.source}")
    return found


_NEED_CULPRITS = (Ending.WRONG, Ending.RAISES_IN_BACKWARD)


async def _reasons(worker: Worker, torch_alone: Oracle, program: Generated) -> tuple[str, ...]:
    run = Program(source=program.source, origin=Origin.OWN)
    true, timeline = await asyncio.gather(
        torch_alone.answer(program.source), record(worker, run, _LIMITS)
    )
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed):
        truth = await verify(worker, run, _LIMITS)
    said = _said(timeline, truth)
    if said != true:
        return (f"said {said} {truth}", f"true {true}")
    found = find_blame(timeline, truth, source=program.source)
    if true.outcome == "right":
        return () if found is None else (f"blamed although all is well: {found.verdict}",)
    if found is None:
        return (f"no blame for {true}",)
    culprit = found.writes[0].line if found.writes else None
    if culprit != program.line:
        return (f"{found.verdict}: culprit {culprit}, written on {program.line}", f"{true}")
    return ()


def _said(timeline: Timeline, truth: Truth) -> Answer:
    match timeline.outcome:
        case Raised(in_backward=in_backward) as raised:
            outcome = "raises_in_backward" if in_backward else "raises_before"
            return Answer(outcome, raised.exception, raised.message, raised.line)
        case Completed():
            return Answer("wrong" if isinstance(truth, Wrong) else "right")
        case other:
            return Answer(str(other))
