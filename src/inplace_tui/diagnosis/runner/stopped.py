"""A program that stopped in the middle: it is copied for each run."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from inplace_tui.common.run.outcome import Cancelled, Crashed
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames
from inplace_tui.diagnosis.runner.asking import AskedRuns, Descriptor, send_command
from inplace_tui.diagnosis.runner.forked import largest
from inplace_tui.diagnosis.runner.run import Run
from inplace_tui.diagnosis.runner.worker import Worker

_CREDENTIALS, _PASS_THEM = 2, 16  # of <sys/socket.h>
_OF_PROCESS = struct.Struct("3i")
"""The credentials of a process: its number, its user, its group."""


class StoppedRun:
    """A process in which the program has stopped."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._runs = AskedRuns(lambda: None, worker.presence)
        self._sending = asyncio.Lock()
        self._stopped: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._living: asyncio.Task[None] | None = None
        self._frames: Frames[messages.CopyAnswer] = Frames(messages.CopyAnswer)
        self._control: socket.socket | None = None
        self._pid: int | None = None

    async def start(self, program: Program, limits: Limits, detail: Detail) -> str | None:
        """Run a program up to `detail.stop`; return None, or why it can't be copied there."""
        control, theirs = socket.socketpair()
        control.setblocking(False)
        control.setsockopt(socket.SOL_SOCKET, _PASS_THEM, 1)
        self._control = control
        asyncio.get_running_loop().add_reader(control, self._hear)
        self._living = asyncio.create_task(self._live(program, limits, detail, theirs.detach()))
        return await asyncio.shield(self._stopped) or None

    @property
    def has_ended(self) -> bool:
        return self._control is None

    @property
    def resident(self) -> int:
        """The bytes that it holds in memory of its own."""
        return 0 if self._pid is None else largest(self._pid)

    async def _live(self, program: Program, limits: Limits, detail: Detail, asked: int) -> None:
        reports = self._worker.run_asked(
            program, Mode.BARE, limits, detail, asked=Descriptor(asked)
        )
        try:
            async with aclosing(reports) as incoming:
                async for _ in incoming:
                    pass
        finally:
            self._end("ended")

    def _end(self, how: str) -> None:
        if not self._stopped.done():
            self._stopped.set_result(how)
        if self._control is not None:
            asyncio.get_running_loop().remove_reader(self._control)
            self._control.close()
            self._control = None
        self._runs.end(Cancelled())

    async def close(self) -> None:
        """End it, with its copies."""
        if self._living is not None:
            self._living.cancel()
            with suppress(asyncio.CancelledError):
                await self._living
        await self._runs.sent()

    def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail
    ) -> AsyncGenerator[messages.Report, None]:
        """Have a copy go on as this program; as `Worker.run`."""
        return self._runs.ask(program, mode, limits, detail, self._send)

    async def _send(self, run: Run, job: bytes, descriptors: tuple[int, ...]) -> None:
        try:
            async with self._sending:
                if self._control is None:
                    run.worker_gone(Crashed(exit_code=messages.NOT_COPIED))
                elif not run.is_unwanted:
                    self._runs.add(run)
                    await send_command(self._control, job, descriptors)
        except OSError:
            run.worker_gone(Crashed(exit_code=messages.NOT_COPIED))
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _hear(self) -> None:
        """Take what the template says of its copies, and what a copy says of itself."""
        assert self._control is not None
        try:
            data, extra, _, _ = self._control.recvmsg(4_096, socket.CMSG_SPACE(_OF_PROCESS.size))
            answers = self._frames.feed(data)
        except (OSError, FrameError):
            data, answers = b"", []
        if not data:
            self._end("ended")
            return
        sent = [each for _, kind, each in extra if kind == _CREDENTIALS]
        for answer in answers:
            if isinstance(answer, messages.Copyable):
                self._pid = _OF_PROCESS.unpack(sent[0])[0] if sent else None
                if not self._stopped.done():
                    self._stopped.set_result(answer.refusal)
            elif sent:
                # In its namespace a process has another number.
                self._runs.take(answer, _OF_PROCESS.unpack(sent[0])[0])
