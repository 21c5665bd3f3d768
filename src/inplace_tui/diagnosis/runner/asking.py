"""Runs that are asked for on one socket: what is sent, and what is answered."""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.outcome import Cancelled, Crashed
from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import Reply, encode
from inplace_tui.diagnosis.runner.forked import ProcessGroup, RawText, ReportPipe
from inplace_tui.diagnosis.runner.memory import default_limit
from inplace_tui.diagnosis.runner.run import Run, end_all
from inplace_tui.diagnosis.runner.starting import AskedOn, RequestSender, not_utf8


class AskedRuns:
    """Those that are under way."""

    def __init__(
        self,
        on_kill: Callable[[], None],
        presence: Presence | None = None,
        under_way: dict[int, Run] | None = None,
    ) -> None:
        """Call `on_kill` for each that is killed."""
        self._on_kill = on_kill
        self._presence = presence
        self._numbers = itertools.count(1)
        self._sends: set[asyncio.Task[None]] = set()
        self.under_way: dict[int, Run] = {} if under_way is None else under_way

    async def ask(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail,
        send: Callable[[Run, bytes, tuple[int, ...]], Awaitable[None]],
        *,
        asked: tuple[int, ...] = (),
        on_reply: Callable[[Reply], None] | None = None,
    ) -> AsyncGenerator[messages.Report, None]:
        """Ask for a run by `send`, which closes the descriptors; yield its reports."""
        command = messages.StartRun(
            run=next(self._numbers), program=program, mode=mode, limits=limits, detail=detail
        )
        try:
            job = encode(command)
        except UnicodeEncodeError as error:
            for descriptor in asked:
                os.close(descriptor)
            yield messages.ProgramEnded(outcome=not_utf8(program, error))
            return
        reports, raw, most = os.pipe(), os.pipe(), limits.resident_bytes
        most = default_limit() if most is None else most
        run = Run(
            command.run,
            limits,
            ReportPipe(reports[0], rests=self._presence is not None and on_reply is None),
            RawText(raw[0], limits.output_bytes),
            with_output=detail.output,
            on_reply=on_reply,
            on_kill=self._on_kill,
            presence=self._presence,
            resident_bytes=most if program.origin is Origin.OWN else None,
        )
        # A task of its own: a cancelled run must not leave half a command on the socket.
        sending = asyncio.ensure_future(send(run, job, (reports[1], raw[1], *asked)))
        self._sends.add(sending)
        sending.add_done_callback(self._sends.discard)
        async with aclosing(run.reports()) as incoming:
            async for report in incoming:
                yield report

    def add(self, run: Run) -> None:
        """Note that a run is asked for now."""
        self.under_way[run.number] = run

    def take(self, answer: messages.ChildStarted | messages.ChildEnded, pid: int) -> None:
        """Tell a run what became of it; `pid` is that of its process here."""
        if isinstance(answer, messages.ChildStarted):
            if run := self.under_way.get(answer.run):
                run.child_started(ProcessGroup(pid))
        elif run := self.under_way.pop(answer.run, None):
            run.child_ended(answer.exit_code, crowded=answer.crowded, written=answer.written)

    def end(self, how: Crashed | Cancelled) -> None:
        end_all(self.under_way, how)

    async def sent(self) -> None:
        """Wait for all that is being sent."""
        await asyncio.gather(*self._sends, return_exceptions=True)


class Descriptor(AskedOn):
    """A descriptor, which its run owns."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor


class PipedRequestSender(RequestSender):
    """A pipe of requests to a paused program: a few hundred bytes each, and it takes 64 KiB."""

    def __init__(self) -> None:
        self.descriptor, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)

    def send(self, request: messages.Request) -> None:
        with suppress(BrokenPipeError, BlockingIOError):
            os.write(self._pipe, encode(request))

    def close(self) -> None:
        os.close(self._pipe)


async def send_command(control: socket.socket, job: bytes, descriptors: tuple[int, ...]) -> None:
    """Send a command: the length takes the descriptors along, the rest follows."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            socket.send_fds(control, [job[:4]], descriptors)
            break
        except BlockingIOError:
            # AskedRuns asked for while torch loads; the worker reads when it is done.
            writable: asyncio.Future[None] = loop.create_future()
            loop.add_writer(control, writable.set_result, None)
            try:
                await writable
            finally:
                loop.remove_writer(control)
    await loop.sock_sendall(control, job[4:])
