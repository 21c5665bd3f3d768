"""One run, seen from outside: its pipe, its deadline, its death.

The child is not trusted: an invalid frame ends the run, and what the child can't
report itself (a time-out, a crash) is reported here.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, suppress
from dataclasses import KW_ONLY, InitVar, dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec

from inplace_tui.common.presence import Presence
from inplace_tui.common.run.outcome import Cancelled, Crashed, Outcome, Stopped, TimedOut
from inplace_tui.common.run.program import Limits
from inplace_tui.common.run.step import Event, Muted, Printed
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.checking import StepChecker, weight
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames, Reply

GRACE = 10.0
"""Seconds that a child may take to compile its program before it starts."""

LINGER = 2.0
"""Seconds after its last report in which a child may exit, before it is killed."""

PAUSE = 900.0
"""Seconds that a program may stay paused after its last reply."""

MEMORY_INTERVAL = 0.1
"""Seconds between two checks of its memory."""

LONGER_INTERVAL = 0.2
"""Seconds between two where a check takes more time."""

TURN = 0.005
"""Seconds of a busy stream after which the event loop runs other tasks."""


class _FullError(Exception):
    """The reports of a run exceed their limit."""


@dataclass(eq=False)
class Run:
    """A run under way. Its owner passes on what the worker reports of it."""

    number: int
    limits: Limits
    reports_end: InitVar[int]
    raw_end: InitVar[int]
    """The reading ends of two pipes, owned: reports, and what the child writes to 1 and 2."""

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

    def __post_init__(self, reports_end: int, raw_end: int) -> None:
        self._loop = asyncio.get_running_loop()
        rests = self.presence is not None and self.on_reply is None
        self._reports = ReportPipe(reports_end, rests=rests)
        self._raw = RawText(raw_end, self.limits.output_bytes)
        self._frames: Frames[messages.Report | Reply] = Frames(messages.Report | Reply)
        self.pid: int | None = None
        """Of the child and of its group, while it lives."""

        self._timer: asyncio.TimerHandle | None = None
        self._timed_out = False
        self._memory_timer: asyncio.TimerHandle | None = None
        self._is_too_large = False
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

    def child_started(self, pid: int) -> None:
        self.pid = pid
        if self.is_unwanted:
            self.kill()
        else:
            self._set_deadline(self.limits.seconds, GRACE)
            self._watch_memory()

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
        self.pid = None
        self._cancel_timers()
        if not self.ended.done():
            self.ended.set_result(how)

    def kill(self) -> None:
        """Kill the child and its group, as soon as there is one."""
        self.is_unwanted = True
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
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
            elif self.pid is not None:  # it may exit by itself
                self._timer = self._loop.call_later(LINGER, self.kill)

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
        if self._is_too_large:
            assert self.resident_bytes is not None
            return Stopped(limit="memory", value=self.resident_bytes, written=written)
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
        if self.pid is not None and seconds is not None:
            self._timer = self._loop.call_later(seconds + more, self._expire)

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._memory_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._memory_timer = None

    def _watch_memory(self) -> None:
        if self.pid is None or self.resident_bytes is None:
            return
        own = self.limits.own_bytes
        is_too_large = largest(self.pid) > self.resident_bytes
        if is_too_large or (own is not None and unshared(self.pid) > own):
            self._is_too_large = True
            self.kill()
        else:
            pause = MEMORY_INTERVAL if own is None else LONGER_INTERVAL
            self._memory_timer = self._loop.call_later(pause, self._watch_memory)

    def _expire(self) -> None:
        self._timed_out = True
        # After pending reports: if this process was stopped (SIGSTOP) meanwhile, the child may
        # have ended long ago, and its process id belong to another.
        self._timer = self._loop.call_later(0, self.kill)


BRISK = 0.1
"""Seconds from the first bytes in which all are read as they come: most programs are over."""

REST = 0.02
"""Seconds from one read of a flow to the next, unless much has gathered."""

CHUNK = 16_384
"""Bytes that are read at once. To decode them takes a millisecond or two."""

LATE = 0.1
"""Seconds in which the last words of a dead child come, if there are any."""


T = TypeVar("T")


class ReportPipe:
    """Owns a descriptor, and reads it on the running event loop.

    A child that reports each line as it ends would wake its reader a thousand times
    a second, and waking costs more than reading. So a pipe that keeps flowing is left
    alone between two reads; what comes by itself is read at once.
    """

    def __init__(self, descriptor: int, *, rests: bool) -> None:
        """Own a reading end; `rests`: leave a pipe that keeps flowing alone between two reads."""
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._loop = asyncio.get_running_loop()
        self._rests = rests
        self._first: float | None = None
        self._next = 0.0

    async def read(self, ended: asyncio.Future[T]) -> bytes:
        """Return the next bytes; none when no more can come.

        The end of the pipe is not waited for once the child has `ended`: a copy of it, forked by a
        library, may hold the pipe open.
        """
        if self._rests and (rest := self._next - self._loop.time()) > 0:
            await asyncio.wait((ended,), timeout=rest)
        while self._descriptor is not None:
            try:
                data = os.read(self._descriptor, CHUNK)
            except BlockingIOError:
                if not await self._readable(self._descriptor, ended):
                    break
            else:
                self._read(len(data))
                return data
        return b""

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _read(self, count: int) -> None:
        """Note that so much was read: a full pipe has somebody waiting at its other end."""
        now = self._loop.time()
        if self._first is None:
            self._first = now
        if count < CHUNK and now - self._first > BRISK:
            self._next = now + REST

    async def _readable(self, descriptor: int, ended: asyncio.Future[T]) -> bool:
        """Wait until there is something to read; False if there will be nothing more."""
        ready: asyncio.Future[None] = self._loop.create_future()

        def on_readable() -> None:
            if not ready.done():
                ready.set_result(None)

        self._loop.add_reader(descriptor, on_readable)
        try:
            await asyncio.wait((ready, ended), return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                await asyncio.wait((ready,), timeout=LATE)
            return ready.done()
        finally:
            self._loop.remove_reader(descriptor)


PATIENCE = 0.1
"""Seconds that text is left in the pipe for the child to read."""

EAGER_FOR = 1.0
"""Seconds after a full read in which text is read at once, without leaving it to the child."""

TAIL = 4_096
"""Characters that are kept as last words."""

RAW_CHUNK = 65_536


class RawText:
    """Owns the reading end of what one run writes past Python.

    A pipe that nobody reads fills at 64 KiB and then blocks the program, which would look
    exactly like an endless loop. But the child reads this pipe too, at the end of each line,
    and knows which line wrote: so only what has been in it for a while is read here.
    """

    def __init__(self, descriptor: int, limit: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._loop = asyncio.get_running_loop()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._timer: asyncio.TimerHandle | None = None
        self._limit = limit
        self._left = limit
        self._eager_until = 0.0
        self._new: list[Event] = []
        self.tail = ""
        """The last of what was read here."""

        self._watch()

    def take(self) -> tuple[Event, ...]:
        """Return what was read since the last call, as far as the limit allows."""
        events = tuple(self._new)
        self._new.clear()
        return events

    def finish(self) -> None:
        """Read what is left, without waiting for more, and close."""
        while self._read():
            continue
        self.close()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._descriptor is not None:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def _watch(self) -> None:
        if self._descriptor is not None:
            self._loop.add_reader(self._descriptor, self._on_readable)

    def _on_readable(self) -> None:
        assert self._descriptor is not None
        if self._loop.time() < self._eager_until:
            # Once for each turn of the loop, which has others to serve.
            self._read()
            return
        self._loop.remove_reader(self._descriptor)
        self._timer = self._loop.call_later(PATIENCE, self._read_more)

    def _read_more(self) -> None:
        if self._read() == RAW_CHUNK:
            self._eager_until = self._loop.time() + EAGER_FOR
        self._watch()

    def _read(self) -> int:
        """Read once; return how many bytes there were, 0 also at the end."""
        if self._descriptor is None:
            return 0
        try:
            data = os.read(self._descriptor, RAW_CHUNK)
        except BlockingIOError:
            return 0  # the child took it
        if not data:
            self.close()
            return 0
        text = self._decoder.decode(data)
        self.tail = (self.tail + text)[-TAIL:]
        if self._left >= 0:
            self._new.append(Printed(text=text[: self._left], stream="raw"))
            self._left -= len(text)
            if self._left < 0:
                self._new.append(Muted(kept_bytes=self._limit))
        return len(data)


SHARE = 0.9
"""The part of the machine's memory that a process may hold by default."""

