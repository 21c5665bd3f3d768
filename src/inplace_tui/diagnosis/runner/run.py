"""One run, seen from outside: its pipe, its deadline, its death.

The child is not trusted: an invalid frame ends the run, and what the child can't
report itself (a time-out, a crash) is reported here.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass
from typing import Literal, TypeVar

import msgspec

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.outcome import Cancelled, Crashed, Outcome, Stopped, TimedOut
from inplace_tui.common.run.program import Limits
from inplace_tui.common.run.step import Event, Printed
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.checking import StepChecker, weight
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames, Reply

GRACE = 10.0
"""Seconds that a child may take to compile its program before it starts."""

PAUSE = 900.0
"""Seconds that a program may stay paused after its last reply."""

TURN = 0.005
"""Seconds of a busy stream after which the event loop runs other tasks."""


class _FullError(Exception):
    """The reports of a run exceed their limit."""


T = TypeVar("T")


class ReportSource(ABC):
    """Where the reports of a child come from; owned by its run."""

    @abstractmethod
    async def read(self, ended: asyncio.Future[T]) -> bytes:
        """Return the next bytes; none when no more can come.

        The end is not waited for once the child has `ended`: a copy of it, forked by a library,
        may hold the other end open.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""


class RawOutput(ABC):
    """What a child writes to 1 and 2, past Python; owned by its run."""

    def __init__(self) -> None:
        self.tail = ""
        """The last of what was read here."""

        self._new: list[Event] = []

    def take(self) -> tuple[Event, ...]:
        """Return what was read since the last call, as far as the limit allows."""
        events = tuple(self._new)
        self._new.clear()
        return events

    @abstractmethod
    def finish(self) -> None:
        """Read what is left, without waiting for more, and close."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""


class RunningProcess(ABC):
    """The process of a run, with all that it started."""

    pid: int
    linger: float
    """Seconds after its last report in which it may exit by itself, before it is killed."""

    @abstractmethod
    def kill(self) -> None:
        """End it, with all that it started."""

    @abstractmethod
    def excess(
        self, limits: Limits, resident_bytes: int | None
    ) -> Literal["memory", "processes"] | None:
        """Return what there is more of than there may be, if that is to be found out from here."""

    @abstractmethod
    def interval(self, limits: Limits) -> float:
        """Return how many seconds there are between two looks at what it holds."""


@dataclass(eq=False)
class Run:
    """A run under way. Its owner passes on what the worker reports of it."""

    number: int
    limits: Limits
    _reports: ReportSource
    _raw: RawOutput
    _: KW_ONLY
    with_output: bool = False
    """Report text by itself, where there are no steps that it could belong to."""

    on_reply: Callable[[Reply], None] | None = None
    """Called with what the child replies while it is paused."""

    on_kill: Callable[[], None] | None = None
    """Called when it was killed: the worker has to reap it."""

    presence: Presence | None = None
    resident_bytes: int | None = None
    """What a process of it may hold in memory."""

    def __post_init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames: Frames[messages.Report | Reply] = Frames(messages.Report | Reply)
        self._process: RunningProcess | None = None
        """The child, while it lives."""

        self._timer: asyncio.TimerHandle | None = None
        self._timed_out = False
        self._looking: asyncio.TimerHandle | None = None
        self._excess: Literal["memory", "processes"] | None = None
        self._frame_error = ""
        self._written = ""
        """What the line wrote that did not finish."""

        self._left = self.limits.report_bytes
        """Bytes that the reports may still take."""

        self.is_unwanted = False
        """It was cancelled, or must not go on."""

        self._line: int | None = None
        self._checker = StepChecker()
        self.ended: asyncio.Future[Crashed | Stopped | Cancelled] = self._loop.create_future()
        """Done when the child is dead; how it ended, if it did not report that itself."""

    @property
    def pid(self) -> int | None:
        """Of the child, while it lives."""
        return None if self._process is None else self._process.pid

    def child_started(self, process: RunningProcess) -> None:
        self._process = process
        if self.is_unwanted:
            self.kill()
        else:
            self._set_deadline(self.limits.seconds, GRACE)
            self._look()

    def child_ended(self, exit_code: int, *, crowded: bool, written: str = "") -> None:
        """The child is dead, and all that it left; the exit code is as `Popen.returncode` has it.

        `crowded`: it had too many processes; `written`: by the line that did not finish.
        """
        self._written = written
        too_many = Stopped(limit="processes", value=self.limits.processes)
        self._died(too_many if crowded else Crashed(exit_code=exit_code))

    def worker_gone(self, how: Crashed | Cancelled) -> None:
        """The worker is dead or closed; the child dies with it."""
        self.kill()
        self._died(how)

    def _died(self, how: Crashed | Stopped | Cancelled) -> None:
        self._process = None
        self._cancel_timers()
        if not self.ended.done():
            self.ended.set_result(how)

    def kill(self) -> None:
        """Kill the child and its group, as soon as there is one."""
        self.is_unwanted = True
        if self._process is not None:
            self._process.kill()
            if self.on_kill is not None:
                self.on_kill()

    async def reports(self) -> AsyncGenerator[messages.Report, None]:
        """Yield what the child reports, and at last how the run ended."""
        has_ended = False
        try:
            async with aclosing(self._stream()) as stream:
                async for report in stream:
                    has_ended = isinstance(report, messages.ProgramEnded)
                    for text in self._texts(finish=has_ended):
                        yield text
                    yield report
                    if has_ended:
                        return
            ended = await self.ended
            for text in self._texts(finish=True):
                yield text
            outcome = self._unreported_ending(ended)
            has_ended = True
            yield messages.ProgramEnded(outcome=outcome)
        finally:
            self._reports.close()
            self._raw.close()
            self._cancel_timers()
            if not has_ended:
                self.kill()
            elif self._process is not None:
                self._timer = self._loop.call_later(self._process.linger, self.kill)

    def _texts(self, *, finish: bool) -> list[messages.ProgramWrote]:
        """Return what was written and not reported by the child, if it is reported alone."""
        if not self.with_output:
            return []
        if finish:
            self._raw.finish()
        events = self._raw.take()
        if self._written:
            events = (Printed(text=self._written, stream="stdout"), *events)
            self._written = ""
        return [messages.ProgramWrote(events=events)] if events else []

    async def _stream(self) -> AsyncGenerator[messages.Report, None]:
        """Yield the child's own reports until its pipe ends or makes no sense.

        Only as much is read as is taken: a program that is faster than its
        reader has to wait, and a hundred thousand steps are never queued here.
        """
        resumed = self._loop.time()
        try:
            while data := await self._reports.read(self.ended):
                self._take(len(data))
                for report in self._frames.feed(data):
                    if isinstance(report, Reply):
                        self._take_reply(report)
                    else:
                        yield self._checked(report)
                    if self._loop.time() - resumed > TURN:
                        # How long the stream is left alone after its turn.
                        at_keys = self.presence
                        await asyncio.sleep(0 if at_keys is None else min(TURN, at_keys.wanted))
                        resumed = self._loop.time()
            self._frames.feed(b"")
        except FrameError as error:
            self._frame_error = str(error)
            self.kill()
        except _FullError:
            self.kill()

    def _take(self, nbytes: int) -> None:
        """Make room for more of the reports.

        Raises:
            _FullError: there is none.
        """
        self._left -= nbytes
        if self._left < 0:
            raise _FullError

    def _checked(self, report: messages.Report) -> messages.Report:
        """Note what `_unreported_ending` needs, and complete a step with text from the raw pipe."""
        self._take(weight(report))
        match report:
            case messages.ProgramStarted(line=line):
                self._line = line
                self._set_deadline(self.limits.seconds)
            case messages.LineRecorded(step=step):
                if complaint := self._checker.complaint(step):
                    raise FrameError(complaint)
                self._line = step.then
                if raw := self._raw.take():
                    whole = msgspec.structs.replace(step, events=(*raw, *step.events))
                    return messages.LineRecorded(step=whole)
            case messages.BackwardRan() | messages.ProgramWrote() | messages.ProgramEnded():
                return report
        return report

    def _take_reply(self, reply: Reply) -> None:
        """Hand on a reply. Who looks at a program takes longer than it may run."""
        if self.on_reply is None:
            raise FrameError("a reply to no request")
        self._set_deadline(PAUSE)
        self.on_reply(reply)

    def _unreported_ending(self, crashed: Crashed | Stopped | Cancelled) -> Outcome:
        """Return how a run ended that did not say so itself."""
        self._raw.finish()
        if isinstance(crashed, Cancelled):
            return crashed
        # What bypassed `sys.stdout` is among a crash's last words.
        late = self._raw.take()
        raw = "".join(each.text for each in late if isinstance(each, Printed))
        written = self._written + raw
        if isinstance(crashed, Stopped):
            return msgspec.structs.replace(crashed, written=written)
        if self._left < 0:
            most = self.limits.report_bytes
            return Stopped(limit="bytes", value=most, written=written)
        if self._excess is not None:
            most = self.limits.processes
            if self._excess == "memory":
                assert self.resident_bytes is not None
                most = self.resident_bytes
            return Stopped(limit=self._excess, value=most, written=written)
        if self._timed_out:
            assert self.limits.seconds is not None
            return TimedOut(seconds=self.limits.seconds, line=self._line, written=written)
        words = "\n".join(filter(None, (crashed.last_words, self._raw.tail, self._frame_error)))
        return msgspec.structs.replace(
            crashed, last_words=words, line=self._line, written=self._written
        )

    def _set_deadline(self, seconds: float | None, more: float = 0.0) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._process is not None and seconds is not None:
            self._timer = self._loop.call_later(seconds + more, self._expire)

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._looking):
            if timer is not None:
                timer.cancel()
        self._timer = self._looking = None

    def _look(self) -> None:
        """See from time to time whether there is too much of it."""
        if self._process is None:
            return
        self._excess = self._process.excess(self.limits, self.resident_bytes)
        if self._excess is None:
            self._looking = self._loop.call_later(self._process.interval(self.limits), self._look)
        else:
            self.kill()

    def _expire(self) -> None:
        self._timed_out = True
        # After pending reports: if this process was stopped (SIGSTOP) meanwhile, the child may
        # have ended long ago, and its process id belong to another.
        self._timer = self._loop.call_later(0, self.kill)


def end_all(runs: dict[int, Run], how: Crashed | Cancelled) -> None:
    """End the runs that are under way: what they begin from is gone."""
    for run in runs.values():
        run.worker_gone(how)
    runs.clear()
