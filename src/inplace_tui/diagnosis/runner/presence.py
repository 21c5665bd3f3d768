"""Somebody at a keyboard, to whom everything that runs gives way.

Where nobody is, as in the commands that only print, nothing does: what they
run would be served after all that others do on the machine.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

NICENESS = 5
"""The niceness of runs: they get a quarter of a processor that the screen uses, too."""

ANSWERING = 0.04
"""Seconds from a key in which it is answered, with nothing else in its way."""

IDLE = 2.0
"""Seconds without a key after which what takes a moment may be done."""


class Presence:
    """When somebody last pressed a key."""

    def __init__(self) -> None:
        self._touched = -IDLE

    def touched(self) -> None:
        """There was a key, or a click."""
        self._touched = time.monotonic()

    @property
    def wanted(self) -> float:
        """Seconds for which what can wait should; 0 where no key is being answered."""
        return max(0.0, self._touched + ANSWERING - time.monotonic())

    @property
    def is_idle(self) -> bool:
        """Whether the next key is not expected at any moment."""
        return time.monotonic() - self._touched > IDLE


def give_way(pid: int) -> None:
    """Have a process be served after the screen, and all that it forks from now on.

    Where the kernel gives each session its share, as a desktop's does, the niceness
    of a process counts only among those of its own session: the session has one, too.

    Args:
        pid: of a process in a session of its own.
    """
    with suppress(OSError):  # it has died; or somebody forbids it, and all stays as it is
        os.setpriority(os.PRIO_PROCESS, pid, max(NICENESS, os.getpriority(os.PRIO_PROCESS, pid)))
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(NICENESS))
