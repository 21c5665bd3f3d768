"""Files that are never half written, and read so that none can block or fill the memory.

They are our own, which two instances may write, and the user's. One that is read may be anything
by the time it is opened: a pipe that nobody writes to, a device that never ends, a gigabyte of
zeros. It is opened without waiting, examined as it was opened, and read up to a limit.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

import msgspec

from inplace_tui.common import locks
from inplace_tui.common.decodable import decodable

MAX_USER_FILE = 32 * 2**20
"""Bytes of a file of the user's; the progress of a whole course takes a hundredth of it."""

_SHELL_PIPES = (Path("/dev/fd"), Path("/proc/self/fd"))
"""The folders of a shell's `<(command)`: a pipe whose writer is open already."""


def _flags(*names: str) -> int:
    """Return those that the system knows; one that lacks them has nothing that they are for."""
    return sum(getattr(os, name, 0) for name in names)


_AS_IT_IS = os.O_RDONLY | _flags("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
_NO_LINK = _flags("O_NOFOLLOW")

PATIENCE = 1.0
"""Seconds to wait for a lock."""

_LOCK_PAUSE = 0.025

MAX_SAVED = 2**30
"""Bytes of a file that is compared with what was to be written."""


def read_start(path: Path, most: int, *, follow: bool = True) -> bytes:
    """Return what is in a file, or of a larger one its first `most` + 1 bytes.

    Raises:
        OSError: it can't be read, or is not a file; `strerror` says why, always.
    """
    try:
        descriptor = os.open(path, _AS_IT_IS if follow else _AS_IT_IS | _NO_LINK)
    except ValueError as error:  # a zero byte in its name
        raise OSError(errno.EINVAL, str(error)) from error
    # Not `os.fdopen`, which would leave a folder open.
    with open(path, "rb", opener=lambda *_: descriptor) as file:
        mode = os.fstat(descriptor).st_mode
        if sys.platform != "win32" and stat.S_ISFIFO(mode) and path.parent in _SHELL_PIPES:
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
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | _flags("O_CLOEXEC"), 0o600)
    try:
        yield _is_locked(descriptor, time.monotonic() + patience)
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int, until: float) -> bool:
    while True:
        try:
            locks.take(descriptor)
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

    `is_due` is asked once all is written; if not, the old one stays. Returns whether the new one
    is there.

    Raises:
        OSError: it can't be written; what is there may be a device, whose name root could take.
    """
    target = Path(os.path.realpath(path))  # `resolve` raises what no caller expects of a loop
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            _write(file, content)
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
    """Write one file as `save_files` does."""
    save_files({path: content})


def save_files(files: Mapping[Path, bytes], journals: Path | None = None) -> None:
    """Write files of the user's own, all or none; each keeps mode, owner and other names.

    They are written beside the old ones, all before the first takes its place, which a full
    disk can't interrupt. Where that would make another file of one (a second name, a foreign
    owner), or the folder takes no new ones, it is written as it lies there. Of several it is
    noted in the folder `journals` what is to be done, until it is: see `half_saved`.

    Raises:
        OSError: the file `filename` can't be written; then all are as they were.
    """
    done: list[_FileOfSet] = []
    path = Path()
    with contextlib.ExitStack() as stack:
        try:
            prepared = []
            for path, content in files.items():
                prepared.append(_prepared(path, content, stack))
            prepared.sort(key=lambda each: each.fresh is not None)  # what may fail goes first
            if journals is not None and len(prepared) > 1:
                _note(journals, prepared, stack)
            for each in prepared:
                path = Path(each.path)
                if each.fresh is None:
                    _overwrite(path, each.after)
                else:
                    os.replace(each.fresh, path)
                done.append(each)
        except BaseException as error:
            if isinstance(error, OSError):
                error.filename = str(path)
            afterwards = stack.pop_all()  # where it can't be taken back, the note is left
            _take_back(done)
            afterwards.close()
            raise


class _FileOfSet(msgspec.Struct, frozen=True):
    """One file of a set."""

    path: str
    before: bytes | None
    """None where there was no file."""

    after: bytes
    fresh: str | None
    """Where it lies until it takes the file's place; None: the file is written over."""

    @property
    def now(self) -> bytes | None:
        try:
            return read_whole(Path(self.path), MAX_SAVED)
        except OSError:
            return None


