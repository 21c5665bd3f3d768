"""A terminal to measure in: a pseudo-terminal whose every chunk of bytes has its time."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Self

import pyte

SIZE = (120, 40)

SILENCE = 0.03
"""Seconds without a byte after which a redraw is over."""

PATIENCE = 60.0

ANSWERS = {
    b"\x1b[6n": b"\x1b[1;2R",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",
}
"""What terminals of today say when they are asked: where the cursor is, what they know."""


def tool(name: str) -> str:
    """Return a command that is installed beside this Python."""
    return str(Path(sys.executable).with_name(name))


class TooLateError(Exception):
    """What was waited for did not come."""


@dataclass
class Redraw:
    """What followed a key."""

    seconds: float
    """From the key to the last byte."""

    data: bytes = field(repr=False)


class Timed:
    """A program on a terminal of its own. Times are `perf_counter`'s."""

    def __init__(
        self, command: Sequence[str], *, answering: bool = True, **environment: str
    ) -> None:
        """Start it.

        Args:
            command: what to execute.
            answering: answer what programs ask of terminals; some terminals do not.
            environment: what differs from ours.
        """
        self._main, other = pty.openpty()
        columns, lines = SIZE
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._answering = answering
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.chunks: list[tuple[float, bytes]] = []
        """What came and when."""

        self._fed = 0
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL")}
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.began = perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            env=env | environment,
            preexec_fn=_take_terminal,  # noqa: PLW1509  # there are no threads here
        )
        os.close(other)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it and what it started."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self._drain_until_gone()
            finally:
                if self.process.poll() is None:
                    self.process.kill()
                self.process.wait()
        os.close(self._main)

    def type(self, keys: str) -> float:
        """Press keys; return when."""
        at = perf_counter()
        os.write(self._main, keys.encode())
        return at

    def read(self, patience: float) -> bool:
        """Read one chunk, if one comes."""
        ready, _, _ = select.select([self._main], [], [], max(0.0, patience))
        if not ready:
            return False
        try:
            data = os.read(self._main, 65_536)
        except OSError:  # the program has gone
            return False
        self.chunks.append((perf_counter(), data))
        if self._answering and b"\x1b[" in data:
            for question, answer in ANSWERS.items():
                if question in data:
                    os.write(self._main, answer)
        return bool(data)

    def wait_for(self, *texts: str) -> float:
        """Read until the screen shows all of these; return when the last chunk of them came.

        The screen is looked at when no more bytes come, then each chunk is replayed: so
        that looking costs no time that would be measured.

        Raises:
            TooLateError: they were not shown for a long time.
        """
        at = self.wait_until(lambda: self.shows(*texts))
        if at is None:
            raise TooLateError(f"no {texts} on\n{self.text}")
        return at

    def wait_until(self, done: Callable[[], bool]) -> float | None:
        """Do as `wait_for` does, until the screen is as wanted; None if it never is."""
        end = perf_counter() + PATIENCE
        while perf_counter() < end:
            self.read(min(SILENCE, end - perf_counter()))
            while self.read(0.002):
                continue
            at = self._replay(done)
            if at is not None:
                return at
            if self.process.poll() is not None and not self.read(0):
                break
        return None

    def shows(self, *texts: str) -> bool:
        """Whether the screen shows all of these, as far as it was replayed."""
        shown = self.text
        return all(text in shown for text in texts)

    @property
    def text(self) -> str:
        """The screen as it was replayed."""
        return "\n".join(self._screen.display)

    def until_silent(self, silence: float = SILENCE) -> None:
        """Read until no byte comes for so long."""
        while self.read(silence):
            continue
        self._replay(lambda: False)

    def press(self, keys: str, silence: float = SILENCE) -> Redraw:
        """Press keys and read all that is drawn for it.

        Raises:
            TooLateError: nothing was drawn.
        """
        self.until_silent(0.0)
        first = len(self.chunks)
        at = self.type(keys)
        if not self.read(PATIENCE):
            raise TooLateError(f"nothing was drawn for {keys!r}")
        while self.read(silence):
            continue
        new = self.chunks[first:]
        return Redraw(new[-1][0] - at, b"".join(data for _, data in new))

    def answer(self, keys: str, mark: str) -> float:
        """Press keys; return the seconds until something is drawn that has `mark` in it.

        Raises:
            TooLateError: it was not.
        """
        at, seen = self.type(keys), b""
        while mark.encode() not in seen:
            if not self.read(PATIENCE):
                raise TooLateError(f"no {mark!r} was drawn for {keys!r}")
            seen += self.chunks[-1][1]
        return self.chunks[-1][0] - at

    def _replay(self, done: Callable[[], bool]) -> float | None:
        """Feed the screen what came; return the time of the chunk after which it is `done`."""
        while self._fed < len(self.chunks):
            at, data = self.chunks[self._fed]
            self._stream.feed(data)
            self._fed += 1
            if done():
                return at
        return None

    def _drain_until_gone(self) -> None:
        end = perf_counter() + 5
        while self.process.poll() is None and perf_counter() < end:
            self.read(0.05)


def _take_terminal() -> None:
    """Make it the terminal of the new session: size changes and Ctrl-C then arrive."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
