"""The worker's process, which can be started before an event loop runs.

A lesson starts it before the screen is imported, so that torch loads meanwhile.
Importing asyncio would take longer than starting the process.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


def here() -> list[str]:
    """Return the command line of a worker in this interpreter, without its descriptor."""
    return module("inplace_tui.diagnosis.record")


def module(name: str) -> list[str]:
    """Return the command line that runs a module, with nothing imported from the current folder.

    The current folder, the learner's, may contain a `torch.py`.
    """
    if sys.version_info >= (3, 11):
        return [sys.executable, "-P", "-m", name]
    code = "import sys; del sys.path[0]; import runpy; sys.argv[0] = {0!r}; "
    code += "runpy.run_module({0!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", code.format(name)]


class WorkerProcess:
    """A process that imports torch, and the socket that it hears commands on."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """Begin it with a command, which is given without the descriptor; None is `here`.

        Raises:
            OSError: it can't be started.
        """
        self.control, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603  # our own interpreter, or a learner's
                    [*(command or here()), str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    # Ctrl-C and the terminal are the screen's.
                    start_new_session=True,
                    # Threads that numpy starts when it is imported do not survive a fork.
                    env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                )
        except OSError:
            self.control.close()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, negative for a signal; None while nobody has waited for it."""
        return self._process.returncode

    @property
    def stderr(self) -> IO[bytes]:
        """Its standard error. Unread, it would block at 64 KiB."""
        assert self._process.stderr is not None
        return self._process.stderr

    def wake(self) -> None:
        """Resume it, if it was stopped."""
        self._process.send_signal(signal.SIGCONT)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()

    async def wait(self) -> int:
        if self._process.poll() is None:
            await self._wait_for_exit()
        return self._process.wait()

    async def _wait_for_exit(self) -> None:
        import asyncio  # noqa: PLC0415  # not needed to begin a process

        loop = asyncio.get_running_loop()
        exited: asyncio.Future[None] = loop.create_future()

        def on_exit() -> None:
            with suppress(asyncio.InvalidStateError):
                exited.set_result(None)

        handle = os.pidfd_open(self._process.pid)
        loop.add_reader(handle, on_exit)
        try:
            await exited
        finally:
            loop.remove_reader(handle)
            os.close(handle)


NICENESS = 5
"""The niceness of runs: they get a quarter of a processor that the screen uses, too."""


def give_way(pid: int) -> None:
    """Have a process be served after the screen, and all that it forks from now on.

    Where the kernel gives each session its share, as a desktop's does, the niceness
    of a process counts only among those of its own session: the session has one, too.
    """
    with suppress(OSError):  # it has died; or somebody forbids it, and all stays as it is
        os.setpriority(os.PRIO_PROCESS, pid, max(NICENESS, os.getpriority(os.PRIO_PROCESS, pid)))
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(NICENESS))
