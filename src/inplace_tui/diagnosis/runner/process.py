"""The process of a worker, which can be started before an event loop runs.

A lesson starts it before the screen is imported, so that torch loads meanwhile.
Importing asyncio would take longer than starting the process.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from inplace_tui.common.system import PORTABLE
from inplace_tui.diagnosis.protocol.leftover import LEFTOVER, OUTPUT, SCRATCH, SIZE, TOKEN


def module(name: str) -> list[str]:
    """Return the command line that runs a module, with nothing imported from the current folder.

    The current folder, the learner's, may contain a `torch.py`.
    """
    if sys.version_info >= (3, 11):
        return [sys.executable, "-P", "-m", name]
    code = "import sys; del sys.path[0]; import runpy; sys.argv[0] = {0!r}; "
    code += "runpy.run_module({0!r}, run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", code.format(name)]


RECORDER = "inplace_tui.diagnosis.record"
"""The module that a worker runs."""


class WorkerProcess(subprocess.Popen[bytes]):
    """A process of Linux that imports torch, and the socket that it hears commands on.

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
                    [*(command or module(RECORDER)), str(theirs.fileno())],
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


class SpawnedProcess(subprocess.Popen[bytes]):
    """A process that imports torch, for one run, and the socket that it will call at.

    Nothing is inherited but standard streams, which every system can.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """Begin it with a command, given without its arguments; None is our own interpreter's.

        Raises:
            OSError: it can't be started.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="inplace-tui-"))
        self.token = secrets.token_bytes(TOKEN)
        try:
            self.listener = socket.create_server(("127.0.0.1", 0), backlog=1)
            (self.folder / LEFTOVER).write_bytes(bytes(SIZE))
            (self.folder / SCRATCH).mkdir()
            port = self.listener.getsockname()[1]
            with (self.folder / OUTPUT).open("ab") as output:
                super().__init__(
                    [*(command or module(RECORDER)), str(port), str(self.folder)],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    **_apart(),
                )
        except OSError:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        assert self.stdin is not None
        with suppress(OSError), self.stdin:  # it has died: whoever waits for it sees that
            self.stdin.write(self.token)


def _apart() -> dict[str, Any]:
    """Return what keeps a process from the terminal and from its Ctrl-C, which are the screen's."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


BegunProcess: TypeAlias = WorkerProcess | SpawnedProcess


def begin() -> BegunProcess:
    """Begin the process that a worker takes its first run from.

    Raises:
        OSError: it can't be started.
    """
    return SpawnedProcess() if PORTABLE else WorkerProcess()


NICENESS = 5
"""The niceness of runs: they get a quarter of a processor that the screen uses, too."""
