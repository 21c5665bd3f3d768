"""A program that has stopped: it forks a copy for each run that is asked of it."""

from __future__ import annotations

import ast
import builtins
import ctypes
import functools
import gc
import linecache
import multiprocessing
import os
import resource
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from glob import glob
from pathlib import Path
from types import CodeType, FrameType, FunctionType, GeneratorType
from typing import Any, NoReturn

import torch

from inplace_tui.common.run.program import Stop
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import encode
from inplace_tui.diagnosis.record.copying.loops import (
    NotCopiedError,
    does_the_same,
    replacements,
    rest_of_loop,
)
from inplace_tui.diagnosis.record.copying.rounds import NAME, Begun, Rounds
from inplace_tui.diagnosis.record.process import linux, main_module
from inplace_tui.diagnosis.record.process.control import Disconnected, receive
from inplace_tui.diagnosis.record.process.own_files import Compiler, OwnFiles, compiled
from inplace_tui.diagnosis.record.process.system import end
from inplace_tui.diagnosis.record.replay.probes import Expressions

_UNMISSED = frozenset({"tqdm._monitor"})
"""The modules of threads that only look after what the program does itself."""

_GO_ON = "inplace_tui_goes_on"
"""What a copy calls to go on in a function."""

_SOFT = 2
"""Of `omp_pause_resource_all`: give back the threads, and all that goes with them."""


def obstacle(shared: int) -> str:
    """Return why no copy of this process would do what it does itself; empty if it would.

    `shared` is what `linux.shared_memory` was when the program began.
    """
    distributed = getattr(torch, "distributed", None)
    others = [each for each in threading.enumerate() if each is not threading.current_thread()]
    if any(type(each).__module__ not in _UNMISSED for each in others):
        return "it has other threads"
    if multiprocessing.active_children() or linux.children():
        return "it has other processes"
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return "it has a process group"
    if linux.shared_memory() > shared:
        return "it shares memory"
    if torch.get_num_threads() > 1 and not _pause_threads():
        return "its operations have threads"
    return ""


def _pause_threads() -> bool:
    """Have OpenMP give back its threads: it starts others, and does not miss them in a copy."""
    found = glob(str(Path(torch.__file__).parent / "lib" / "libgomp*"))
    return bool(found) and ctypes.CDLL(found[0]).omp_pause_resource_all(_SOFT) == 0


class CopiedProcess:
    """A program that is to stop, and to be copied then."""

    def __init__(self, asked: int, live: Callable[..., NoReturn]) -> None:
        """Hear on a descriptor, which is owned, what copies are to be made."""
        self.is_copying = False
        self._control = socket.socket(fileno=asked)
        self._live = live
        self._shared = linux.shared_memory()

    def stopped(self, rounds: Rounds, frame: FrameType, begun: Begun) -> NoReturn:
        """Serve from now on. The program never goes on in this process."""
        refusal = obstacle(self._shared)
        self._control.sendall(encode(messages.Copyable(refusal=refusal)))
        if refusal:
            end(0)
        self.is_copying = True
        try:
            StoppedProgram(rounds, frame, begun).serve(self._control, self._live)
        except BaseException:  # it is none of the program's
            os.write(2, traceback.format_exc().encode(errors="replace"))
        finally:
            end(messages.NOT_COPIED)


