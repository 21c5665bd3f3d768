"""How much memory a run may hold."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from inplace_tui.common.run.program import Limits
from inplace_tui.common.system import PORTABLE

SHARE = 0.9
"""The part of the machine's memory that a process may hold by default."""

_CONTROL_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def default_limit() -> int:
    """Return bytes: `SHARE` of what the machine, or the container we are in, has.

    Of what is resident: a program on a GPU maps hundreds of gigabytes that it never touches, so a
    limit on addresses would end it.
    """
    most = _installed()
    for path in _CONTROL_GROUPS:
        with suppress(OSError, ValueError):  # there is none, or it says `max`
            most = min(most, int(Path(path).read_text(encoding="ascii")))
    return int(most * SHARE)


def _installed() -> int:
    if sys.platform == "linux" and not PORTABLE:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    import psutil  # noqa: PLC0415  # not needed where the kernel says it

    return int(psutil.virtual_memory().total)


BESIDE = 1 / 3
"""The part of what a process may hold that a second one of the program may, while another runs."""


MORE = 0.8
"""The part of what a program holds that a second run of it may have of its own beside it."""


def beside(limits: Limits, resident: int) -> Limits:
    """Return the limits of a run beside another one of a program that holds so many bytes."""
    most = min((limits.resident_bytes or default_limit()) * BESIDE, resident * MORE)
    return msgspec.structs.replace(limits, own_bytes=int(most))
