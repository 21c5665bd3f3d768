"""The process of a run on any system: started for it alone, and heard through one connection."""

from __future__ import annotations

import _thread
import errno
import os
import queue
import shutil
import socket
import tempfile
import time
from pathlib import Path
from typing import NoReturn

from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.leftover import Leftover
from inplace_tui.diagnosis.record.process.system import Channel, RequestSource, RunProcess, end

_removed = shutil.rmtree
"""Before any program could replace it, as `end` is."""

PATIENCE = 5.0
"""Seconds that it waits for its end, once all is reported."""


class SpawnedRun(RunProcess):
    """A process that was warm for one run."""

    def __init__(
        self,
        connection: socket.socket,
        asked: RequestSource,
        output: Path,
        leftover: Leftover,
        scratch: Path,
    ) -> None:
        """Take the connection that reports go through, and requests come.

        `output` is the file that 1 and 2 are; a lesson's program begins in `scratch`.
        """
        self.reports, self.asked = _Connection(connection), asked
        self._output, self._leftover, self._scratch = output, leftover, scratch
        self._raw: int | None = None

    def hold(self, job: messages.StartRun) -> None:
        if job.program.origin.is_confined:
            os.chdir(self._scratch)
            os.environ["TMPDIR"] = tempfile.tempdir = str(self._scratch)

    def connect(self, stdin: bytes) -> None:
        with tempfile.TemporaryFile() if stdin else open(os.devnull, "rb") as given:
            if stdin:
                given.write(stdin)
                given.seek(0)
            os.dup2(given.fileno(), 0)
        self._raw = os.open(self._output, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._leftover.reported = os.lseek(self._raw, 0, os.SEEK_END)

    def raw_text(self) -> bytes:
        """Return what the line wrote past `sys.stdout`."""
        if self._raw is None:
            return b""
        size, place = os.fstat(self._raw).st_size, self._leftover.reported
        if size == place:
            return b""
        if size < place:  # it was too much, and is gone
            os.lseek(self._raw, 0, os.SEEK_SET)
            place = 0
        text = os.read(self._raw, size - place)
        self._leftover.reported = place + len(text)
        return text

    def wrote_files(self) -> bool:
        return False

    def resident(self) -> int:
        return 0  # no other run is beside it

    def forget_memory_limit(self) -> None:
        """There is none here: who watches it from outside ends it."""

    def follow_fork(self) -> None:
        if self._raw is not None:
            os.close(self._raw)
            self._raw = None

    def leave(self) -> NoReturn:
        # Whoever ends it does so with all that it started, which is found only while it lives.
        time.sleep(PATIENCE)
        end(0)


class _Connection(Channel):
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def write(self, data: bytes | memoryview) -> int:
        return self._connection.send(data)

    def close(self) -> None:
        self._connection.close()


class SentRequests(RequestSource):
    """What comes by the connection, read in a thread: when it ends, so does this process.

    It is none of `threading`'s, where a program would find it.
    """

    def __init__(self, connection: socket.socket, folder: Path) -> None:
        """Read it from now on; `folder` is what nobody else removes once nobody is there."""
        self._connection, self._folder = connection, folder
        self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        _thread.start_new_thread(self._listen, ())

    def _listen(self) -> None:
        while True:
            try:
                data = self._connection.recv(65_536)
            except OSError as failure:
                if failure.errno in (errno.EBADF, errno.ENOTSOCK):
                    return  # the program closed it, and runs on unheard
                data = b""
            if not data:  # whoever started it is gone
                _removed(self._folder, ignore_errors=True)
                end(0)
            self._came.put(data)

    def read(self, *, waits: bool, seconds: float | None = None) -> bytes | None:
        try:
            return self._came.get(block=waits, timeout=seconds)
        except queue.Empty:
            return None
