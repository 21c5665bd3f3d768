"""Keeps a process from the network, and from writing anywhere but to one folder.

Both are asked of the kernel, which then holds them for this process and for all
that it starts, for good: *Landlock* (Linux 5.13; truncation 6.2) for files, a
*seccomp* filter for the network and for ways around. `offered` tells what this
kernel has. Reading is not restricted.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inplace_tui.common.system import PORTABLE

WRITABLE = ("/dev/null", "/dev/zero", "/dev/full")
"""Written to without leaving a trace."""

# Of <linux/landlock.h>; the numbers of these calls are the same on every architecture.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_BENEATH = 1
_WRITES = 1 << 1 | sum(1 << bit for bit in range(4, 15))
"""Every access but executing, reading files and reading folders."""

_FILE_WRITES = 1 << 1 | 1 << 14
_TRUNCATES = 3
"""The version that can refuse to truncate, without which a file can be emptied."""

_DEVICES = 5
"""The version that can refuse to control devices: terminals, above all."""

_CONTROLS = 1 << 15
_SCOPES = 6
_SIGNALS_AND_ABSTRACT_SOCKETS = 0b11
_TCP = 4
_BIND_AND_CONNECT = 0b11

# Of <linux/seccomp.h>, <linux/filter.h> and <linux/audit.h>.
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_LOAD, _AND, _IF_EQUAL, _IF_GREATER, _IF_ANY, _RETURN = 0x20, 0x54, 0x15, 0x25, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF_0000, 0x0005_0000
_X86_64, _X32 = 0xC000_003E, 0x4000_0000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_REFUSED = {
    "sockets, and what would lead the two ends of a pair elsewhere": (41, 42, 49, 50),
    "io_uring, which opens sockets too": (425, 426, 427),
    "other processes' memory": (101, 310, 311, 438, 256, 279, 440, 448),
    "permissions, owners, times and attributes of files, of which Landlock knows nothing": (
        *(90, 91, 268, 452, 92, 93, 94, 260),
        *(132, 235, 261, 280),
        *(188, 189, 190, 463, 197, 198, 199, 466, 469),
    ),
    "mounts and namespaces": (165, 166, 155, 308, 272, 442, 429, 430, 431, 432, 433, 428, 467),
    "keys": (248, 249, 250),
    "memory, semaphores and queues in the kernel, one's own and, by their numbers, others'": (
        *(29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71),
        *range(240, 246),
    ),
    "the kernel itself": (321, 298, 323, 163, 167, 168, 169, 246, 320, 175, 313, 176, 304),
}
"""System calls of x86-64, by what they would reach."""

_NEWEST = 469
"""The last system call that was reviewed, of Linux 6.18. Later ones fail with ENOSYS."""

_Step = tuple[int, int, int, int]
_ALLOWED: _Step = (_RETURN, 0, 0, _ALLOW)
_DENIED: _Step = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
_UNKNOWN: _Step = (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)

# Of <linux/sched.h> every flag that makes one; of <linux/fcntl.h>, <linux/socket.h>, <linux/net.h>.
_NAMESPACES = 0x7E02_0080
_SET_LEASE = 1024
_UNIX, _STREAM, _KIND = 1, 1, 0xF

_ASKING = (0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452)
"""What may be asked of a descriptor: whether it is a terminal, of which size, how much there is to
read; and told to it: to wait or not, and to close itself. Others change files and devices."""


def _argument(place: int) -> _Step:
    return _LOAD, 0, 0, _ARGUMENTS + 8 * place


_OWN = (_argument(0), (_IF_EQUAL, 1, 0, 0), _DENIED, _ALLOWED)
"""Of calls whose first argument is a process: 0 is the one that calls."""

_WHO = (_argument(1), (_IF_EQUAL, 1, 0, 0), _DENIED, _ALLOWED)
"""The same for calls whose second argument is a process."""

_LIMITED: dict[int, tuple[_Step, ...]] = {
    # ioctl
    16: (
        _argument(1),
        *((_IF_EQUAL, len(_ASKING) - place, 0, what) for place, what in enumerate(_ASKING)),
        _DENIED,
        _ALLOWED,
    ),
    # socketpair: an end of one that sends datagrams could send them to anybody
    53: (
        _argument(0),
        (_IF_EQUAL, 0, 3, _UNIX),
        _argument(1),
        (_AND, 0, 0, _KIND),
        (_IF_EQUAL, 1, 0, _STREAM),
        _DENIED,
        _ALLOWED,
    ),
    # clone
    56: (_argument(0), (_IF_ANY, 0, 1, _NAMESPACES), _DENIED, _ALLOWED),
    # fcntl: who writes to a file that somebody has a lease of has to wait
    72: (_argument(1), (_IF_EQUAL, 0, 1, _SET_LEASE), _DENIED, _ALLOWED),
    # sched_setparam, sched_setscheduler, sched_setaffinity, prlimit64, sched_setattr: of others
    **dict.fromkeys((142, 144, 203, 302, 314), _OWN),
    # setpriority, ioprio_set: of others, of a group, of a user
    141: (_argument(0), (_IF_EQUAL, 0, 2, 0), *_WHO),
    251: (_argument(0), (_IF_EQUAL, 0, 2, 1), *_WHO),
    # clone3, whose flags no filter sees: the C library takes the older one then
    435: (_UNKNOWN,),
}
"""Of system calls that are allowed only with some arguments, what looks at them."""

# Of <linux/capability.h>; numbered anew on every architecture, unlike the rest.
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x2008_0522

_libc: Any = None if PORTABLE else ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class KernelSupport:
    """What this kernel can hold."""

    files: bool
    """Writes stay in one folder."""

    network: bool
    """Programs have none."""

    @property
    def all(self) -> bool:
        """Whether programs can be confined."""
        return self.files and self.network


def offered() -> KernelSupport:
    """Ask the kernel; nothing is restricted by that."""
    if _libc is None:
        return KernelSupport(files=False, network=False)
    # With no filter to read, a kernel that knows the call says that the address is bad.
    _libc.prctl(_SET_SECCOMP, _FILTER, None, 0, 0)
    knows = ctypes.get_errno() == errno.EFAULT and os.uname().machine == "x86_64"
    return KernelSupport(files=_landlock() >= _TRUNCATES, network=knows)


def confine(scratch: Path | None) -> None:
    """Restrict this process, and all that it will start, as far as `offered` says.

    The one folder that may be written to is `scratch`; None for nowhere.

    Raises:
        OSError: the kernel refuses what it offered.
    """
    can = offered()
    if _libc is None:
        return
    _checked(_libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    drop_capabilities()
    if can.files:
        _keep_writes_in([] if scratch is None else [scratch])
    if can.network:
        _refuse(number for numbers in _REFUSED.values() for number in numbers)


def drop_capabilities() -> None:
    """Give up what root may do beyond others: set the clock, read any file, name the machine.

    Also where it is only the root of a namespace. No program that is executed gets it back.
    """
    if (number := _CAPSET.get(os.uname().machine)) is not None:
        none = struct.pack("6I", *[0] * 6)
        _checked(_libc.syscall(number, struct.pack("Ii", _CAPABILITY_VERSION, 0), none))


def _landlock() -> int:
    """Return the version of Landlock, 0 where there is none."""
    return max(0, int(_libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))


def _keep_writes_in(folders: Iterable[Path]) -> None:
    version = _landlock()
    controls = _CONTROLS if version >= _DEVICES else 0
    attributes = struct.pack(
        "<QQQ",
        _WRITES | controls,
        _BIND_AND_CONNECT if version >= _TCP else 0,
        _SIGNALS_AND_ABSTRACT_SOCKETS if version >= _SCOPES else 0,
    )
    size = 24 if version >= _SCOPES else 16 if version >= _TCP else 8
    rules = _checked(_libc.syscall(_CREATE, attributes, ctypes.c_size_t(size), 0))
    try:
        for path in folders:
            _allow(rules, path, _WRITES)
        for name in WRITABLE:
            _allow(rules, Path(name), _FILE_WRITES | controls)
        _checked(_libc.syscall(_RESTRICT, rules, 0))
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, accesses: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        _checked(_libc.syscall(_ADD, rules, _BENEATH, struct.pack("<Qi", accesses, place), 0))
    finally:
        os.close(place)


def _refuse(calls: Iterable[int]) -> None:
    """Have these calls fail with EPERM, and those of any other architecture too."""
    numbers = sorted(calls)
    steps: list[_Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, _X86_64),
        _DENIED,
        (_LOAD, 0, 0, _NUMBER),
        (_IF_GREATER, 0, 1, _X32 - 1),
        _DENIED,
        (_IF_GREATER, 0, 1, _NEWEST),
        _UNKNOWN,
    ]
    for number, looks in _LIMITED.items():
        steps += [(_IF_EQUAL, 0, len(looks), number), *looks]
    steps += [
        *((_IF_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)),
        _ALLOWED,
        _DENIED,
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    _checked(_libc.prctl(_SET_SECCOMP, _FILTER, program, 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
