"""The warm worker, and a way to run programs in it that survives its death.

Everything happens on one event loop. The processes are ours, but what runs in them is not: any
of them may be gone at any moment, and a run still ends with exactly one `ProgramEnded`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.outcome import Cancelled
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.common.system import PORTABLE
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import Reply
from inplace_tui.diagnosis.runner.process import BegunProcess, SpawnedProcess, WorkerProcess
from inplace_tui.diagnosis.runner.run import Run
from inplace_tui.diagnosis.runner.starting import AskedOn, RequestSender, RunStarter, WorkerState

__all__ = ["PLAIN", "RequestSender", "Worker"]

PLAIN = Detail()


@dataclass(eq=False)
class Worker:
    """Runs programs, each in a process that has imported torch already.

    Call `start` once, `close` once. `run` may be called at any time between,
    also several times at once, and before the worker is ready.
    """

    _: KW_ONLY
    python: Path | None = None
    """Another interpreter, whose torch and packages are to be used."""

    begun: BegunProcess | None = None
    """The process to begin with, where somebody has begun one already."""

    presence: Presence | None = None
    """Whoever is at the keyboard goes first, if anybody is."""

    def __post_init__(self) -> None:
        self._state = WorkerState()
        self._under_way: dict[int, Run] = {}
        self._starter = self._made_starter()
        self._supervisor: asyncio.Task[None] | None = None

    def _made_starter(self) -> RunStarter:
        state, runs, begun = self._state, self._under_way, self.begun
        # The other one can't be imported where this one is needed.
        if sys.platform == "linux" and not PORTABLE:
            from inplace_tui.diagnosis.runner.fork_server import ForkingStarter  # noqa: PLC0415

            assert begun is None or isinstance(begun, WorkerProcess)
            return ForkingStarter(state, runs, self.python, begun, self.presence)
        from inplace_tui.diagnosis.runner.spawning import SpawnedProcesses  # noqa: PLC0415

        assert begun is None or isinstance(begun, SpawnedProcess)
        return SpawnedProcesses(state, runs, self.python, begun, self.presence)

    @property
    def state(self) -> messages.State:
        return self._state.now

    @property
    def on_state(self) -> Callable[[messages.State], None] | None:
        """Called with every new state."""
        return self._state.on_state

    @on_state.setter
    def on_state(self, function: Callable[[messages.State], None] | None) -> None:
        self._state.on_state = function

    @property
    def pid(self) -> int | None:
        """Of the process that the next run begins from."""
        return self._starter.pid

    async def changed(self) -> None:
        """Wait for another state."""
        await self._state.changed()

    async def start(self) -> None:
        """Start the process; returns before torch is imported."""
        assert self._supervisor is None, "a Worker is started once"
        self._state.enter(messages.Starting())
        self._supervisor = asyncio.create_task(self._starter.keep_ready())

    async def ready(self) -> messages.Ready | messages.Refused | messages.Closed:
        """Wait until the worker is ready, refused or closed."""
        while not isinstance(
            now := self._state.now, messages.Ready | messages.Refused | messages.Closed
        ):
            await self._state.changed()
        return now

    async def close(self) -> None:
        """Kill every run and the worker; nothing is left running."""
        self._state.is_over = True
        self._state.enter(messages.Closed())
        self._starter.end_runs(Cancelled())
        if self._supervisor is not None:
            self._supervisor.cancel()
            with suppress(asyncio.CancelledError):
                await self._supervisor
        await self._starter.settled()

    async def import_libraries(self, names: Sequence[str], surroundings: str) -> None:
        """Have what runs from now on find modules imported that it would import itself."""
        await self._starter.import_libraries(names, surroundings)

    def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[messages.Report, None]:
        """Run a program and yield its reports; the last one is a `ProgramEnded`.

        Closing the iterator kills the run: use `contextlib.aclosing`.
        """
        return self._starter.run(program, mode, limits, detail, asked=None, on_reply=None)

    def request_sender(self) -> RequestSender:
        """Return what one run can be asked on."""
        return self._starter.request_sender()

    def run_asked(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail,
        *,
        asked: AskedOn,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> AsyncGenerator[messages.Report, None]:
        """Run a program that stands still at `detail.pause`, and have its replies handed on."""
        return self._starter.run(program, mode, limits, detail, asked=asked, on_reply=on_reply)
