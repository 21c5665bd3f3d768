"""The reading end of a run's reports.

A child that reports each line as it ends would wake its reader a thousand times
a second, and waking costs more than reading. So a pipe that keeps flowing is left
alone between two reads; what comes by itself is read at once.
"""

from __future__ import annotations

import asyncio
import os
from typing import TypeVar

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

        Args:
            ended: done when the child is dead. The end of the pipe is not waited for
                then: a copy of it, forked by a library, may hold the pipe open.
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
