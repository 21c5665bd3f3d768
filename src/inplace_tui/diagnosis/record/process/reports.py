"""What a run reports."""

from __future__ import annotations

import errno
import signal
import threading
import time
from importlib import import_module

from inplace_tui.common.decodable import encodable
from inplace_tui.diagnosis.protocol.messages import Reply, Report, encode
from inplace_tui.diagnosis.record.process.system import Channel, end

_NAMES = (
    *("SIGALRM", "SIGHUP", "SIGINT", "SIGPROF", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGVTALRM"),
)
_INTERRUPTING = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
"""Signals that a program may have Python functions for. One that raises while
a frame is half written would make noise of everything after it."""

_mask = getattr(import_module("_signal"), "pthread_sigmask", lambda _how, _which: ())
"""That of `signal` makes an enumeration of all that are blocked, twice a line. Windows has none:
Python's functions are called there after a C function, which sending is."""

_BLOCK, _SET = getattr(signal, "SIG_BLOCK", 0), getattr(signal, "SIG_SETMASK", 0)

PATIENCE = 0.05
"""Seconds that a report may be held back."""

ROOM = 16_384
"""Bytes that may be held back; a pipe takes four times as many at once."""


class Reports:
    """Writes reports, until this process is no longer the one that was asked."""

    def __init__(self, channel: Channel) -> None:
        self._channel: Channel | None = channel
        self._lock = threading.RLock()
        self._held = bytearray()
        self._written = 0.0

    @property
    def has_reader(self) -> bool:
        return self._channel is not None

    def follow_fork(self) -> None:
        """Fall silent: the program forked, and this is the copy."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def send(self, report: Report | Reply) -> None:
        """Write one report, after those that were held back.

        Blocks while the runner is slower than the program.
        """
        self._flush(_frame(report))

    def hold(self, report: Report) -> None:
        """Write one report with the next ones: to wake the runner costs more than a small step.

        A crash takes what is held back with it.
        """
        self._held += _frame(report)
        if len(self._held) > ROOM or time.monotonic() - self._written > PATIENCE:
            self._flush()

    def _flush(self, frame: bytes = b"") -> None:
        if self._channel is None:
            self._held.clear()
            return
        before = _mask(_BLOCK, _INTERRUPTING)
        try:
            with self._lock:
                # What another thread adds meanwhile stays for the next time.
                if self._held:
                    held = bytes(self._held)
                    del self._held[: len(held)]
                    frame = held + frame
                self._write(frame)
                self._written = time.monotonic()
        finally:
            _mask(_SET, before)

    def _write(self, frames: bytes) -> None:
        assert self._channel is not None
        try:
            done = self._channel.write(frames)
            while done < len(frames):
                done += self._channel.write(memoryview(frames)[done:])
        except OSError as failure:
            if failure.errno not in (errno.EBADF, errno.ENOTSOCK):
                end(0)  # the runner has gone: nobody waits for this run
            # The program found a way to close it, and runs on unheard.
            self._channel = None


def _frame(report: Report | Reply) -> bytes:
    try:
        return encode(report)
    except UnicodeEncodeError:
        return encode(encodable(report))
