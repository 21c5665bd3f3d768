"""The reading ends of a run's pipes: its reports, and what it writes to descriptors 1 and 2.

A child that reports each line as it ends would wake its reader a thousand times
a second, and waking costs more than reading. So a pipe that keeps flowing is left
alone between two reads; what comes by itself is read at once.
"""

from __future__ import annotations

import asyncio
import codecs
import os
from typing import TypeVar

from inplace_tui.common.run.step import Event, Muted, Printed

BRISK = 0.1
"""Seconds from the first bytes in which all are read as they come: most programs are over."""

REST = 0.02
"""Seconds from one read of a flow to the next, unless much has gathered."""

CHUNK = 16_384
"""Bytes that are read at once. To decode them takes a millisecond or two."""

LATE = 0.1
"""Seconds in which the last words of a dead child come, if there are any."""


T = TypeVar("T")


class ReportPipe:
    """Owns a descriptor, and reads it on the running event loop."""

    def __init__(self, descriptor: int, *, rests: bool) -> None:
        """Own a reading end; `rests`: leave a pipe that keeps flowing alone between two reads."""
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._loop = asyncio.get_running_loop()
        self._rests = rests
        self._first: float | None = None
        self._next = 0.0

    async def read(self, ended: asyncio.Future[T]) -> bytes:
        """Return the next bytes; none when no more can come.

        The end of the pipe is not waited for once the child has `ended`: a copy of it, forked by a
        library, may hold the pipe open.
        """
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


class RawText:
    """Owns the reading end of what one run writes past Python.

    A pipe that nobody reads fills at 64 KiB and then blocks the program, which would look
    exactly like an endless loop. But the child reads this pipe too, at the end of each line,
    and knows which line wrote: so only what has been in it for a while is read here.
    """

    def __init__(self, descriptor: int, limit: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._loop = asyncio.get_running_loop()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._timer: asyncio.TimerHandle | None = None
        self._limit = limit
        self._left = limit
        self._eager_until = 0.0
        self._new: list[Event] = []
        self.tail = ""
        """The last of what was read here."""

        self._watch()

    def take(self) -> tuple[Event, ...]:
        """Return what was read since the last call, as far as the limit allows."""
        events = tuple(self._new)
        self._new.clear()
        return events

    def finish(self) -> None:
        """Read what is left, without waiting for more, and close."""
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
