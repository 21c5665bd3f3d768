"""A spawned process, seen from outside: its connection, what it wrote, and all that it started."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
from contextlib import suppress
from typing import Literal

import psutil

from inplace_tui.common.run.program import Limits
from inplace_tui.common.run.step import Muted, Printed
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.leftover import LEFTOVER, OUTPUT, Leftover
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames, encode
from inplace_tui.diagnosis.runner.process import NICENESS, SpawnedProcess
from inplace_tui.diagnosis.runner.run import RawOutput, ReportSource, RunningProcess, T
from inplace_tui.diagnosis.runner.starting import LAST_WORDS

CHUNK = 65_536

LATE = 0.1
"""Seconds in which the last reports of a dead process come, if there are any."""

INTERVAL = 0.25
"""Seconds between two looks at a run: each goes through all processes of the machine."""

ROUNDS = 8
"""How often it is looked for what a process that is being killed has started meanwhile."""

MOST_WRITTEN = 64 * 2**20
"""Bytes of output that may wait in a file for somebody to report them."""


class SpawnedChild(RunningProcess):
    """A process, from its start to its burial."""

    linger = 0.0  # it waits for that, so that what it started is found

    def __init__(self, process: SpawnedProcess) -> None:
        self.pid = process.pid
        self._process = process
        self._leftover_file = (process.folder / LEFTOVER).open("r+b")
        self.leftover = Leftover(self._leftover_file.fileno())
        self._tree: set[psutil.Process] = set()
        """All that were seen: what a process leaves to no parent is found no more."""

        with suppress(psutil.NoSuchProcess):
            self._tree.add(psutil.Process(process.pid))
        self._states: Frames[messages.Loading | messages.Ready | messages.Refused]
        self._states = Frames(messages.Loading | messages.Ready | messages.Refused)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        loop = asyncio.get_running_loop()
        self.taken: asyncio.Future[None] = loop.create_future()
        """Done when it is to run a program."""

        self.ended: asyncio.Future[int] = loop.create_future()
        """Done with its exit code, as `Popen.returncode` has it."""

        threading.Thread(target=self._await_end, args=(loop,), daemon=True).start()

    def _await_end(self, loop: asyncio.AbstractEventLoop) -> None:
        code = self._process.wait()
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(self.ended.set_result, code)

    async def states(self) -> list[messages.Loading | messages.Ready | messages.Refused]:
        """Return what it says next of itself; nothing once it says no more."""
        if self._reader is None and not await self._has_called():
            return []
        assert self._reader is not None
        with suppress(ConnectionError, FrameError):
            while data := await self._reader.read(CHUNK):
                if states := self._states.feed(data):
                    return states
        return []

    async def _has_called(self) -> bool:
        """Wait until it calls, or has ended; hang up on others."""
        loop = asyncio.get_running_loop()
        listener = self._process.listener
        listener.setblocking(False)
        while True:
            accepting = asyncio.ensure_future(loop.sock_accept(listener))
            try:
                await asyncio.wait((accepting, self.ended), return_when=asyncio.FIRST_COMPLETED)
                if not accepting.done():
                    return False
                reader, writer = await asyncio.open_connection(sock=accepting.result()[0])
            except BaseException:
                if accepting.done() and not accepting.cancelled():
                    accepting.result()[0].close()
                raise
            finally:
                accepting.cancel()
            try:
                if await reader.readexactly(len(self._process.token)) == self._process.token:
                    self._reader, self._writer = reader, writer
                    return True
            except (asyncio.IncompleteReadError, ConnectionError):
                continue
            finally:
                if self._writer is not writer:
                    writer.close()

    def send(self, command: messages.StartRun | messages.Request) -> None:
        """Send a command, which it waits for."""
        assert self._writer is not None
        self._writer.write(encode(command))

    def reports(self) -> ReportSource:
        """Return what its run reports."""
        assert self._reader is not None
        return _Stream(self._reader)

    def output(self, limit: int) -> RawOutput:
        return _OutputFile(self, limit)

    def give_way(self) -> None:
        """Have it be served after the screen."""
        with suppress(psutil.Error):
            nice = psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else NICENESS
            psutil.Process(self.pid).nice(nice)

    def kill(self) -> None:
        # Stopped one after the other first, so that none starts another one meanwhile.
        for _ in range(ROUNDS):
            before = len(self._tree)
            for each in self._tree:
                with suppress(psutil.Error):
                    each.suspend()
            self._see()
            if len(self._tree) == before:
                break
        for each in self._tree:
            with suppress(psutil.Error):
                each.kill()

    def _see(self) -> list[psutil.Process]:
        """Return its processes of now, and remember them."""
        found: list[psutil.Process] = []
        for each in list(self._tree):
            with suppress(psutil.Error):
                if each.is_running():
                    found += [each, *each.children(recursive=True)]
        self._tree |= set(found)
        return found

    def interval(self, limits: Limits) -> float:  # noqa: ARG002
        return INTERVAL

    def excess(
        self, limits: Limits, resident_bytes: int | None
    ) -> Literal["memory", "processes"] | None:
        found = set(self._see())
        with suppress(OSError):
            if (self._process.folder / OUTPUT).stat().st_size > MOST_WRITTEN:
                os.truncate(self._process.folder / OUTPUT, 0)
        if len(found) > limits.processes:
            return "processes"
        held = 0
        for each in found:
            with suppress(psutil.Error):
                held = max(held, each.memory_info().rss)
        return "memory" if resident_bytes is not None and held > resident_bytes else None

    def last_words(self) -> str:
        """Return the end of what it wrote and nobody reported."""
        return self.unreported(LAST_WORDS).decode(errors="replace").strip()

    def unreported(self, most: int) -> bytes:
        """Return the last bytes that it wrote to 1 and 2 and did not report."""
        with suppress(OSError), (self._process.folder / OUTPUT).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = self.leftover.reported
            start = 0 if start > size else start  # what was there was too much, and is gone
            file.seek(max(start, size - most))
            return file.read(most)
        return b""

    async def bury(self) -> None:
        """End it, with all that it started and all that it wrote."""
        self.kill()
        self._process.listener.close()
        if self._writer is not None:
            self._writer.close()
            with suppress(ConnectionError):
                await self._writer.wait_closed()
        await asyncio.shield(self.ended)
        self.leftover.close()
        self._leftover_file.close()
        await asyncio.to_thread(shutil.rmtree, self._process.folder, ignore_errors=True)


class _Stream(ReportSource):
    """The reports that come by a connection; one that sends too much waits."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader: asyncio.StreamReader | None = reader

    async def read(self, ended: asyncio.Future[T]) -> bytes:
        if self._reader is None:
            return b""
        reading = asyncio.ensure_future(self._reader.read(CHUNK))
        try:
            await asyncio.wait((reading, ended), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await asyncio.wait((reading,), timeout=LATE)
            with suppress(ConnectionError):
                return reading.result() if reading.done() else b""
            return b""
        finally:
            reading.cancel()

    def close(self) -> None:
        self._reader = None


class _OutputFile(RawOutput):
    """The file that 1 and 2 of a process are: its own lines report it, here is read the rest."""

    def __init__(self, child: SpawnedChild, limit: int) -> None:
        super().__init__()
        self._child: SpawnedChild | None = child
        self._limit = limit

    def finish(self) -> None:
        if self._child is None:
            return
        text = self._child.unreported(MOST_WRITTEN).decode(errors="replace")
        self.close()
        if not text:
            return
        self.tail = text[-LAST_WORDS:]
        self._new.append(Printed(text=text[: self._limit], stream="raw"))
        if len(text) > self._limit:
            self._new.append(Muted(kept_bytes=self._limit))

    def close(self) -> None:
        self._child = None
