"""The child's end of the report pipe."""

from __future__ import annotations

import errno
import os
import signal
import threading

import msgspec

from inplace_tui.protocol.frames import encode
from inplace_tui.protocol.messages import Report
from inplace_tui.worker.output import printable

_INTERRUPTING = (
    signal.SIGALRM,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGPROF,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGVTALRM,
)
"""Signals that a program may have Python functions for. One that raises while
a frame is half written would make noise of everything after it."""


class Reports:
    """Writes reports, until this process is no longer the one that was asked."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor
        self._lock = threading.RLock()

    @property
    def heard(self) -> bool:
        """Whether anybody reads them."""
        return self._descriptor is not None

    def follow_fork(self) -> None:
        """Fall silent: the program forked, and this is the copy."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def send(self, report: Report) -> None:
        """Write one report; blocks while the runner is slower than the program."""
        if self._descriptor is None:
            return
        try:
            frame = encode(report)
        except UnicodeEncodeError:
            frame = encode(_without_surrogates(report))
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTING)
        try:
            with self._lock:
                self._write(frame)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _write(self, frame: bytes) -> None:
        assert self._descriptor is not None
        rest = memoryview(frame)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as failure:
            if failure.errno != errno.EBADF:
                os._exit(0)  # the runner has gone: nobody waits for this run
            # The program found a way to close it, and runs on unheard.
            self._descriptor = None


def _without_surrogates(report: Report) -> Report:
    """Return the report with every text made printable."""
    plain = msgspec.to_builtins(report, builtin_types=(bytes,))
    return msgspec.convert(_printable(plain), type=Report, builtin_types=(bytes,))  # type: ignore[no-any-return]


def _printable(value: object) -> object:
    match value:
        case str():
            return printable(value)
        case dict():
            return {_printable(key): _printable(item) for key, item in value.items()}
        case list() | tuple():
            return [_printable(item) for item in value]
        case _:
            return value
