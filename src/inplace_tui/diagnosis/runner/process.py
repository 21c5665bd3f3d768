"""The worker's process, which can be started before an event loop runs.

A lesson starts it before the screen is imported, so that torch loads meanwhile.
Importing asyncio would take longer than starting the process.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def module(name: str) -> list[str]:
    """Return the command line that runs a module, with nothing imported from the current folder.

    The current folder, the learner's, may contain a `torch.py`.
    """
    if sys.version_info >= (3, 11):
        return [sys.executable, "-P", "-m", name]
    code = "import sys; del sys.path[0]; import runpy; sys.argv[0] = {0!r}; "
    code += "runpy.run_module({0!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", code.format(name)]


class WorkerProcess(subprocess.Popen[bytes]):
    """A process that imports torch, and the socket that it hears commands on.

    Its standard error must be read: it would block at 64 KiB.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """Begin it with a command, given without the descriptor; None is our own interpreter's.

        Raises:
            OSError: it can't be started.
        """
        self.control, theirs = socket.socketpair()
        try:
            with theirs:
                super().__init__(
                    [*(command or module("inplace_tui.diagnosis.record")), str(theirs.fileno())],
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

    async def ended(self) -> int:
        """Wait for its end, and return its exit code, negative for a signal."""
        import asyncio  # noqa: PLC0415  # not needed to begin a process

        return await asyncio.to_thread(self.wait)


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
