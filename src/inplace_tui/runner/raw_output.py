"""Reads what a run writes to descriptors 1 and 2.

A pipe that nobody reads fills at 64 KiB and then blocks the program, which
would look exactly like an endless loop. But the child reads this pipe too, at
the end of each line, and knows which line wrote: so the runner reads only what
has been in the pipe for a while.
"""

from __future__ import annotations

import asyncio
import codecs
import os

from inplace_tui.model.event import Event, Muted, Printed

PATIENCE = 0.1
"""Seconds that text is left in the pipe for the child to read."""

EAGER_FOR = 1.0
"""Seconds after a full read in which text is read at once, without leaving it to the child."""

TAIL = 4_096
"""Characters that are kept as last words."""

_CHUNK = 65_536


class RawText:
    """The reading end of one run's raw pipe; owns the descriptor."""

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
        if self._read() == _CHUNK:
            self._eager_until = self._loop.time() + EAGER_FOR
        self._watch()

    def _read(self) -> int:
        """Read once; return how many bytes there were, 0 also at the end."""
        if self._descriptor is None:
            return 0
        try:
            data = os.read(self._descriptor, _CHUNK)
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
