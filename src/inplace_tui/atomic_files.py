"""Files that are never half written: our own, which two instances may write, and the user's."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

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


def save_file(path: Path, content: bytes) -> None:
    """Write a file of the user's own, which keeps its mode, its owner and its other names.

    It is written beside the file and takes its place, which a full disk can't interrupt.
    Where that would make another file of it (a second name, a foreign owner), or the
    folder takes no new ones, it is written as it lies there.

    Raises:
        OSError: it can't be written; then it is as it was.
    """
    path = Path(os.path.realpath(path))
    there = path.stat() if path.exists() else None
    if there is not None and not path.is_file():
        raise OSError(errno.EINVAL, "a folder" if path.is_dir() else "not a regular file")
    if there is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    own = there is None or (there.st_nlink == 1 and there.st_uid == os.geteuid())
    if not own or not os.access(path.parent, os.W_OK):
        _overwrite(path, content)
        return
    fresh = path.with_name(f".{path.name[:100]}.{os.getpid()}.new")
    try:
        with fresh.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if there is not None:
            fresh.chmod(stat.S_IMODE(there.st_mode))
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _overwrite(path: Path, content: bytes) -> None:
    """Write over what is in a file; where that fails, put back what was there.

    Room is asked for first, and nothing is given up before all is written: what was
    there still fits.
    """
    with path.open("r+b") as file:
        before = file.read()
        try:
            if len(content) > len(before):
                os.posix_fallocate(file.fileno(), 0, len(content))
            _replace(file, content)
        except OSError:
            with contextlib.suppress(OSError):
                _replace(file, before)
            raise


def _replace(file: BinaryIO, content: bytes) -> None:
    file.seek(0)
    file.write(content)
    file.flush()
    file.truncate(len(content))
    os.fsync(file.fileno())