_PAGE = os.sysconf("SC_PAGE_SIZE")
_CONTROL_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def default_limit() -> int:
    """Return bytes: `SHARE` of what the machine, or the container we are in, has.

    Of what is resident: a program on a GPU maps hundreds of gigabytes that it never touches, so a
    limit on addresses would end it.
    """
    most = os.sysconf("SC_PHYS_PAGES") * _PAGE
    for path in _CONTROL_GROUPS:
        with suppress(OSError, ValueError):  # there is none, or it says `max`
            most = min(most, int(Path(path).read_text(encoding="ascii")))
    return int(most * SHARE)


BESIDE = 1 / 3
"""The part of what a process may hold that a second one of the program may, while another runs."""

MORE = 0.8
"""The part of what a program holds that a second run of it may have of its own beside it."""


def beside(limits: Limits, resident: int) -> Limits:
    """Return the limits of a run beside another one of a program that holds so many bytes."""
    most = min((limits.resident_bytes or default_limit()) * BESIDE, resident * MORE)
    return msgspec.structs.replace(limits, own_bytes=int(most))


def largest(pid: int) -> int:
    """Return the bytes that the largest process of a tree holds in memory of its own.

    Pages of files are not counted, the kernel takes them back; nor is what several share:
    copies that a program forks, as a DataLoader does, would each count it.
    """
    found = 0
    for here in _tree(pid):
        with suppress(OSError, ValueError):  # it is gone
            _, resident, shared, *_ = (here / "statm").read_text(encoding="ascii").split()
            found = max(found, (int(resident) - int(shared)) * _PAGE)
    return found


def unshared(pid: int) -> int:
    """Return the bytes that the processes of a tree hold and share with no other process.

    That takes 12 ms for each gigabyte which is mapped.
    """
    total = 0
    for here in _tree(pid):
        with suppress(OSError):
            for line in (here / "smaps_rollup").read_text(encoding="ascii").splitlines():
                if line.startswith("Private_"):
                    total += int(line.split()[1]) * 1024
    return total


def _tree(pid: int) -> Iterator[Path]:
    """Yield the folders in `/proc` of a process and of all that come from it."""
    waiting = [pid]
    while waiting:
        here = Path("/proc", str(waiting.pop()))
        yield here
        for children in here.glob("task/*/children"):
            with suppress(OSError):  # it is gone
                waiting += map(int, children.read_text(encoding="ascii").split())
