"""How a program starts and ends: as `python FILE` does, in a worker that is warm."""

from __future__ import annotations

import _thread
import ast
import atexit
import builtins
import gc
import importlib
import io
import linecache
import logging
import os
import random
import signal
import stat
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.abc import InspectLoader
from importlib.util import find_spec
from itertools import takewhile
from types import CodeType, FrameType, ModuleType
from typing import Any

import torch
from torch.multiprocessing import ProcessExitedException, ProcessRaisedException

from inplace_tui.common.atomic_files import MAX_USER_FILE
from inplace_tui.common.run.files import split_files
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.record.process.errors import raised
from inplace_tui.diagnosis.record.process.own_files import OURS, OwnFiles


def prepare(program: Program, files: OwnFiles) -> ModuleType:
    """Make this process look like one that was started for `program`.

    Returns:
        The new `__main__`, in whose namespace it is to run.
    """
    if program.draws_alike:
        draw_alike()
    seed(program.seed)
    os.environ.update(program.environment)
    if program.origin is Origin.OWN:
        spawn_one_here()
    name = "-" if program.filename == "<stdin>" else program.filename
    sys.argv = [name, *program.arguments]
    if program.folder is not None:
        sys.path.insert(0, program.folder)
        # The warm worker may have looked into the folder before it had this file.
        importlib.invalidate_caches()
    files.take_the_place_of_others()
    # Without the lines, tracebacks and `inspect.getsource` quote nothing, or
    # whatever file of that name lies in the working directory.
    lines = files.main.splitlines(keepends=True)
    linecache.cache[program.filename] = (len(files.main), None, lines, program.filename)
    module = ModuleType("__main__")
    module.__file__ = program.filename
    vars(module)["__builtins__"] = builtins
    vars(module)["__cached__"] = None
    if program.is_notebook:
        vars(module)["display"] = print
    sys.modules["__main__"] = module
    return module


