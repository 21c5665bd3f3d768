"""What runs on this machine, as the kernel tells it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from support.patience import PATIENCE


def memory(pid: int) -> int:
    """Return how many MB a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20


def threads(pid: int) -> list[Path]:
    """Return the folders of a process's threads; none of one that has ended."""
    with suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []


def descendants(pid: int) -> set[int]:
    """Return the processes below one, whatever namespaces they are in."""
    found: set[int] = set()
    for thread in threads(pid):
        with suppress(OSError):  # it has ended, and its children have another parent
            children = set(map(int, (thread / "children").read_text().split()))
            found |= children.union(*map(descendants, children))
    return found


def saying(marker: str) -> set[int]:
    """Return the processes with this text in their command line."""
    return _having("cmdline", marker)


def marked(marker: str) -> set[int]:
    """Return the processes that began with this text in their environment."""
    return _having("environ", marker)


def _having(name: str, marker: str) -> set[int]:
    found = set()
    for file in Path("/proc").glob(f"[0-9]*/{name}"):
        try:
            if marker.encode() in file.read_bytes():
                found.add(int(file.parent.name))
        except OSError:
            continue
    return found


async def none_left(look: Callable[[], set[int]]) -> None:
    """Return when there are none any more.

    Raises:
        TimeoutError: there still are, after a long time.
    """
    async with asyncio.timeout(PATIENCE):
        while look():  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
