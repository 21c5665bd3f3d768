"""What a worker is made of: its state, and what starts its runs on the system that it is on."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.outcome import Cancelled, Crashed, Raised
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import Reply
from inplace_tui.diagnosis.runner.run import Run, end_all

MAX_FAILURES = 3
"""How many processes in a row may die before they are ready."""

LAST_WORDS = 4_096
"""Characters that are kept of what a dying process wrote."""


class WorkerState:
    """What a worker is doing, for whoever waits for it."""

    def __init__(self) -> None:
        self.now: messages.State = messages.Closed()
        self.is_over = False
        self.on_state: Callable[[messages.State], None] | None = None
        self._changed = asyncio.Event()

    def enter(self, state: messages.State) -> None:
        if isinstance(self.now, messages.Closed) and not isinstance(state, messages.Starting):
            return
        self.now = state
        self.wake()
        if self.on_state is not None:
            # Called later: an exception in it must not end the supervisor.
            asyncio.get_running_loop().call_soon(self.on_state, state)

    def wake(self) -> None:
        """Have whoever waits look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self) -> None:
        await self._changed.wait()

    @property
    def serves_nobody(self) -> bool:
        """Whether there will be no run any more."""
        return self.is_over or isinstance(self.now, messages.Refused)

    def refusal(self) -> Crashed | Cancelled:
        """Return how a run ends that can't begin."""
        if isinstance(self.now, messages.Refused):
            return Crashed(exit_code=1, last_words=self.now.reason, worker_died=True)
        return Cancelled()


class AskedOn:
    """What requests reach a run on: what that is, only whoever starts it knows."""


class RequestSender(AskedOn, ABC):
    """What asks a program while it is paused; to close it ends the program."""

    @abstractmethod
    def send(self, request: messages.Request) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


class RunStarter(ABC):
    """Keeps what runs begin from ready, and begins them."""

    def __init__(
        self,
        state: WorkerState,
        runs: dict[int, Run],
        python: Path | None,
        presence: Presence | None,
    ) -> None:
        """Have `state` say what becomes of it, and `runs` hold those that are under way."""
        self._state, self._under_way = state, runs
        self._python, self._presence = python, presence

    def end_runs(self, how: Crashed | Cancelled) -> None:
        end_all(self._under_way, how)

    @property
    @abstractmethod
    def pid(self) -> int | None:
        """Of the process that the next run begins from."""

    @abstractmethod
    async def keep_ready(self) -> None:
        """Do so until cancelled, or until it can't be done; then nothing is left running."""

    @abstractmethod
    def run(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail,
        *,
        asked: AskedOn | None,
        on_reply: Callable[[Reply], None] | None,
    ) -> AsyncGenerator[messages.Report, None]:
        """Run a program and yield its reports; the last one is a `ProgramEnded`."""

    @abstractmethod
    def request_sender(self) -> RequestSender:
        """Return what a run can be given to be asked on."""

    @abstractmethod
    async def settled(self) -> None:
        """Wait for all that is under way still when it was closed."""

    @abstractmethod
    async def import_libraries(self, names: Sequence[str], surroundings: str) -> None:
        """Have runs find modules imported, where they begin from a process that can import them."""


def not_utf8(program: Program, error: UnicodeEncodeError) -> Raised:
    """Return what Python says of a file that is not UTF-8, read with `surrogateescape`."""
    in_source = error.object == program.source
    line = program.source.count("\n", 0, error.start) + 1 if in_source else None
    message = f"not UTF-8: {error.object[error.start : error.end]!r}"
    return Raised(exception="SyntaxError", message=message, line=line, in_backward=False)
