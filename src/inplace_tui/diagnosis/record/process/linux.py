"""What is asked of the kernel and has no function in `os`.

Elsewhere than on Linux these do nothing: leftovers then live a little longer.
"""

from __future__ import annotations

import ctypes
import fcntl
import math
import os
import resource
import signal
import socket
import stat
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_SET_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36
_COLLAPSE = 25
_PERTURB, _FILLER = -6, 85  # of mallopt: <malloc.h>
_DETACH = 2
_SET_FLAGS, _UP = 0x8914, 1  # of an interface: <linux/sockios.h>, <net/if.h>
_RESERVED = 8
"""How many descriptor numbers are kept from a program, above its limit."""

_LAST_WORDS = 2**28
"""Bytes of memory that are kept for saying how a program ended that filled its own."""

_LONG = 10.0**6
"""Seconds that are as good as no limit."""

_linux = sys.platform == "linux"
_libc: Any = ctypes.CDLL(None, use_errno=True) if _linux else None
_prctl = None if _libc is None else _libc.prctl


def die_with_parent(signum: signal.Signals) -> None:
    """Be sent `signum` when the parent dies, so that no orphan burns a core."""
    if _prctl is not None:
        _prctl(_SET_DEATH_SIGNAL, int(signum), 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parents die.

    A daemon leaves its process group, but not its ancestors.
    """
    if _prctl is not None:
        _prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> set[int]:
    """Return the processes whose parent is this one; zombies too."""
    found: set[int] = set()
    if _linux:
        for task in Path("/proc/self/task").iterdir():
            with suppress(OSError):
                found.update(map(int, (task / "children").read_text().split()))
    return found


def prefer_oom_kill() -> None:
    """Have the kernel kill this process, not the screen's, when memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def fill_memory() -> None:
    """Have memory that nobody initialised hold the same in every run, so that runs compare."""
    if _libc is not None and hasattr(_libc, "mallopt"):  # musl has none
        _libc.mallopt(_PERTURB, _FILLER)


def take_large_pages() -> None:
    """Have what is in memory now lie in large pages, where the kernel can do so.

    A fork then copies one entry of the page table where it copied five hundred: half of
    what it costs to start a run from here.
    """
    if _libc is None:
        return
    for line in Path("/proc/self/maps").read_text().splitlines():
        where, access, _, _, _, *name = line.split(maxsplit=5)
        if access == "rw-p" and name in ([], ["[heap]"]):
            start, end = (int(number, 16) for number in where.split("-"))
            # An older kernel refuses, and small areas stay as they are.
            _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _COLLAPSE)


def limit_computing(seconds: float) -> None:
    """Have the kernel end this process when every processor has worked for it so long.

    Its time is somebody else's to keep, who may be stopped (SIGSTOP) together with the screen.
    """
    most = math.ceil(min(seconds, _LONG)) * (os.cpu_count() or 1)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def limit_memory(extra_bytes: int | None) -> None:
    """Allow this much address space beyond what is mapped now; None for no limit.

    What a program may raise it by is what `forget_memory_limit` needs.
    """
    if extra_bytes is None or not _linux:
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + extra_bytes
    most = wanted + _LAST_WORDS
    if hard != resource.RLIM_INFINITY:
        wanted, most = min(wanted, hard), min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, most))


def forget_memory_limit() -> None:
    """Make room to say how it ended, after a program that filled its memory."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def mount(
    what: str | None, where: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    """Mount something.

    Raises:
        OSError: the kernel refuses.
    """
    of, as_, so = (None if each is None else os.fsencode(each) for each in (what, kind, options))
    _checked(_libc.mount(of, os.fsencode(where), as_, ctypes.c_ulong(flags), so), where)


def unmount(where: str) -> None:
    """Detach a mount; what is in use of it stays.

    Raises:
        OSError: the kernel refuses.
    """
    _checked(_libc.umount2(os.fsencode(where), _DETACH), where)


def _checked(result: int, where: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), where)


def start_loopback() -> None:
    """Have this network namespace reach itself: a new one has not even that.

    Raises:
        OSError: the kernel refuses.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh22x", b"lo", _UP)
        fcntl.ioctl(any_socket, _SET_FLAGS, request)


def out_of_reach(*descriptors: int) -> list[int]:
    """Move descriptors above the limit on their number, and return the new ones.

    A program that closes everything, up to `SC_OPEN_MAX` as daemons do, closes
    none of them, and nothing that it opens can take their place.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    floor = soft if hard == resource.RLIM_INFINITY or soft + _RESERVED <= hard else hard - _RESERVED
    resource.setrlimit(resource.RLIMIT_NOFILE, (floor + _RESERVED, hard))
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, floor) for fd in descriptors]
    resource.setrlimit(resource.RLIMIT_NOFILE, (floor, hard))
    for fd in descriptors:
        os.close(fd)
    return moved


def reading_end(pipe: int) -> int | None:
    """Return a new descriptor that reads the pipe that `pipe` writes, if there is a way."""
    try:
        return os.open(f"/proc/self/fd/{pipe}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None


def shared_memory() -> int:
    """Return how many pieces of memory there are that a fork of this process would write, too."""
    maps = Path("/proc/self/maps").read_text().splitlines() if _linux else []
    return sum(line.split(maxsplit=2)[1].startswith("rw-s") for line in maps)


def reopen_files() -> None:
    """Read files on from where they were read, without moving on in what this was forked from."""
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        with suppress(OSError):
            flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
            is_read = flags & os.O_ACCMODE == os.O_RDONLY and not flags & os.O_PATH
            if is_read and stat.S_ISREG(os.fstat(descriptor).st_mode):
                again = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
                os.lseek(again, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
                os.dup2(again, descriptor, inheritable=os.get_inheritable(descriptor))
                os.close(again)
