"""Runs a program and gathers what a worker says of it."""

from __future__ import annotations

from contextlib import aclosing

from inplace_tui.common.run.outcome import Outcome
from inplace_tui.common.run.program import Backward, Limits, Mode, Origin, Program
from inplace_tui.common.run.step import Event, Step
from inplace_tui.diagnosis.protocol.messages import (
    BackwardRan,
    LineRecorded,
    ProgramEnded,
    ProgramStarted,
    Report,
)
from inplace_tui.diagnosis.runner.worker import Worker

LIMITS = Limits(seconds=20.0)

AGAIN = (0.5, 5.0, 50.0)
"""Seconds after which a program is ended that must have come somewhere: else it has the next."""


class Told:
    """All the reports of one run, sorted."""

    def __init__(self, reports: list[Report]) -> None:
        self.started = [r for r in reports if isinstance(r, ProgramStarted)]
        self.steps: list[Step] = [r.step for r in reports if isinstance(r, LineRecorded)]
        self.backwards: list[Backward] = [r.backward for r in reports if isinstance(r, BackwardRan)]
        self.ended = [r for r in reports if isinstance(r, ProgramEnded)]
        self.ends: list[Outcome] = [r.outcome for r in reports if isinstance(r, ProgramEnded)]
        self.events: list[Event] = [event for step in self.steps for event in step.events]

    @property
    def outcome(self) -> Outcome:
        """How the run ended; it does so once."""
        (outcome,) = self.ends
        return outcome


async def tell(
    worker: Worker,
    source: str,
    mode: Mode = Mode.BARE,
    limits: Limits = LIMITS,
    *,
    origin: Origin = Origin.OWN,
    **options: object,
) -> Told:
    """Run `source` and return what was reported; `options` are fields of `Program`."""
    program = Program(source=source, origin=origin, **options)  # type: ignore[arg-type]
    async with aclosing(worker.run(program, mode, limits)) as reports:
        return Told([report async for report in reports])
