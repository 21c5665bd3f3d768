"""The warm worker: imports torch once, then forks a fresh process for every run.

It runs no operation of torch's itself. A process that has done so has threads
and locks, which a fork copies halfway: children would hang.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import NoReturn

from inplace_tui.common.run.program import Limits
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.leftover import Leftover
from inplace_tui.diagnosis.protocol.messages import FrameError, encode
from inplace_tui.diagnosis.record.process import imported_once, libraries, linux, namespace
from inplace_tui.diagnosis.record.process.control import Disconnected, receive
from inplace_tui.diagnosis.record.process.forked import ForkedRun
from inplace_tui.diagnosis.record.process.system import refused

IDLE = 1.0
"""Seconds without a command, after which it prepares what later runs would wait for."""

PATIENCE = 2.0
"""Seconds for killing what a run left behind: a fork bomb may be as fast as the killing."""


class _ForkServer:
    """Takes commands, forks, reaps."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._runs: dict[int, int] = {}
        """Run by process id: its own, or its keeper's."""

        self._unfinished: dict[int, Leftover] = {}
        """Likewise, what its running line wrote."""

        self._keepers: dict[int, namespace.Keeper] = {}
        self._no_namespace = namespace.refusal()
        """Why runs have no namespaces of their own; None where they have."""

        self._no_view = self._no_namespace or namespace.refusal(in_view=True)

        self._run_child: Callable[..., NoReturn] | None = None
        self._is_complete = False
        """Nothing is left that torch would import late."""

        self._is_prepared = False
        """All that is better done before the next run was done while idle."""

        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)

    def serve(self) -> None:
        """Serve until the control socket closes or a SIGTERM comes; leave nothing running."""
        linux.adopt_orphans()
        signal.signal(signal.SIGCHLD, lambda *_: None)  # the byte in the wakeup pipe says it
        signal.signal(signal.SIGTERM, _leave)
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        try:
            try:
                self._load()
            except (ImportError, OSError, RuntimeError) as failure:
                # OSError: one of torch's own libraries is missing. RuntimeError: its memory is
                # laid out as in no build that was seen.
                self._send(refused(failure))
                return
            while True:
                self._wait()
        except (Disconnected, ConnectionError):
            return
        except FrameError as nonsense:
            os.write(2, f"a command that is none: {nonsense}\n".encode())
        finally:
            for pid in self._runs:
                _kill_group(pid)
            self._runs.clear()
            self._kill_orphans()

    def _load(self) -> None:
        """Import torch, and say so; what few programs need waits until somebody needs it."""
        with self._at_once():
            self._send(messages.Loading(what="torch"))
            gc.disable()  # a third of the time: what is imported is never garbage
            # First the news, then the second that it takes.
            from inplace_tui.diagnosis.record import child, compat  # noqa: PLC0415

            compat.remove_stand_in()
            child.warm_up()

        self._run_child = child.run
        self._report_ready()

    def _complete(self) -> None:
        """Import what the first optimizer of a process would: a second of the learner's time."""
        if self._is_complete:
            return
        self._is_complete = True
        self._send(messages.Loading(what="optimizers"))
        gc.disable()
        # If an import fails, torch tells the program that needs it.
        with suppress(ImportError, OSError), self._at_once():
            importlib.import_module("torch._dynamo")
        self._report_ready()

    def _prepare(self) -> None:
        """Do while idle what the next run would wait for."""
        self._is_prepared = True
        self._complete()
        linux.take_large_pages()

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Let SIGTERM end this process, not a handler that waits for C code to come back.

        Only where it has nobody to take along.
        """
        if not self._runs:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, _leave)

    def _report_ready(self) -> None:
        import torch  # noqa: PLC0415 - it is loaded

        # What is here now is never garbage: collections in children would
        # look at all of it, and so copy every page.
        gc.freeze()
        gc.enable()
        self._send(
            messages.Ready(
                torch=str(torch.__version__), no_namespace=self._no_namespace, no_view=self._no_view
            )
        )

    def _wait(self) -> None:
        patience = None if self._is_prepared or self._runs else IDLE
        ready, _, _ = select.select([self._control, self._woken], [], [], patience)
        if not ready:
            self._prepare()
        if self._woken in ready:
            self._woken.recv(4096)
            self._reap()
        if self._control in ready:
            self._start_run()

    def _start_run(self) -> None:
        command, descriptors = receive(self._control)
        if isinstance(command, messages.ImportLibraries):
            self._import(command)
            return
        if libraries.needs_late_imports(command.program.source):
            self._complete()
        unfinished = Leftover()
        pid = self._begin(command, descriptors, unfinished)
        self._runs[pid] = command.run
        self._unfinished[pid] = unfinished
        for descriptor in descriptors:
            os.close(descriptor)
        self._send(messages.ChildStarted(run=command.run, pid=pid))

    def _import(self, command: messages.ImportLibraries) -> None:
        if self._no_view is not None:
            return
        while self._runs:  # they have reported their end, and are not reaped yet
            select.select([self._woken], [], [])
            self._woken.recv(4096)
            self._reap()
        self._complete()
        most = Limits().processes
        with suppress(OSError):  # there is no room for a trial
            imported_once.import_once(command.names, command.surroundings, self._forget, most)

    def _begin(self, job: messages.StartRun, descriptors: list[int], unfinished: Leftover) -> int:
        """Fork the run; return the process to kill it by."""
        reports, raw, *asked = descriptors
        worker = os.getpid() if self._no_namespace else 1
        assert self._run_child is not None
        process = ForkedRun(
            worker=worker,
            reports=reports,
            raw=raw,
            questions=asked[0] if asked else None,
            scratch=namespace.SCRATCH if self._no_namespace is None else None,
        )
        live = partial(self._run_child, job, process, unfinished)
        if self._no_namespace is None:
            keeper = namespace.begin(
                live,
                forget=self._forget,
                given=descriptors,
                most=job.limits.processes,
                scratch=job.program.origin.is_confined,
                in_view=job.limits.in_view,
            )
            self._keepers[keeper.pid] = keeper
            return keeper.pid
        assert not job.limits.in_view, "no namespaces"
        # Daemons of a run that has no namespace can only be ended by us, in order.
        linux.die_with_parent(signal.SIGTERM)
        pid = os.fork()
        if pid == 0:
            self._forget()
            live()
        return pid

    def _forget(self) -> None:
        """In a fork of the worker: reset what only the worker uses."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for end in (self._control, self._woken, self._waker):
            end.close()
        for keeper in self._keepers.values():
            os.close(keeper.ending_pipe)

    def _reap(self) -> None:
        """Reap the children that ended, with all that they left running."""
        for pid in list(self._runs):
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, pid, options) is None:
                continue
            # While it is not reaped, no other process can have its number.
            _kill_group(pid)
            _, status = os.waitpid(pid, 0)
            run, crowded = self._runs.pop(pid), False
            if (keeper := self._keepers.pop(pid, None)) is not None:
                status, crowded = keeper.ending(status)
            code = os.waitstatus_to_exitcode(status)
            written = self._unfinished.pop(pid).read()
            self._send(
                messages.ChildEnded(run=run, exit_code=code, crowded=crowded, written=written)
            )
        self._kill_orphans()
        if not self._runs:
            linux.die_with_parent(signal.SIGKILL)

    def _kill_orphans(self) -> None:
        """Kill what left its group; it is ours since its parent, a run, has died.

        What those leave behind becomes ours when they are gone, so it is looked at again.
        """
        until = time.monotonic() + PATIENCE
        while (orphans := linux.children() - self._runs.keys()) and time.monotonic() < until:
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
            for pid in orphans:
                os.waitpid(pid, 0)

    def _send(self, answer: messages.Answer) -> None:
        self._control.sendall(encode(answer))


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise Disconnected


def serve(control: int) -> NoReturn:
    """Serve the control socket with this descriptor."""
    # A signal and not the end of the socket alone: while torch loads, nobody reads it.
    # Nothing else ends one that was stopped; what it runs dies with it, or see `_begin`.
    linux.die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _ForkServer(socket.socket(fileno=control)).serve()
    # Not by way of Python's own end: told to leave in the middle of a fork, it would wait
    # there for a lock that was taken for the fork, and be an orphan of 200 MB for good.
    os._exit(0)
