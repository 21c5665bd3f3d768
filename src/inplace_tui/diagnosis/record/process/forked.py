"""The process of a run on Linux: forked from one that is warm, in namespaces where it can be."""

from __future__ import annotations

import os
import resource
import select
import signal
import tempfile
from fcntl import ioctl
from pathlib import Path
from struct import unpack
from termios import FIONREAD
from typing import NoReturn

from inplace_tui.common.confinement import confine
from inplace_tui.common.run.program import Mode
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.record.process import linux, view
from inplace_tui.diagnosis.record.process.system import Channel, RequestSource, RunProcess, end

_NONE = bytes(4)
"""What the kernel reports where no byte waits."""

_SPARE = 10.0
"""Seconds in which a program may be compiled before its time counts."""

GONE = 70
"""The exit code of a process whose worker had died before it began."""


class ForkedRun(RunProcess):
    """A child of the warm worker."""

    def __init__(
        self,
        *,
        worker: int,
        reports: int,
        raw: int,
        questions: int | None = None,
        scratch: Path | None = None,
    ) -> None:
        """Own descriptors: for the reports, for what is written to 1 and 2, with requests.

        There is no run without the process `worker`. A confined program may write to `scratch`.
        """
        self._worker, self._scratch = worker, scratch
        self._given = reports, raw, questions
        self._raw: int | None = None
        self._has_view = False
        self._files_left = 0

    def hold(self, job: messages.StartRun) -> None:
        self._detach()
        _limit(job)
        if job.mode is Mode.RECORD or job.limits.in_view:
            # These are compared with each other; and that the first run, an ordinary one, finds
            # something else there shows that a program reads what nobody has written.
            linux.fill_memory()
        if job.program.origin.is_confined:
            scratch = self._scratch
            if scratch is not None and scratch.is_dir():
                os.chdir(scratch)
                os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)  # it may have looked already
            confine(scratch)
        if job.limits.in_view:
            view.remove(job.program.made)
        self._count_files(job)

    def _detach(self) -> None:
        """Be a process of its own, that dies with the worker and is killed with its children."""
        os.setpgid(0, 0)
        linux.die_with_parent(signal.SIGKILL)
        if os.getppid() != self._worker:
            end(GONE)  # it died before it could be asked to take this one along
        linux.adopt_orphans()
        linux.prefer_oom_kill()

    def _count_files(self, job: messages.StartRun) -> None:
        self._has_view = job.limits.in_view
        self._files_left = view.files_left() if self._has_view else 0

    def connect(self, stdin: bytes) -> None:
        reports, raw, questions = self._given
        _give_input(stdin)
        self._raw = _redirect(raw)
        (descriptor,) = linux.out_of_reach(reports)
        self.reports = ReportsPipe(descriptor)
        if questions is not None:
            (descriptor,) = linux.out_of_reach(questions)
            self.asked = PipedRequests(descriptor)

    def go_on(self, job: messages.StartRun, reports: int, raw: int) -> None:
        """Be the process of another run, whose program goes on with what is in memory here."""
        self._count_files(job)
        if self._raw is not None:
            os.close(self._raw)
        self._raw = _redirect(raw)
        (descriptor,) = linux.out_of_reach(reports)
        self.reports = ReportsPipe(descriptor)
        if job.limits.seconds is not None:
            linux.limit_computing(job.limits.seconds + _SPARE)

    def raw_text(self) -> bytes:
        """Return what the line wrote past `sys.stdout`.

        The runner leaves the pipe alone for a moment, so that text which went
        to descriptor 1 is shown at the line that wrote it.
        """
        if self._raw is None:
            return b""
        waiting = ioctl(self._raw, FIONREAD, _NONE)
        if waiting == _NONE:
            return b""
        try:
            return os.read(self._raw, *unpack("i", waiting))
        except BlockingIOError:
            return b""  # the runner was faster after all

    def wrote_files(self) -> bool:
        return self._has_view and view.files_left() != self._files_left

    def resident(self) -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def forget_memory_limit(self) -> None:
        linux.forget_memory_limit()

    def follow_fork(self) -> None:
        if self._raw is not None:
            os.close(self._raw)
            self._raw = None

    def leave(self) -> NoReturn:
        end(0)


class ReportsPipe(Channel):
    """A pipe that reports go through."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: bytes | memoryview) -> int:
        return os.write(self._descriptor, data)

    def close(self) -> None:
        os.close(self._descriptor)


class PipedRequests(RequestSource):
    """Requests that come by a descriptor of our own."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._poll = select.poll()  # `select` can't: its number is beyond what programs reach
        self._poll.register(descriptor, select.POLLIN)

    def read(self, *, waits: bool) -> bytes | None:
        return os.read(self.descriptor, 65_536) if self._poll.poll(None if waits else 0) else None


def _limit(job: messages.StartRun) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limits = job.limits
    if limits.file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
    if job.program.origin.is_confined:
        linux.limit_memory(limits.memory_bytes)
    if job.detail.pause is None and limits.seconds is not None:
        linux.limit_computing(limits.seconds + _SPARE)


def _give_input(stdin: bytes) -> None:
    """Point 0 at what it is to read."""
    with os.fdopen(os.memfd_create("stdin"), "w+b") if stdin else open(os.devnull, "rb") as given:
        if stdin:
            given.write(stdin)
            given.seek(0)
        os.dup2(given.fileno(), 0)


def _redirect(raw: int) -> int | None:
    """Point 1 and 2 at the raw pipe; return a way to read it back."""
    os.dup2(raw, 1)
    os.dup2(raw, 2)
    back = linux.reading_end(raw)
    os.close(raw)
    return None if back is None else linux.out_of_reach(back)[0]