@dataclass(frozen=True)
class HalfSaved:
    """A set of files whose writer died between two of them."""

    journal: Path
    files: tuple[_FileOfSet, ...]

    @property
    def written(self) -> list[_FileOfSet]:
        return [each for each in self.files if each.now == each.after]

    @property
    def missing(self) -> list[_FileOfSet]:
        return [each for each in self.files if each.now == each.before != each.after]

    def settle(self, *, complete: bool) -> None:
        """Write the others, too, or what was there before; never what was changed since.

        Raises:
            OSError: the file `filename` can't be written.
        """
        if complete:
            save_files({Path(each.path): each.after for each in self.missing})
        else:
            _take_back(self.written)
        self.forget()

    def forget(self) -> None:
        for left in (each.fresh for each in self.files if each.fresh is not None):
            Path(left).unlink(missing_ok=True)
        self.journal.unlink(missing_ok=True)


def half_saved(journals: Path) -> HalfSaved | None:
    """Return a set whose writer died after some of its files; forget one that is whole."""
    for journal in journals.glob("*.set"):
        found: HalfSaved | None = None
        with contextlib.suppress(OSError), journal.open("rb") as file:
            locks.take(file.fileno())  # else it is at work
            found = HalfSaved(journal, ())
            with contextlib.suppress(msgspec.MsgspecError):  # cut off: it touched no file
                files = msgspec.msgpack.decode(file.read(), type=decodable(tuple[_FileOfSet, ...]))
                found = HalfSaved(journal, files)
            if found.written and found.missing:
                return found
        if found is not None:  # closed by now: what is open is removed on no Windows
            found.forget()
    return None


def _note(journals: Path, files: Sequence[_FileOfSet], stack: contextlib.ExitStack) -> None:
    """Note what is to be written, locked as long as this process is at it; if that can be."""
    with contextlib.suppress(OSError):
        journals.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=journals, suffix=".set")
        stack.callback(Path(name).unlink, missing_ok=True)  # once it is closed
        file = stack.enter_context(os.fdopen(descriptor, "wb"))
        locks.take(file.fileno())
        _write(file, msgspec.msgpack.encode(files))


def _take_back(files: Sequence[_FileOfSet]) -> None:
    for each in reversed(files):
        if each.before is None:
            Path(each.path).unlink(missing_ok=True)
        else:
            save_file(Path(each.path), each.before)


def _prepared(path: Path, content: bytes, stack: contextlib.ExitStack) -> _FileOfSet:
    """Check that a file can be written, and write beside it what is to be in it."""
    path = Path(os.path.realpath(path))
    there = path.stat() if path.exists() else None
    if there is not None and not path.is_file():
        raise OSError(errno.EINVAL, "a folder" if path.is_dir() else "not a regular file")
    if there is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    before = None if there is None else read_whole(path, MAX_SAVED)
    me = getattr(os, "geteuid", lambda: 0)()  # Windows gives files no number of an owner
    own = there is None or (there.st_nlink == 1 and there.st_uid == me)
    if not own or not os.access(path.parent, os.W_OK):
        path.open("r+b").close()
        return _FileOfSet(str(path), before, content, None)
    fresh = path.with_name(f".{path.name[:100]}.{os.getpid()}.new")
    stack.callback(fresh.unlink, missing_ok=True)
    with fresh.open("xb") as file:
        _write(file, content)
    if there is not None:
        fresh.chmod(stat.S_IMODE(there.st_mode))
    return _FileOfSet(str(path), before, content, str(fresh))


def _overwrite(path: Path, content: bytes) -> None:
    """Write over what is in a file; where that fails, put back what was there.

    Room is asked for first, and nothing is given up before all is written: what was
    there still fits.
    """
    with path.open("r+b") as file:
        before = file.read()
        try:
            if len(content) > len(before) and hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, len(content))
            _replace(file, content)
        except OSError:
            with contextlib.suppress(OSError):
                _replace(file, before)
            raise


def _replace(file: BinaryIO, content: bytes) -> None:
    file.seek(0)
    file.truncate(file.write(content))
    _sync(file)


def _write(file: IO[bytes], content: bytes) -> None:
    file.write(content)
    _sync(file)


def _sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
