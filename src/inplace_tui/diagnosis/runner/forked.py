"""A child on Linux, seen from outside: its pipes, its group, its memory."""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inplace_tui.common.run.program import Limits
from inplace_tui.common.run.step import Muted, Printed
from inplace_tui.diagnosis.runner.process import NICENESS
from inplace_tui.diagnosis.runner.run import RawOutput, ReportSource, RunningProcess, T

PAGE = os.sysconf("SC_PAGE_SIZE")

BRISK = 0.1
"""Seconds from the first bytes in which all are read as they come: most programs are over."""

REST = 0.02
"""Seconds from one read of a flow to the next, unless much has gathered."""

CHUNK = 16_384
"""Bytes that are read at once. To decode them takes a millisecond or two."""

LATE = 0.1
"""Seconds in which the last words of a dead child come, if there are any."""


class ReportPipe(ReportSource):
    """Owns a descriptor, and reads it on the running event loop.

    A child that reports each line as it ends would wake its reader a thousand times
    a second, and waking costs more than reading. So a pipe that keeps flowing is left
    alone between two reads; what comes by itself is read at once.
    """

    def __init__(self, descriptor: int, *, rests: bool) -> None:
        """Own a reading end; `rests`: leave a pipe that keeps flowing alone between two reads."""
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._loop = asyncio.get_running_loop()
        self._rests = rests
        self._first: float | None = None
        self._next = 0.0

    async def read(self, ended: asyncio.Future[T]) -> bytes:
        if self._rests and (rest := self._next - self._loop.time()) > 0:
            await asyncio.wait((ended,), timeout=rest)
        while self._descriptor is not None:
            try:
                data = os.read(self._descriptor, CHUNK)
            except BlockingIOError:
                if not await self._readable(self._descriptor, ended):
                    break
            else:
                self._read(len(data))
                return data
        return b""

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _read(self, count: int) -> None:
        """Note that so much was read: a full pipe has somebody waiting at its other end."""
        now = self._loop.time()
        if self._first is None:
            self._first = now
        if count < CHUNK and now - self._first > BRISK:
            self._next = now + REST

    async def _readable(self, descriptor: int, ended: asyncio.Future[T]) -> bool:
        """Wait until there is something to read; False if there will be nothing more."""
        ready: asyncio.Future[None] = self._loop.create_future()

        def on_readable() -> None:
            if not ready.done():
                ready.set_result(None)

        self._loop.add_reader(descriptor, on_readable)
        try:
            await asyncio.wait((ready, ended), return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                await asyncio.wait((ready,), timeout=LATE)
            return ready.done()
        finally:
            self._loop.remove_reader(descriptor)


PATIENCE = 0.1
"""Seconds that text is left in the pipe for the child to read."""

EAGER_FOR = 1.0
"""Seconds after a full read in which text is read at once, without leaving it to the child."""

TAIL = 4_096
"""Characters that are kept as last words."""

RAW_CHUNK = 65_536


class RawText(RawOutput):
    """Owns the reading end of what one run writes past Python.

    A pipe that nobody reads fills at 64 KiB and then blocks the program, which would look
    exactly like an endless loop. But the child reads this pipe too, at the end of each line,
    and knows which line wrote: so only what has been in it for a while is read here.
    """

    def __init__(self, descriptor: int, limit: int) -> None:
        super().__init__()
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._loop = asyncio.get_running_loop()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._timer: asyncio.TimerHandle | None = None
        self._limit = limit
        self._left = limit
        self._eager_until = 0.0
        self._watch()

    def finish(self) -> None:
        while self._read():
            continue
        self.close()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._descriptor is not None:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def _watch(self) -> None:
        if self._descriptor is not None:
            self._loop.add_reader(self._descriptor, self._on_readable)

    def _on_readable(self) -> None:
        assert self._descriptor is not None
        if self._loop.time() < self._eager_until:
            # Once for each turn of the loop, which has others to serve.
            self._read()
            return
        self._loop.remove_reader(self._descriptor)
        self._timer = self._loop.call_later(PATIENCE, self._read_more)

    def _read_more(self) -> None:
        if self._read() == RAW_CHUNK:
            self._eager_until = self._loop.time() + EAGER_FOR
        self._watch()

    def _read(self) -> int:
        """Read once; return how many bytes there were, 0 also at the end."""
        if self._descriptor is None:
            return 0
        try:
            data = os.read(self._descriptor, RAW_CHUNK)
        except BlockingIOError:
            return 0  # the child took it
        if not data:
            self.close()
            return 0
        text = self._decoder.decode(data)
        self.tail = (self.tail + text)[-TAIL:]
        if self._left >= 0:
            self._new.append(Printed(text=text[: self._left], stream="raw"))
            self._left -= len(text)
            if self._left < 0:
                self._new.append(Muted(kept_bytes=self._limit))
        return len(data)


INTERVAL = 0.1
"""Seconds between two checks of a run's memory."""

LONGER_INTERVAL = 0.2
"""Seconds between two where a check takes more time."""


@dataclass(frozen=True)
class ProcessGroup(RunningProcess):
    """A child, which leads a group of its own."""

    pid: int
    linger = 2.0

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def excess(self, limits: Limits, resident_bytes: int | None) -> Literal["memory"] | None:
        if resident_bytes is None:
            return None
        own = limits.own_bytes
        is_too_large = largest(self.pid) > resident_bytes
        return "memory" if is_too_large or (own is not None and unshared(self.pid) > own) else None

    def interval(self, limits: Limits) -> float:
        return INTERVAL if limits.own_bytes is None else LONGER_INTERVAL


def largest(pid: int) -> int:
    """Return the bytes that the largest process of a tree holds in memory of its own.

    Pages of files are not counted, the kernel takes them back; nor is what several share:
    copies that a program forks, as a DataLoader does, would each count it.
    """
    found = 0
    for here in _tree(pid):
        with suppress(OSError, ValueError):  # it is gone
            _, resident, shared, *_ = (here / "statm").read_text(encoding="ascii").split()
            found = max(found, (int(resident) - int(shared)) * PAGE)
    return found


def unshared(pid: int) -> int:
    """Return the bytes that the processes of a tree hold and share with no other process.

    That takes 12 ms for each gigabyte which is mapped.
    """
    total = 0
    for here in _tree(pid):
        with suppress(OSError):
            for line in (here / "smaps_rollup").read_text(encoding="ascii").splitlines():
                if line.startswith("Private_"):
                    total += int(line.split()[1]) * 1024
    return total


def _tree(pid: int) -> Iterator[Path]:
    """Yield the folders in `/proc` of a process and of all that come from it."""
    waiting = [pid]
    while waiting:
        here = Path("/proc", str(waiting.pop()))
        yield here
        for children in here.glob("task/*/children"):
            with suppress(OSError):  # it is gone
                waiting += map(int, children.read_text(encoding="ascii").split())


def give_way(pid: int) -> None:
    """Have a process be served after the screen, and all that it forks from now on.

    Where the kernel gives each session its share, as a desktop's does, the niceness
    of a process counts only among those of its own session: the session has one, too.
    """
    with suppress(OSError):  # it has died; or somebody forbids it, and all stays as it is
        os.setpriority(os.PRIO_PROCESS, pid, max(NICENESS, os.getpriority(os.PRIO_PROCESS, pid)))
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(NICENESS))