class StoppedProgram:
    """What a stopped program holds that its copies need."""

    def __init__(self, rounds: Rounds, frame: FrameType, begun: Begun) -> None:
        self.frame = frame
        self.begun = begun
        self._clock = rounds.clock
        self._codes = rounds.codes
        self._random = main_module.random_states()
        self.edited: set[CodeType] = set()
        """Of a copy: what is not what it was, and must run in its rounds to change anything."""

        gc.collect()
        # What is frozen is not listed any more.
        found = gc.get_objects()
        self._functions: list[FunctionType] = [e for e in found if type(e) is FunctionType]
        self._generators: list[Any] = [e for e in found if type(e) is GeneratorType]
        caches = [e for e in found if type(e) is functools._lru_cache_wrapper]
        self._caches: list[Any] = caches
        del found
        gc.freeze()

    def serve(self, control: socket.socket, live: Callable[..., NoReturn]) -> NoReturn:
        """Fork a copy for each run that is asked for, until nobody asks any more."""
        running: dict[int, tuple[int, int]] = {}
        waiting = select.poll()
        waiting.register(control, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in waiting.poll()}
            for ended in running.keys() & ready:
                pid, run = running.pop(ended)
                waiting.unregister(ended)
                os.close(ended)
                with suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                control.sendall(encode(messages.ChildEnded(run=run, exit_code=code)))
            if control.fileno() not in ready:
                continue
            try:
                command, descriptors = receive(control)
            except (Disconnected, ConnectionError):
                end(0)
            assert isinstance(command, messages.StartRun)
            for stream in (sys.stdout, sys.stderr):
                with suppress(Exception):
                    stream.flush()
            if torch.get_num_threads() > 1:
                _pause_threads()
            template = os.getpid()
            pid = os.fork()
            if pid == 0:
                self._begin(template, control, command.run, list(running))
                live(self, command, *descriptors)
            ending = os.pidfd_open(pid)
            waiting.register(ending, select.POLLIN)
            running[ending] = pid, command.run
            for descriptor in descriptors:
                os.close(descriptor)

    def _begin(self, template: int, control: socket.socket, run: int, others: list[int]) -> None:
        """Become a process that dies with the template, and disturbs neither it nor its copies."""
        os.setpgid(0, 0)
        linux.die_with_parent(signal.SIGKILL)
        if os.getppid() != template:
            end(messages.NOT_COPIED)
        # Said by the copy itself: the kernel tells the other end who that is.
        control.sendall(encode(messages.ChildStarted(run=run, pid=os.getpid())))
        control.close()
        for descriptor in others:
            os.close(descriptor)
        main_module.set_random_states(self._random)
        # What it would write to a file, every other copy would find there.
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        linux.reopen_files()

    def _swap(self, path: str, text: str, compile_: Compiler) -> None:
        """Put the code of another text of a file into all its functions.

        Raises:
            NotCopiedError: one that is running, or that has begun, would be another one.
        """
        if path not in self._codes:
            return  # it was not imported
        pairs = replacements(self._codes[path], compiled(text, path))
        others = {id(old) for old, new in pairs if new is None or not does_the_same(old, new)}
        running = [each.gi_code for each in self._generators if each.gi_frame is not None]
        frame = self.frame.f_back
        while frame is not None:
            running.append(frame.f_code)
            frame = frame.f_back
        if begun := [code.co_name for code in running if id(code) in others]:
            raise NotCopiedError(f"{begun[0]} has begun")
        now = {id(old): new for old, new in replacements(self._codes[path], compile_(text, path))}
        others -= {id(self.frame.f_code), id(self._codes[path])}
        found = (now[each] for each in others)
        self.edited |= {each for each in found if each and not each.co_name.startswith("<")}
        swapped = set()
        for function in self._functions:
            if id(function.__code__) in now:
                new = now[id(function.__code__)]
                if new is None or new.co_freevars != function.__code__.co_freevars:
                    raise NotCopiedError(f"{function.__name__} has other variables around it")
                swapped.add(id(function))
                function.__code__ = new
        for cache in self._caches:
            if id(cache.__wrapped__) in swapped:
                cache.cache_clear()

    def rest(self, stop: Stop, files: OwnFiles, expressions: Expressions | None) -> CodeType:
        """Return what runs the rest of the loop, and put the text of all files into their place.

        Raises:
            NotCopiedError: a copy can't go on as this program.
        """
        for path, text in files.texts().items():
            lines = text.splitlines(keepends=True)
            linecache.cache[path] = (len(text), None, lines, path)
            self._swap(path, text, files.compiled)
            line = stop.line - files.before[path]
            if not 0 < line <= len(lines) + 1:
                continue
            tree = ast.parse(text, path)
            if expressions is not None:
                expressions.wrap(tree, path)
            found = rest_of_loop(tree, line, self.frame, NAME, path)
        left = Rest(self.begun, lambda: self._clock.backwards >= stop.until)
        vars(builtins)[NAME] = left if self.begun else left.goes_on
        if isinstance(found, CodeType):
            return found
        vars(builtins)[_GO_ON] = found
        return compile(f"{_GO_ON}()", __file__, "exec", dont_inherit=True)


class Rest:
    """The rounds that are left, with the one that begins, until it is over."""

    def __init__(self, begun: Begun, is_over: Callable[[], bool]) -> None:
        self._begun: Begun | None = begun
        self._items = begun[1] if begun else iter(())
        self._is_over = is_over

    def __iter__(self) -> Rest:
        return self

    def __next__(self) -> Any:
        begun, self._begun = self._begun, None
        if begun is not None:
            return begun[0]
        if self._is_over():
            raise StopIteration
        return next(self._items)

    def goes_on(self) -> bool:
        begun, self._begun = self._begun, None
        return begun is not None or not self._is_over()
