"""A worker without a process: it tells what is written here, whatever it is asked to run.

The screens are tested against it; that real workers tell the same is tested
with real workers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping

from inplace_tui.common.run.outcome import Completed, Outcome
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.common.run.step import Step
from inplace_tui.diagnosis.protocol.messages import (
    Closed,
    LineRecorded,
    ProgramEnded,
    ProgramStarted,
    Ready,
    Report,
    State,
)
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from support.played import STEPS

Run = tuple[tuple[Step, ...], Outcome]
WELL: Run = (STEPS, Completed())
READY = Ready(torch="2.13.0")


class StandIn(Worker):
    """Is ready at once, unless told to wait."""

    def __init__(self, runs: Mapping[str, Run] | None = None, *, waits: bool = False) -> None:
        """Tell of `runs`, by source; of any other source that all went well."""
        super().__init__()
        self.asked: list[Program] = []
        self.started = False
        self._told = dict(runs or {})
        self._now: State = Closed()
        self._waits = waits
        self.may_go_on = asyncio.Event()

    @property
    def state(self) -> State:
        """What it last said."""
        return self._now

    async def start(self) -> None:
        """Be ready."""
        self.started = True
        if not self._waits:
            self.say(READY)

    def say(self, state: State) -> None:
        """Enter a state, and tell who listens."""
        self._now = state
        if isinstance(state, Ready):
            self.may_go_on.set()
        if self.on_state is not None:
            self.on_state(state)

    async def close(self) -> None:
        """Nothing is left running: nothing ran."""
        self.on_state = None

    async def run(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,  # noqa: ARG002  (what is written has its own end)
        detail: Detail = PLAIN,  # noqa: ARG002
    ) -> AsyncGenerator[Report, None]:
        """Tell what is written of this program, once it is ready."""
        await self.may_go_on.wait()
        steps, outcome = self._told.get(program.source, WELL)
        if mode is Mode.RECORD:
            self.asked.append(program)
            yield ProgramStarted(line=steps[0].line if steps else 1)
            for step in steps:
                yield LineRecorded(step=step)
        yield ProgramEnded(outcome=outcome)
