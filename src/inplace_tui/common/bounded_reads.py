"""Reading files so that none of them can block the program or fill its memory.

A file may be anything by the time it is opened: a pipe that nobody writes to, a
device that never ends, a gigabyte of zeros. It is opened without waiting,
examined as it was opened, and read up to a limit.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

MAX_USER_FILE = 32 * 2**20
"""Bytes of a file of the user's; the progress of a whole course takes a hundredth of it."""

_SHELL_PIPES = (Path("/dev/fd"), Path("/proc/self/fd"))
"""The folders of a shell's `<(command)`: a pipe whose writer is open already."""


def read_start(path: Path, most: int, *, follow: bool = True) -> bytes:
    """Return what is in a file, or of a larger one its first `most` + 1 bytes.

    Raises:
        OSError: it can't be read, or is not a file; `strerror` says why, always.
    """
    how = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        descriptor = os.open(path, how if follow else how | os.O_NOFOLLOW)
    except ValueError as error:  # a zero byte in its name
        raise OSError(errno.EINVAL, str(error)) from error
    # Not `os.fdopen`, which would leave a folder open.
    with open(path, "rb", opener=lambda *_: descriptor) as file:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) and path.parent in _SHELL_PIPES:
            os.set_blocking(descriptor, True)
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return file.read(most + 1)


def read_stdin(most: int) -> bytes:
    """Return what comes through stdin.

    Raises:
        OSError: it can't be read, or is more than `most` bytes.
    """
    return _bounded(sys.stdin.buffer.read(most + 1), most)


def read_whole(path: Path, most: int) -> bytes:
    """Return what is in a file.

    Raises:
        OSError: it can't be read, is not a file, or has more than `most` bytes.
    """
    return _bounded(read_start(path, most), most)


def _bounded(content: bytes, most: int) -> bytes:
    if len(content) > most:
        raise OSError(errno.EFBIG, f"more than {most} bytes")
    return content
