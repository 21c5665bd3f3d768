"""The warm worker of Linux: one process that imported torch, and forks one for every run."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, closing, suppress
from pathlib import Path

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.outcome import Crashed
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames, Reply, encode
from inplace_tui.diagnosis.runner import interpreter
from inplace_tui.diagnosis.runner.asking import (
    AskedRuns,
    Descriptor,
    PipedRequestSender,
    send_command,
)
from inplace_tui.diagnosis.runner.forked import give_way
from inplace_tui.diagnosis.runner.process import WorkerProcess
from inplace_tui.diagnosis.runner.run import Run
from inplace_tui.diagnosis.runner.starting import (
    LAST_WORDS,
    MAX_FAILURES,
    AskedOn,
    RequestSender,
    RunStarter,
    WorkerState,
)

EXIT_TIMEOUT = 2.0
"""Seconds that a worker has to end its runs."""


class ForkingStarter(RunStarter):
    """One warm process at a time; a new one is started when it dies."""

    def __init__(
        self,
        state: WorkerState,
        runs: dict[int, Run],
        python: Path | None,
        begun: WorkerProcess | None,
        presence: Presence | None,
    ) -> None:
        super().__init__(state, runs, python, presence)
        self._begun = begun
        self._runs = AskedRuns(self._wake, presence, runs)
        self._process: WorkerProcess | None = None
        self._control: socket.socket | None = None
        self._sending = asyncio.Lock()
        self._has_served = False
        """Whether the worker may have children to end before it exits."""

        self._stderr: deque[bytes] = deque(maxlen=64)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def settled(self) -> None:
        await self._runs.sent()

    def request_sender(self) -> RequestSender:
        return PipedRequestSender()

    async def import_libraries(self, names: Sequence[str], surroundings: str) -> None:
        command = messages.ImportLibraries(names=tuple(names), surroundings=surroundings)
        async with self._sending:
            if self._control is not None:
                with suppress(ConnectionError):
                    loop = asyncio.get_running_loop()
                    await loop.sock_sendall(self._control, encode(command))

    async def run(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail,
        *,
        asked: AskedOn | None,
        on_reply: Callable[[Reply], None] | None,
    ) -> AsyncGenerator[messages.Report, None]:
        assert isinstance(asked, Descriptor | PipedRequestSender | None)
        descriptors = () if asked is None else (asked.descriptor,)
        reports = self._runs.ask(
            program, mode, limits, detail, self._send, asked=descriptors, on_reply=on_reply
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
                while not (self._control or self._state.serves_nobody):
                    await self._state.changed()
                if self._control is None:
                    run.worker_gone(self._state.refusal())
                elif not run.is_unwanted:
                    self._runs.add(run)
                    self._wake()
                    await send_command(self._control, job, descriptors)
        except ConnectionError:
            return  # it died just now; `end_runs` ends this run with the others
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _wake(self) -> None:
        """Resume the worker, if a program or somebody else stopped it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    async def keep_ready(self) -> None:
        """Keep a worker running; give up when none becomes ready."""
        failures = 0
        while failures < MAX_FAILURES:
            try:
                exit_code, was_ready = await self._run_process()
            except OSError as failure:
                self._state.enter(messages.Refused(reason=f"no process: {failure}"))
                break
            if isinstance(self._state.now, messages.Refused):
                break
            self.end_runs(
                Crashed(exit_code=exit_code, last_words=self._last_words(), worker_died=True)
            )
            failures = 0 if was_ready else failures + 1
            self._state.enter(messages.Starting(after_death=exit_code))
        else:
            words = self._last_words() or f"the worker died with exit code {exit_code}"
            self._state.enter(messages.Refused(reason=words))
        self.end_runs(self._state.refusal())

    async def _run_process(self) -> tuple[int, bool]:
        """Run one worker process; return its exit code and whether it ever was ready."""
        process = self._begun or WorkerProcess(interpreter.command(self._python))
        self._has_served = False
        self._begun = None
        with process.control as ours:
            self._process = process
            draining = asyncio.create_task(self._drain(process))
            try:
                ours.setblocking(False)
                self._control = ours
                self._state.wake()
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
                self._state.enter(answer)
            case messages.Ready():
                self._has_served = True
                if self._presence is not None and self._process is not None:
                    # Not before: while torch is being imported, nothing else can be done.
                    give_way(self._process.pid)
                self._state.enter(answer)
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
        return b"".join(self._stderr).decode(errors="replace")[-LAST_WORDS:].strip()


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
