"""A namespace of processes for each run: when its keeper ends, the kernel ends all the rest.

A run is forked by a *keeper*, the first process of a namespace that nothing
can leave: daemons, whatever they detach themselves from, and fork bombs die with
it, all at once. The keeper looks how many there are, and says how the run ended.

Not every machine lets one make namespaces (containers often don't), nor is there
any elsewhere than on Linux: `refusal` tells. What is left running must then be
found and killed one by one.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import re
import resource
import select
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from inplace_tui.common.confinement import drop_capabilities
from inplace_tui.diagnosis.record.process import linux, view

TICK_MS = 50
"""How often a keeper counts."""

PATIENCE = 20.0
"""Seconds in which one must be there, or it is done without."""

_NEW_USER = 0x1000_0000
_NEW_PID = 0x2000_0000
_NEW_MOUNTS = 0x0002_0000
_NEW_IPC = 0x0800_0000
_NEW_NETWORK = 0x4000_0000
_BIND, _PRIVATE, _RECURSIVE = 1 << 12, 1 << 18, 1 << 14
_CLONE = {"x86_64": 56, "aarch64": 220}
"""The number of the system call: `fork` of the C library takes no flags."""

SCRATCH = Path("/dev/shm")  # noqa: S108  # ours alone: a mount of the namespace
"""Where a confined run finds a folder of its own: in memory, so that nothing is left of it."""

DEVICES = Path("/dev")
HARMLESS = ("null", "zero", "full", "random", "urandom")
"""The devices that a confined run has. Others would let it read what is typed."""

_SCRATCH_SIZE = "64m"
_NO_SUID_NO_DEVICES = 0b110

_VERSION = re.match(r"(\d+)\.(\d+)", os.uname().release)
_OWN_NUMBERS = _VERSION is not None and tuple(map(int, _VERSION.groups())) >= (6, 14)
"""Whether a namespace has its own largest process number, as from that Linux on."""

_MIN_TASKS = 1_024
"""Processes and threads that the kernel allows at least: the keeper is to count before it."""

_LOWEST_NUMBERS = 300
"""Numbers that are not given away twice; the largest one must be beyond them."""

_END = struct.Struct("<iB")
"""What a keeper reports: the run's wait status, and whether there were too many processes."""

_FAILED, _FINE = 71, b"fine"

# PyDLL: between the two halves of a fork nobody else may get the interpreter's lock.
_libc: Any = ctypes.PyDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Keeper:
    """The process that a run lives and dies with, seen from the warm worker."""

    pid: int
    ending_pipe: int
    """Descriptor that says how the run ended; owned."""

    def ending(self, status: int) -> tuple[int, bool]:
        """Return the run's wait status, and whether it had too many processes."""
        report = os.read(self.ending_pipe, _END.size)
        os.close(self.ending_pipe)
        if len(report) == _END.size:
            ended, crowded = _END.unpack(report)
            if os.WIFEXITED(ended) or os.WIFSIGNALED(ended):  # its run may have written there
                return ended, bool(crowded)
        return status, False


def refusal(*, in_view: bool = False) -> str | None:
    """Try one; return why there can be none, or None if there can."""
    if _libc is None or os.uname().machine not in _CLONE:
        return f"{os.uname().sysname} {os.uname().machine}"
    user = os.geteuid(), os.getegid()
    with mmap.mmap(-1, mmap.PAGESIZE) as told:
        try:
            pid = _clone(in_view=in_view)
            if pid == 0:
                try:
                    _set_up(*user)
                    if in_view:
                        _have_view(user[0])
                    else:
                        _hide_devices()
                    told.write(_FINE)
                except OSError as error:
                    told.write(str(error).encode()[: len(told)])
                finally:
                    os._exit(0)
            waiting, ending = select.poll(), os.pidfd_open(pid)
            waiting.register(ending, select.POLLIN)
            if not waiting.poll(PATIENCE * 1_000):  # a file server that is not there any more
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(ending)
        except OSError as error:
            return str(error)
        reason = told[:].rstrip(b"\0")
    if reason == _FINE:
        return None
    return reason.decode(errors="replace") or os.strerror(errno.ETIMEDOUT)


def begin(
    live: Callable[[], NoReturn],
    *,
    forget: Callable[[], None],
    given: Sequence[int],
    most: int,
    scratch: bool,
    in_view: bool,
) -> Keeper:
    """Have `live` run in a process of a new namespace; return its keeper.

    Args:
        live: what to do there; its parent there is process 1.
        forget: what is to be closed in whatever is forked from here.
        given: descriptors that are for the run alone.
        most: processes that there may be at once.
        scratch: make `SCRATCH` an empty folder of this namespace's own.
        in_view: what it writes is gone with it, and it has a network of its own.

    Raises:
        OSError: the kernel refuses another process or namespace.
    """
    user = os.geteuid(), os.getegid()
    reading, writing = os.pipe()
    try:
        pid = _clone(in_view=in_view)
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    if pid == 0:
        try:
            os.close(reading)
            forget()
            _enter(writing, user, most, scratch=scratch, in_view=in_view)
            run = os.fork()
            if run == 0:
                os.close(writing)
                live()
            for descriptor in given:
                os.close(descriptor)
            os.write(writing, _END.pack(*_watch(run, most)))
        except BaseException as error:
            os.write(2, f"keeper: {error!r}\n".encode(errors="replace"))
        finally:
            os._exit(_FAILED)
    os.close(writing)
    with suppress(OSError):  # it may have done so itself by now, and be dead
        os.setpgid(pid, pid)
    return Keeper(pid, reading)


