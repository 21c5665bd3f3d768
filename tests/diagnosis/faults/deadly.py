"""Stands between the runner and a real worker, and kills it after so many bytes.

    python deadly.py FOLDER ... CONTROL

FOLDER has `spring`, the socket of `spring.py`, and maybe `plan`: "STREAM FRAMES BYTES",
which is used once. STREAM is `answers` or `reports`; that many whole frames pass, and
then so many bytes of the next one: then the worker is killed, and we with it.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

ALL = 10**9


class Stream:
    """Frames on their way to the runner, as far as the plan lets them."""

    def __init__(self, send: Callable[[bytes], object], frames: int, beyond: int) -> None:
        self._send = send
        self._frames = frames
        self._beyond = beyond
        self._held = b""
        self.is_over = frames == 0 and beyond == 0

    def feed(self, data: bytes) -> None:
        """Let pass what may."""
        self._held += data
        while self._frames and len(self._held) >= 4:
            end = 4 + int.from_bytes(self._held[:4], "big")
            if len(self._held) < end:
                break
            self._send(self._held[:end])
            self._held = self._held[end:]
            self._frames -= 1
        if not self._frames and len(self._held) >= self._beyond:
            self._send(self._held[: self._beyond])
            self.is_over = True


class Deadly:
    """The worker, as the runner sees it."""

    def __init__(self, folder: Path, control: int) -> None:
        self._runner = socket.socket(fileno=control)
        self._worker, theirs = socket.socketpair()
        with socket.socket(socket.AF_UNIX) as spring, theirs:
            spring.connect(str(folder / "spring"))
            socket.send_fds(spring, [b"w"], [theirs.fileno()])
            self._pid = int(spring.recv(16))
        self._plan = ("", ALL, 0)
        if (plan := folder / "plan").exists():
            stream, frames, beyond = plan.read_text().split()
            self._plan = (stream, int(frames), int(beyond))
            plan.unlink()
        self._answers = self._stream("answers", self._runner.sendall)
        self._reports: Stream | None = None
        self._reading = self._writing = -1

    def serve(self) -> NoReturn:
        """Pass on what comes from both sides."""
        while True:
            ends = [self._runner, self._worker] + [self._reading] * (self._reading >= 0)
            ready, _, _ = select.select(ends, [], [])
            if self._runner in ready:
                self._command()
            if self._reading in ready and self._reports is not None:
                if data := os.read(self._reading, 65_536):
                    self._pass(self._reports, data)
                else:
                    os.close(self._reading)
                    os.close(self._writing)
                    self._reading = -1
            if self._worker in ready:
                data = self._worker.recv(65_536)
                if not data:
                    sys.exit(0)
                self._pass(self._answers, data)

    def _command(self) -> None:
        """Hand on a command, with a pipe of ours in the place of the one for reports."""
        header, descriptors, _, _ = socket.recv_fds(self._runner, 4, 3)
        if not header:
            sys.exit(0)
        rest = int.from_bytes(header, "big")
        body = b""
        while len(body) < rest:
            body += self._runner.recv(rest - len(body))
        self._reading, given = os.pipe()
        self._writing = descriptors[0]
        self._reports = self._stream("reports", lambda data: os.write(self._writing, data))
        socket.send_fds(self._worker, [header], [given, *descriptors[1:]])
        self._worker.sendall(body)
        for descriptor in (given, *descriptors[1:]):
            os.close(descriptor)
        self._die_if(self._reports.is_over)

    def _stream(self, name: str, send: Callable[[bytes], object]) -> Stream:
        stream, frames, beyond = self._plan
        return Stream(send, frames, beyond) if stream == name else Stream(send, ALL, 0)

    def _pass(self, stream: Stream, data: bytes) -> None:
        stream.feed(data)
        self._die_if(stream.is_over)

    def _die_if(self, over: bool) -> None:
        if over:
            os.kill(self._pid, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    Deadly(Path(sys.argv[1]), int(sys.argv[-1])).serve()
