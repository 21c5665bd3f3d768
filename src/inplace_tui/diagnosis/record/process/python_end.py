"""Ends a program of the learner's own as Python does: functions of `atexit`, files, threads.

A run leaves by `os._exit`, which takes along what is in buffers, and leaves temporary
folders and shared memory behind.
"""

from __future__ import annotations

import atexit
import gc
import io
import logging
import signal
import sys
import threading
import time
import weakref
from contextlib import suppress

PATIENCE = 1.0
"""Seconds for all of it; a thread that never ends would keep Python for ever."""


class _OverdueError(BaseException):
    """It takes too long; no `except Exception` of the program may catch that."""


def prepare() -> None:
    """Drop what the warm worker registered: this program must not run it."""
    atexit._clear()
    for each in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        each.atexit = False
    atexit.register(logging.shutdown)
    if (processes := sys.modules.get("multiprocessing.util")) is not None:
        atexit.register(processes._exit_function)
    atexit.register(weakref.finalize._exitfunc)  # type: ignore[attr-defined]


def finish() -> None:
    """Do what Python does when `__main__` is over, as far as there is time."""
    sys.settrace(None)
    threading.settrace(None)
    try:
        signal.signal(signal.SIGALRM, _overdue)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        _join_threads()
        atexit._run_exitfuncs()
        _flush_files()
        _stop_tracker()
    except BaseException:  # Python reports it and goes on
        with suppress(BaseException):
            _flush_files()
    finally:
        with suppress(BaseException):
            signal.setitimer(signal.ITIMER_REAL, 0)


def _overdue(_number: int, _frame: object) -> None:
    raise _OverdueError


def _join_threads() -> None:
    until = time.monotonic() + PATIENCE / 2
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, until - time.monotonic()))


def _flush_files() -> None:
    """Python closes files when it takes its modules down, which may run any code; we flush."""
    kinds = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
    for each in gc.get_objects():
        if isinstance(each, kinds):
            with suppress(Exception):
                each.flush()


def _stop_tracker() -> None:
    """Have shared memory removed that the program left: its tracker waits for our end."""
    if (tracking := sys.modules.get("multiprocessing.resource_tracker")) is not None:
        tracking._resource_tracker._stop()
