"""A real terminal: the installed program behind a pseudo-terminal, read as bytes."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

from support.command import WARM, make_home
from support.patience import PATIENCE

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[P_^X][^\x1b]*\x1b\\"
    r"|\x1b\[[0-9:;<=>?]*[ -/]*[@-~]"
    r"|\x1b[()].|\x1b[=>]"
)


class Terminal:
    """The program on a terminal of its own."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        size: tuple[int, int] = (80, 24),
        controls: bool = False,
        given: Path | None = None,
        **environment: str,
    ) -> None:
        """Start it; what it keeps is kept in `home`.

        With `controls` the terminal is the one that the program belongs to, and takes it
        along when it is closed. So it does where standard input is `given` as a file.
        """
        controls |= given is not None
        self._main, self._other = pty.openpty()
        self._set_size(*size)
        self.before = termios.tcgetattr(self._other)
        self.sent = ""
        taking = ["setsid", "--ctty"] if controls else []
        # Whoever runs the tests may be behind `nohup`, which has hang-ups ignored.
        taking += ["env", "--default-signal=HUP"]
        if given is not None:
            taking += ["sh", "-c", 'exec "$@" <"$0"', str(given)]
        self._process = subprocess.Popen(
            [*taking, sys.executable, "-m", "inplace_tui", *arguments],
            stdin=self._other,
            stdout=self._other,
            stderr=self._other,
            start_new_session=not controls,
            env={
                **os.environ,
                **WARM,
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
                "INPLACE_TUI_HOME": make_home(home),
                **environment,
            },
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for end in {self._main, self._other} - {-1}:
            os.close(end)

    @property
    def pid(self) -> int:
        """The program's process id."""
        return self._process.pid

    def hang_up(self) -> None:
        """Close the terminal, as its window is closed."""
        os.close(self._other)
        os.close(self._main)
        self._main = self._other = -1

    @property
    def text(self) -> str:
        """All that was drawn so far, one thing over the other, without escapes."""
        return _ESCAPES.sub("", self.sent)

    def resize(self, width: int, height: int, *, told: bool = True) -> None:
        """Give the terminal another size; a kernel tells only whom the terminal controls."""
        self._set_size(width, height)
        if told:
            self._process.send_signal(signal.SIGWINCH)

    def _set_size(self, width: int, height: int) -> None:
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def type(self, text: str) -> None:
        """Send what a keyboard, or an input method, sends; a lone surrogate is a byte."""
        os.write(self._main, text.encode(errors="surrogateescape"))

    def send(self, data: bytes) -> None:
        """Send bytes as they are, reading on where the program has not read them yet."""
        while data:
            self._read(0)
            if select.select([], [self._main], [], 0.1)[1]:
                data = data[os.write(self._main, data[:512]) :]

    def pause(self, seconds: float) -> None:
        """Read what is drawn for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.ended:
            self._read(left)

    @property
    def ended(self) -> bool:
        """Whether the program is gone."""
        return self._process.poll() is not None

    def forget(self) -> None:
        """From now on only what is drawn later counts."""
        self.sent = ""

    def wait_for(self, *texts: str, times: int = 1) -> None:
        """Read on until all of these were drawn, so many times.

        Raises:
            TimeoutError: they were not, for a long time.
        """
        end = time.monotonic() + PATIENCE
        while not all(self.text.count(text) >= times for text in texts):
            if time.monotonic() > end or not self._read(end - time.monotonic()):
                raise TimeoutError(f"no {texts} in {self.text[-3000:]!r}")

    def answer(self, question: str, answer: str) -> None:
        """Wait until the program has asked the terminal something, and answer it.

        Raises:
            TimeoutError: it did not ask.
        """
        end = time.monotonic() + PATIENCE
        while question not in self.sent:
            if time.monotonic() > end or not self._read(end - time.monotonic()):
                raise TimeoutError(f"{question!r} was not asked")
        self.type(answer)

    def wait_for_end(self) -> int:
        """Read all that is left and return the exit code."""
        end = time.monotonic() + PATIENCE
        while self._process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        while self._main >= 0 and self._read(0):
            continue
        return self._process.wait(timeout=1)

    def wait_for_stop(self) -> None:
        """Read on until the program stands still.

        Raises:
            TimeoutError: it does not.
        """
        end = time.monotonic() + PATIENCE
        state = Path(f"/proc/{self.pid}/stat")
        while state.read_text().rpartition(")")[2].split()[0] != "T" or self._read(0):
            if time.monotonic() > end:
                raise TimeoutError("it runs")
            self._read(0.05)

    def kill(self) -> None:
        """Kill it, and read what it had drawn by then."""
        self._process.kill()
        self._process.wait()
        while self._read(0):
            continue

    def workers(self) -> list[int]:
        """Return the processes that it started."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def kill_worker(self) -> None:
        """Kill every process that it started."""
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)

    def modes(self) -> list[object]:
        """Return the terminal's modes, as `stty` would tell them."""
        return termios.tcgetattr(self._other)

    def _read(self, patience: float) -> bool:
        if self._main < 0:
            time.sleep(patience)
            return False
        ready, _, _ = select.select([self._main], [], [], max(0.0, patience))
        if ready:
            self.sent += os.read(self._main, 65_536).decode(errors="replace")
        return bool(ready)
