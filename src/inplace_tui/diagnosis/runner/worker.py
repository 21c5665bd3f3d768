"""The warm worker, and a way to run programs in it that survives its death.

Everything happens on one event loop. The worker is a process of ours, but what
runs in its children is not: any of them may be gone at any moment, and a run
still ends with exactly one `ProgramEnded`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, closing, suppress
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.outcome import Cancelled, Crashed
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames, Reply, encode
from inplace_tui.diagnosis.runner import interpreter
from inplace_tui.diagnosis.runner.asking import AskedRuns, send_command
from inplace_tui.diagnosis.runner.process import WorkerProcess, give_way
from inplace_tui.diagnosis.runner.run import Run

MAX_FAILURES = 3
"""How many workers in a row may die before they are ready."""

EXIT_TIMEOUT = 2.0
"""Seconds that a worker has to end its runs."""

_LAST_WORDS = 4_096

PLAIN = Detail()


@dataclass(eq=False)
class Worker:
    """One warm worker at a time; a new one is started when it dies.

    Call `start` once, `close` once. `run` may be called at any time between,
    also several times at once, and before the worker is ready.
    """

    on_state: Callable[[messages.State], None] | None = None
    """Called with every new state."""

    _: KW_ONLY
    python: Path | None = None
    """Another interpreter, whose torch and packages are to be used."""

    begun: WorkerProcess | None = None
    """The process to begin with, where somebody has begun one already."""

    presence: Presence | None = None
    """Whoever is at the keyboard goes first, if anybody is."""

    def __post_init__(self) -> None:
        self._state: messages.State = messages.Closed()
        self._is_over = False
        self._changed = asyncio.Event()
        self._runs = AskedRuns(self._wake, self.presence)
        self._supervisor: asyncio.Task[None] | None = None
        self._process: WorkerProcess | None = None
        self._control: socket.socket | None = None
        self._sending = asyncio.Lock()
        self._has_served = False
        """Whether the worker may have children to end before it exits."""

        self._stderr: deque[bytes] = deque(maxlen=64)

    @property
    def state(self) -> messages.State:
        return self._state

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process; returns before torch is imported."""
        assert self._supervisor is None, "a Worker is started once"
        self._enter(messages.Starting())
        self._supervisor = asyncio.create_task(self._supervise())

    async def ready(self) -> messages.Ready | messages.Refused | messages.Closed:
        """Wait until the worker is ready, refused or closed."""
        while not isinstance(self._state, messages.Ready | messages.Refused | messages.Closed):
            await self._changed.wait()
        return self._state

    async def close(self) -> None:
        """Kill every run and the worker; nothing is left running."""
        self._is_over = True
        self._enter(messages.Closed())
        self._runs.end(Cancelled())
        if self._supervisor is not None:
            self._supervisor.cancel()
            with suppress(asyncio.CancelledError):
                await self._supervisor
        await self._runs.sent()

    async def import_libraries(self, names: Sequence[str], surroundings: str) -> None:
        """Have what runs from now on find modules imported that it would import itself."""
        command = messages.ImportLibraries(names=tuple(names), surroundings=surroundings)
        async with self._sending:
            if self._control is not None:
                with suppress(ConnectionError):
                    loop = asyncio.get_running_loop()
                    await loop.sock_sendall(self._control, encode(command))

    def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[messages.Report, None]:
        """Run a program and yield its reports; the last one is a `ProgramEnded`.

        Closing the iterator kills the run: use `contextlib.aclosing`.
        """
        return self.run_asked(program, mode, limits, detail)

    async def run_asked(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail,
        *,
        asked: tuple[int, ...] = (),
        on_reply: Callable[[Reply], None] | None = None,
    ) -> AsyncGenerator[messages.Report, None]:
        """Run a program that stands still at `detail.pause`, and have its replies handed on.

        `asked` is the descriptor that requests come on; it is owned from here on.
        """
        reports = self._runs.ask(
            program, mode, limits, detail, self._send, asked=asked, on_reply=on_reply
        )
        async with aclosing(reports) as incoming:
            async for report in incoming:
                yield report

    async def _send(self, run: Run, job: bytes, descriptors: tuple[int, ...]) -> None:
        """Ask the worker for a run, as soon as there is one; closes the descriptors.

        A run that is asked for before the start waits for it.
        """
        try:
            async with self._sending:
                while not (
                    self._control or self._is_over or isinstance(self._state, messages.Refused)
                ):
                    await self._changed.wait()
                if self._control is None:
                    run.worker_gone(self._refusal())
                elif not run.is_unwanted:
                    self._runs.add(run)
                    self._wake()
                    await send_command(self._control, job, descriptors)
        except ConnectionError:
            return  # it died just now; `AskedRuns.end` ends this run with the others
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _wake(self) -> None:
        """Resume the worker, if a program or somebody else stopped it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def _refusal(self) -> Crashed | Cancelled:
        if isinstance(self._state, messages.Refused):
            return Crashed(exit_code=1, last_words=self._state.reason, worker_died=True)
        return Cancelled()

    async def _supervise(self) -> None:
        """Keep a worker running; give up when none becomes ready."""
        failures = 0
        while failures < MAX_FAILURES:
            try:
                exit_code, was_ready = await self._run_process()
            except OSError as failure:
                self._enter(messages.Refused(reason=f"no process: {failure}"))
                break
            if isinstance(self._state, messages.Refused):
                break
            self._runs.end(
                Crashed(exit_code=exit_code, last_words=self._last_words(), worker_died=True)
            )
            failures = 0 if was_ready else failures + 1
            self._enter(messages.Starting(after_death=exit_code))
        else:
            words = self._last_words() or f"the worker died with exit code {exit_code}"
            self._enter(messages.Refused(reason=words))
        self._runs.end(self._refusal())

    async def _run_process(self) -> tuple[int, bool]:
        """Run one worker process; return its exit code and whether it ever was ready."""
        process = self.begun or WorkerProcess(interpreter.command(self.python))
        self._has_served = False
        self.begun = None
        with process.control as ours:
            self._process = process
            draining = asyncio.create_task(self._drain(process))
            try:
                ours.setblocking(False)
                self._control = ours
                self._wake_waiters()
                was_ready = await self._listen(ours)
                self._control = None
                # It closed the socket or sent an invalid frame: it can't be used any more.
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(process.ended(), timeout=EXIT_TIMEOUT)
            finally:
                self._control = self._process = None
                await _end(process, gently=self._has_served)
                await draining
        assert process.returncode is not None
        return process.returncode, was_ready

    async def _listen(self, control: socket.socket) -> bool:
        """Read a worker's messages until there are no more; return whether it ever was ready."""
        frames: Frames[messages.Answer] = Frames(messages.Answer)
        was_ready = False
        with suppress(ConnectionError, FrameError):
            while data := await asyncio.get_running_loop().sock_recv(control, 65_536):
                for answer in frames.feed(data):
                    was_ready |= isinstance(answer, messages.Ready)
                    self._take_answer(answer)
        return was_ready

    def _take_answer(self, answer: messages.Answer) -> None:
        match answer:
            case messages.Loading() | messages.Refused():
                self._enter(answer)
            case messages.Ready():
                self._has_served = True
                if self.presence is not None and self._process is not None:
                    # Not before: while torch is being imported, nothing else can be done.
                    give_way(self._process.pid)
                self._enter(answer)
            case messages.ChildStarted(pid=pid):
                self._runs.take(answer, pid)
            case messages.ChildEnded():
                self._runs.take(answer, 0)

    async def _drain(self, process: WorkerProcess) -> None:
        """Keep the tail of what the worker writes; unread, it would block at 64 KiB."""
        self._stderr.clear()
        stderr = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        pipe, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stderr), process.stderr
        )
        with closing(pipe):
            while text := await stderr.read(4_096):
                self._stderr.append(text)

    def _last_words(self) -> str:
        return b"".join(self._stderr).decode(errors="replace")[-_LAST_WORDS:].strip()

    def _enter(self, state: messages.State) -> None:
        if isinstance(self._state, messages.Closed) and not isinstance(state, messages.Starting):
            return
        self._state = state
        self._wake_waiters()
        if self.on_state is not None:
            # Called later: an exception in it must not end the supervisor.
            asyncio.get_running_loop().call_soon(self.on_state, state)

    def _wake_waiters(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


async def _end(process: WorkerProcess, *, gently: bool) -> None:
    """End the worker; gently, it still kills what its runs left behind."""
    if process.returncode is None and gently:
        with suppress(ProcessLookupError, asyncio.TimeoutError):
            process.terminate()
            process.send_signal(signal.SIGCONT)  # a stopped one would not notice
            await asyncio.wait_for(process.ended(), timeout=EXIT_TIMEOUT)
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.ended()