def _enter(writing: int, user: tuple[int, int], most: int, *, scratch: bool, in_view: bool) -> None:
    """Become the keeper, which lives no longer than the worker."""
    with suppress(OSError):
        os.setpgid(0, 0)
    linux.die_with_parent(signal.SIGKILL)
    listener = select.poll()
    listener.register(writing, 0)
    if listener.poll(0):
        os._exit(_FAILED)  # the worker died before it could take this one along
    _set_up(*user)
    _bound(most)
    if scratch:
        _hide_devices()
    if in_view:
        _have_view(user[0])
    if user[0] != 0:
        # In a namespace of its user's, it could write to files that are read-only.
        drop_capabilities()


def _have_view(user: int) -> None:
    view.cover(user)
    linux.start_loopback()


def _bound(most: int) -> None:
    """Have the kernel refuse what a keeper, whom a bomb leaves no time, would count too late.

    Refused before it is counted, a bomb would end with an error of its own, not at its limit.
    Threads are counted here, too. Root is refused nothing by a limit: it runs out of numbers for
    them, where each namespace has a range of its own.
    """
    tasks = max(4 * most, _MIN_TASKS)
    resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))
    if _OWN_NUMBERS:
        with suppress(OSError):
            Path("/proc/sys/kernel/pid_max").write_text(str(_LOWEST_NUMBERS + tasks))


def _watch(run: int, most: int) -> tuple[int, bool]:
    """Reap what dies until the run does, or there are too many."""
    ended = select.poll()
    ended.register(os.pidfd_open(run), select.POLLIN)
    while True:
        done = ended.poll(TICK_MS)
        with suppress(ChildProcessError):
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                if reaped[0] == run:
                    return reaped[1], False
        if not done and sum(name.isdecimal() for name in os.listdir("/proc")) - 1 > most:
            return signal.SIGKILL, True


def _set_up(user: int, group: int) -> None:
    """Set the namespace up: the same user, and a /proc that shows its processes."""
    if user != 0:
        _write("setgroups", "deny")
        _write("uid_map", f"{user} {user} 1")
        _write("gid_map", f"{group} {group} 1")
    linux.mount(None, "/", None, _PRIVATE | _RECURSIVE)
    linux.mount("proc", "/proc", "proc", 0)


def _hide_devices() -> None:
    """Make a folder of devices with few in it, and the scratch folder."""
    there = [name for name in HARMLESS if (DEVICES / name).exists()]
    kept = {name: os.open(DEVICES / name, os.O_PATH | os.O_CLOEXEC) for name in there}
    linux.mount("tmpfs", str(DEVICES), "tmpfs", _NO_SUID_NO_DEVICES, "mode=755")
    for name, device in kept.items():
        (DEVICES / name).touch()
        linux.mount(f"/proc/self/fd/{device}", str(DEVICES / name), None, _BIND)
        os.close(device)
    for name, place in {"fd": "", "stdin": "0", "stdout": "1", "stderr": "2"}.items():
        (DEVICES / name).symlink_to(f"/proc/self/fd/{place}")
    SCRATCH.mkdir()
    linux.mount(
        "tmpfs", str(SCRATCH), "tmpfs", _NO_SUID_NO_DEVICES, f"size={_SCRATCH_SIZE},mode=700"
    )


def _write(name: str, text: str) -> None:
    Path("/proc/self", name).write_text(text, encoding="ascii")


def _clone(*, in_view: bool) -> int:
    """Fork into new namespaces; return what `os.fork` returns.

    Only root may make them as the user it is; anybody else becomes the same user of
    a user namespace.
    """
    flags = _NEW_PID | _NEW_MOUNTS | _NEW_IPC | (_NEW_USER if os.geteuid() != 0 else 0)
    flags |= _NEW_NETWORK if in_view else 0
    python, call = ctypes.pythonapi, _CLONE[os.uname().machine]
    # A handler that raised in between would leave the interpreter's locks taken for ever.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        python.PyOS_BeforeFork()
        pid = int(_libc.syscall(call, flags | signal.SIGCHLD, 0, 0, 0, 0))
        number = ctypes.get_errno()
        if pid == 0:
            python.PyOS_AfterFork_Child()
        else:
            python.PyOS_AfterFork_Parent()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if pid < 0:
        raise OSError(number, os.strerror(number))
    return pid
