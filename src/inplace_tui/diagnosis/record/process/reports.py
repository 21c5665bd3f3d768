"""The child's end of the report pipe."""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from importlib import import_module

from inplace_tui.common.decodable import encodable
from inplace_tui.diagnosis.protocol.messages import Reply, Report, encode
from inplace_tui.diagnosis.record.process import linux

_INTERRUPTING = (
    *(signal.SIGALRM, signal.SIGHUP, signal.SIGINT, signal.SIGPROF),
    *(signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGVTALRM),
)
"""Signals that a program may have Python functions for. One that raises while
a frame is half written would make noise of everything after it."""

_mask = import_module("_signal").pthread_sigmask
"""That of `signal` makes an enumeration of all that are blocked, twice a line."""

PATIENCE = 0.05
"""Seconds that a report may be held back."""

ROOM = 16_384
"""Bytes that may be held back; a pipe takes four times as many at once."""


class Reports:
    """Writes reports, until this process is no longer the one that was asked."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor
        self._lock = threading.RLock()
        self._held = bytearray()
        self._written = 0.0

    @property
    def has_reader(self) -> bool:
        return self._descriptor is not None

    def follow_fork(self) -> None:
        """Fall silent: the program forked, and this is the copy."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

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
        if self._descriptor is None:
            self._held.clear()
            return
        before = _mask(signal.SIG_BLOCK, _INTERRUPTING)
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
            _mask(signal.SIG_SETMASK, before)

    def _write(self, frames: bytes) -> None:
        assert self._descriptor is not None
        try:
            done = os.write(self._descriptor, frames)
            while done < len(frames):
                done += os.write(self._descriptor, memoryview(frames)[done:])
        except OSError as failure:
            if failure.errno != errno.EBADF:
                linux.end(0)  # the runner has gone: nobody waits for this run
            # The program found a way to close it, and runs on unheard.
            self._descriptor = None


def _frame(report: Report | Reply) -> bytes:
    try:
        return encode(report)
    except UnicodeEncodeError:
        return encode(encodable(report))
