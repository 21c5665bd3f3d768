"""How much memory the processes of a run hold: what is resident, not the addresses they took.

A program on a GPU maps hundreds of gigabytes that it never touches, so a limit on
addresses would end it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

SHARE = 0.9
"""The part of the machine's memory that a process may hold by default."""

_PAGE = os.sysconf("SC_PAGE_SIZE")
_CONTROL_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def default_limit() -> int:
    """Return bytes: `SHARE` of what the machine, or the container we are in, has."""
    most = os.sysconf("SC_PHYS_PAGES") * _PAGE
    for path in _CONTROL_GROUPS:
        with suppress(OSError, ValueError):  # there is none, or it says `max`
            most = min(most, int(Path(path).read_text(encoding="ascii")))
    return int(most * SHARE)


def largest(pid: int) -> int:
    """Return the bytes that the largest process of a tree holds in memory of its own.

    Pages of files are not counted, the kernel takes them back; nor is what several share:
    copies that a program forks, as a DataLoader does, would each count it.
    """
    found, waiting = 0, [pid]
    while waiting:
        process = waiting.pop()
        with suppress(OSError, ValueError):  # it is gone
            here = Path("/proc", str(process))
            _, resident, shared, *_ = (here / "statm").read_text(encoding="ascii").split()
            found = max(found, (int(resident) - int(shared)) * _PAGE)
            for task in (here / "task").iterdir():
                with suppress(OSError):
                    children = (task / "children").read_text(encoding="ascii")
                    waiting += map(int, children.split())
    return found