def compiled(program: Program, files: OwnFiles) -> CodeType:
    """Return the code of `__main__`.

    Each cell of a notebook must be whole: an open string would go on in the next one.
    """
    if program.is_notebook:
        for cell in split_files(files.main):
            text = "\n" * cell.before + cell.source
            compile(text, program.filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    return files.compiled(files.main, program.filename)


def run(
    program: Program,
    files: OwnFiles,
    module: ModuleType,
    code: CodeType,
    execute: Callable[[CodeType, dict[str, object]], None],
) -> None:
    """Run the code of `__main__`, as `python FILE` or `python -m MODULE` does.

    The packages around a module are imported first, before anything is watched.

    Raises:
        ModuleNotFoundError: there is no such module.
    """
    if program.module is not None:
        spec = find_spec(program.module)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = find_spec(f"{program.module}.__main__")
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(f"No module named {program.module}", name=program.module)
        if program.is_imported or not files.main.strip():  # it is not the user's own
            assert isinstance(spec.loader, InspectLoader)
            found = spec.loader.get_code(spec.name)
            assert isinstance(found, CodeType)
            code = found
            sys.argv[0] = module.__file__ = spec.origin or program.module
        module.__spec__, module.__loader__, module.__package__ = spec, spec.loader, spec.parent
    execute(code, vars(module))


def quote_files_only() -> None:
    """Have tracebacks and warnings quote from nothing but files of a usual size.

    Python opens whatever has the name that a program gave to its code: a pipe, a device.
    """
    update = linecache.updatecache

    def update_bounded(filename: str, module_globals: dict[str, Any] | None = None) -> list[str]:
        with suppress(OSError, ValueError):
            found = os.stat(filename)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_USER_FILE:
                return []
        return update(filename, module_globals)

    linecache.updatecache = update_bounded


def show_own_frames_only() -> None:
    """Have stacks that `traceback` shows, for anomaly mode, too, begin with the program."""
    walk = traceback.walk_stack

    def walk_own(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        stack = walk(f or sys._getframe(1))
        own = takewhile(lambda each: each[0].f_code is not run.__code__, stack)
        return (each for each in own if not each[0].f_code.co_filename.startswith(OURS))

    traceback.walk_stack = walk_own


def seed(number: int | None) -> None:
    """Seed whatever draws random numbers: alike in every run, or with None in none."""
    if number is None:
        # `random` seeds itself after a fork. Torch and numpy would repeat the same
        # numbers in every run: an unseeded program would seem to repeat itself.
        torch.seed()
    else:
        if number == torch.initial_seed():
            # The other devices know it from the warm worker: telling them, which
            # quotes source files of torch's, is a third of a short run.
            torch.default_generator.manual_seed(number)
        else:
            torch.manual_seed(number)
        random.seed(number)
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()


_SYSTEM = random.Random(0)  # noqa: S311
"""What the system's own random numbers are drawn from, where they are the same in every run."""


def random_states() -> tuple[Any, Any]:
    """Return what is lost when this process forks: Python seeds `random` anew in a copy."""
    return random.getstate(), _SYSTEM.getstate()


def set_random_states(states: tuple[Any, Any]) -> None:
    mine, system = states
    random.setstate(mine)
    _SYSTEM.setstate(system)


def draw_alike() -> None:
    """Have the system's own random numbers be the same in every run, for whoever asks for them.

    Numpy asks `secrets`, which asks `random`; a process that the program forks has its own.
    """
    system, by_itself = _SYSTEM, random.Random.seed

    def seed_alike(self: random.Random, a: Any = None, version: int = 2) -> None:
        by_itself(self, system.getrandbits(64) if a is None else a, version)

    def seed_torch() -> int:
        torch.manual_seed(chosen := system.getrandbits(63))
        return chosen

    again = partial(seed_alike, vars(random)["_inst"])
    os.urandom = vars(random)["_urandom"] = system.randbytes
    random.Random.seed, random.seed = seed_alike, again  # type: ignore[method-assign]
    torch.seed = torch.random.seed = seed_torch
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=system.random, after_in_child=again)


def refusal(error: BaseException, program: Program, files: OwnFiles) -> Raised:
    """Return how a program ended that Python would not compile."""
    if "\0" in program.source and getattr(error, "lineno", None) is None:
        # `compile` does not say where, `python FILE` does; before 3.11.4 it is a ValueError.
        line = program.source[: program.source.index("\0")].count("\n") + 1
        error = SyntaxError(
            "source code cannot contain null bytes", (program.filename, line, None, None)
        )
    elif isinstance(error, UnicodeEncodeError):
        line = program.source[: error.start].count("\n") + 1
        error = SyntaxError("source code is not UTF-8", (program.filename, line, None, None))
    return raised(error, files)


def spawn_one_here() -> None:
    """Have a single process that is waited for run in this one; it ends as it would there."""
    module = sys.modules["torch.multiprocessing.spawn"]
    package = sys.modules["torch.multiprocessing"]
    start = module.start_processes

    def start_processes(  # noqa: PLR0917  # torch's signature
        fn: Callable[..., object],
        args: tuple[Any, ...] = (),
        nprocs: int = 1,
        join: bool = True,
        daemon: bool = False,
        start_method: str = "spawn",
    ) -> object:
        if nprocs != 1 or not join:
            return start(fn, args, nprocs, join, daemon, start_method)
        _run_spawned(fn, args)
        return None

    vars(module)["start_processes"] = vars(package)["start_processes"] = start_processes


def _run_spawned(fn: Callable[..., object], args: tuple[Any, ...]) -> None:
    try:
        fn(0, *args)
    except KeyboardInterrupt:
        return  # as torch has it
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code == 0:
            return
        text = f"process 0 terminated with exit code {code}"
        raise ProcessExitedException(text, 0, os.getpid(), code) from None
    except Exception as error:
        report = traceback.TracebackException.from_exception(error)
        own = [each for each in report.stack if not each.filename.startswith(OURS)]
        report.stack = traceback.StackSummary.from_list(own)
        text = f"\n\n-- Process 0 terminated with the following error:\n{''.join(report.format())}"
        raise ProcessRaisedException(text, 0, os.getpid()) from None


PATIENCE = 1.0
"""Seconds for all of it; a thread that never ends would keep Python for ever."""


class _OverdueError(BaseException):
    """It takes too long; no `except Exception` of the program may catch that."""


def forget_exit_functions() -> None:
    """Drop what the warm worker registered: this program must not run it."""
    atexit._clear()
    for each in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        each.atexit = False
    atexit.register(logging.shutdown)
    if (processes := sys.modules.get("multiprocessing.util")) is not None:
        atexit.register(processes._exit_function)
    atexit.register(weakref.finalize._exitfunc)  # type: ignore[attr-defined]


def finish() -> None:
    """Do what Python does when `__main__` is over, as far as there is time.

    A run leaves by `os._exit`, which takes along what is in buffers, and leaves temporary
    folders and shared memory behind.
    """
    sys.settrace(None)
    threading.settrace(None)
    with suppress(_OverdueError), _raising_after(PATIENCE):
        try:
            until = time.monotonic() + PATIENCE / 2
            for thread in threading.enumerate():
                if thread is not threading.current_thread() and not thread.daemon:
                    thread.join(max(0.0, until - time.monotonic()))
            atexit._run_exitfuncs()
            _flush_files()
            # Have shared memory removed that the program left: its tracker waits for our end.
            if (tracking := sys.modules.get("multiprocessing.resource_tracker")) is not None:
                tracking._resource_tracker._stop()
        except BaseException:  # Python reports it and goes on
            with suppress(BaseException):
                _flush_files()


@contextmanager
def _raising_after(seconds: float) -> Iterator[None]:
    """Have `_OverdueError` raised within, if it takes longer."""
    if sys.platform != "win32" and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _overdue)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            with suppress(BaseException):
                signal.setitimer(signal.ITIMER_REAL, 0)
        return
    signal.signal(signal.SIGINT, _overdue)
    over = _thread.allocate_lock()
    over.acquire()

    def ring() -> None:
        if not over.acquire(timeout=seconds):
            _thread.interrupt_main()

    _thread.start_new_thread(ring, ())
    try:
        yield
    finally:
        over.release()


def _overdue(_number: int, _frame: object) -> None:
    raise _OverdueError


def _flush_files() -> None:
    """Python closes files when it takes its modules down, which may run any code; we flush."""
    kinds = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
    for each in gc.get_objects():
        if isinstance(each, kinds):
            with suppress(Exception):
                each.flush()
