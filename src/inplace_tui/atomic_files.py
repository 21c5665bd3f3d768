"""Small files that two instances may write at once, and that must never be half written."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

PATIENCE = 1.0
"""Seconds to wait for a lock."""

_LOCK_PAUSE = 0.025


def free_name(path: Path) -> Path:
    """Return a name beside `path` for a file that could not be understood."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.broken-{number}{path.suffix}")).exists():
        number += 1
    return aside


@contextlib.contextmanager
def lock(path: Path, patience: float = PATIENCE) -> Iterator[bool]:
    """Hold the lock, or go on without it: a frozen instance may keep it forever.

    Yields False where another process has it.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        yield _is_locked(descriptor, time.monotonic() + patience)
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int, until: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(_LOCK_PAUSE)
        except OSError:  # a file system without locks
            return True
        else:
            return True


def stamp(path: Path) -> tuple[int, int, int] | None:
    """Return what differs once a file was rewritten; None where there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_ino, about.st_mtime_ns, about.st_size


def write_file(path: Path, content: bytes) -> None:
    """Write a file that somebody named: at every moment the old one or the new one.

    What is no regular file (a device, a pipe) is written to as it is.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
    else:
        replace_file(path, content)


def replace_file(path: Path, content: bytes, *, is_due: Callable[[], bool] = lambda: True) -> bool:
    """Write a file so that at every moment there is the old one or the new one.

    Args:
        path: of the file.
        content: all of it.
        is_due: asked once all is written; if not, the old one stays.

    Returns:
        Whether the new one is there.

    Raises:
        OSError: it can't be written; what is there may be a device, whose name root could take.
    """
    target = Path(os.path.realpath(path))  # `resolve` raises what no caller expects of a loop
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if due := is_due():
            os.replace(temporary, target)
        else:
            os.unlink(temporary)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return due
