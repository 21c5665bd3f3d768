"""What runs on this machine, as the kernel tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from support.patience import PATIENCE


def descendants(pid: int) -> set[int]:
    """Return the processes below one, whatever namespaces they are in."""
    found: set[int] = set()
    with suppress(FileNotFoundError):  # it has ended, and its children have another parent
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                children = set(map(int, task.read_text().split()))
            except OSError:
                continue
            found |= children.union(*map(descendants, children)) if children else set()
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
