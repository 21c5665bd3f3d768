"""Locks of files, which the system takes back when their process dies."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

_PLACE = 2**30
"""A byte beyond all that is in our files: what is locked can be read by nobody else on Windows."""


def take(descriptor: int) -> None:
    """Lock a file for this process alone, at once or not at all.

    Raises:
        BlockingIOError: another process has it.
        OSError: its file system knows no locks.
    """
    if sys.platform != "win32":
        try:
            import fcntl  # noqa: PLC0415  # not every system has it
        except ImportError:
            pass
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
    msvcrt: Any = import_module("msvcrt")
    before = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, _PLACE, os.SEEK_SET)
    try:
        # As Microsoft's page on `_locking` has it: EACCES where somebody has locked the byte.
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except PermissionError as refusal:
        raise BlockingIOError(refusal.errno, refusal.strerror) from refusal
    finally:
        os.lseek(descriptor, before, os.SEEK_SET)
