"""Takes from the modules of `inplace_tui` what Windows lacks, in each Python that finds this.

    INPLACE_TUI_PORTABLE=1 PYTHONPATH=tests/portable/without ...

What is no module of ours (Python's own, torch, the program that runs) keeps all of it. `O_NONBLOCK`
is left: without it a pipe would be waited for, of which there are none among Windows' files.
"""

from __future__ import annotations

import asyncio
import builtins
import errno
import fcntl
import importlib
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

ABSENT = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"})

MISSING = {
    "os": frozenset(
        (
            *(
                "chown",
                "fork",
                "forkpty",
                "getegid",
                "geteuid",
                "getgid",
                "getgroups",
                "getloadavg",
            ),
            *("getpgid", "getpriority", "getuid", "killpg", "memfd_create", "mkfifo", "nice"),
            *("openpty", "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW"),
            *("O_PATH", "O_SYNC", "pidfd_open", "pipe2", "posix_fallocate", "posix_spawn", "pread"),
            *("pwrite", "sched_getaffinity", "setgid", "setgroups", "setpgid"),
            *("setpriority", "setsid", "setuid", "statvfs", "sysconf", "tcgetpgrp", "ttyname"),
            *("uname", "wait", "wait3", "wait4", "waitid", "WEXITED", "WIFEXITED", "WIFSIGNALED"),
            *("WNOHANG", "WNOWAIT", "set_blocking", "get_blocking"),
        )
    ),
    "select": frozenset(("poll", "POLLIN", "POLLHUP", "POLLOUT", "epoll", "kqueue")),
    "signal": frozenset(
        (
            *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPROF", "SIGQUIT"),
            *("SIGRTMIN", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGUSR1", "SIGUSR2"),
            *("SIGVTALRM", "SIGWINCH", "ITIMER_REAL", "SIG_BLOCK", "SIG_SETMASK", "alarm"),
            *("pthread_sigmask", "setitimer", "sigwait"),
        )
    ),
    "_signal": frozenset(("pthread_sigmask",)),
    "socket": frozenset(("AF_UNIX", "CMSG_SPACE", "recv_fds", "send_fds", "socketpair")),
}


class Without(ModuleType):
    """A module as another system has it."""

    def __init__(self, module: ModuleType, missing: frozenset[str]) -> None:
        super().__init__(module.__name__)
        vars(self).update(_module=module, _missing=missing)

    def __getattr__(self, name: str) -> Any:
        if name in vars(self)["_missing"]:
            raise AttributeError(f"{name} was taken away")
        return getattr(vars(self)["_module"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(vars(self)["_module"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(vars(self)["_module"], name)


def _locking(descriptor: int, mode: int, count: int) -> None:
    """Lock as Windows does: at the place where the file is, and refused with EACCES."""
    assert mode == 2, "at once"
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as refusal:
        raise PermissionError(errno.EACCES, "Permission denied") from refusal


_msvcrt: Any = SimpleNamespace(LK_NBLCK=2, locking=_locking)
_import, _import_module = builtins.__import__, importlib.import_module
_known: dict[str, ModuleType] = {}


def _is_ours(depth: int) -> bool:
    name = sys._getframe(depth).f_globals.get("__name__") or ""
    return name == "inplace_tui" or name.startswith("inplace_tui.")


def _seen(module: ModuleType) -> ModuleType:
    """Return a module as ours see it."""
    name = module.__name__
    if name not in MISSING or isinstance(module, Without):
        return module
    if name not in _known:
        _known[name] = Without(module, MISSING[name])
    return _known[name]


def _taken(name: str) -> ModuleType | None:
    if name in ABSENT:
        raise ModuleNotFoundError(f"No module named {name!r}: it was taken away", name=name)
    return _msvcrt if name == "msvcrt" else None


def import_less(name: str, by: Any = None, *rest: Any, **named: Any) -> Any:
    """Import as `__import__` does."""
    by = named.pop("globals", by)
    who = (by or {}).get("__name__") or ""
    if who != "inplace_tui" and not who.startswith("inplace_tui."):
        return _import(name, by, *rest, **named)
    stub = _taken(name)
    return _seen(_import(name, by, *rest, **named)) if stub is None else stub


def import_module_less(name: str, package: str | None = None) -> Any:
    """Import as `importlib.import_module` does."""
    if not _is_ours(2):
        return _import_module(name, package)
    stub = _taken(name)
    return _seen(_import_module(name, package)) if stub is None else stub


def _refusing(method: Any) -> Any:
    def refused(self: Any, *args: Any, **named: Any) -> Any:
        if _is_ours(2):
            raise NotImplementedError  # as the event loop of Windows has it
        return method(self, *args, **named)

    return refused


if os.environ.get("INPLACE_TUI_PORTABLE") == "1":
    builtins.__import__ = import_less  # type: ignore[assignment]
    importlib.import_module = import_module_less
    for _name in ("add_reader", "add_writer", "add_signal_handler", "connect_read_pipe"):
        setattr(
            asyncio.SelectorEventLoop, _name, _refusing(getattr(asyncio.SelectorEventLoop, _name))
        )
