"""A program that was run again and stands still at a step, so that it can be asked."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from contextlib import aclosing
from functools import partial

import msgspec

from inplace_tui.common.problems import ToldError
from inplace_tui.common.run.program import Detail, Limits, Mode, Pause, Program
from inplace_tui.common.run.snapshot import Tensor, Unreadable
from inplace_tui.common.run.statistics import Statistics
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.values import ValueTexts
from inplace_tui.common.timeouts import timeout
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import LineRecorded, ProgramEnded
from inplace_tui.diagnosis.runner.worker import RequestSender, Worker

Span = tuple[int, int]


AT_ONCE = 8
"""Questions that are asked before one is answered: the pipe has room for more."""


class DivergedError(ToldError):
    """The program did something else than it did when it was recorded, or came to no end."""


class PausedRun:
    """One process, stopped at a step. `close` it: nothing else ends it but its time limit."""

    def __init__(
        self, worker: Worker, program: Program, limits: Limits | None, timeline: Timeline
    ) -> None:
        """Prepare to run `program`; no limits: it can't run again."""
        self._worker, self._program, self._limits = worker, program, limits
        self.timeline = timeline
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[messages.Reply]] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._count: tuple[int, asyncio.Queue[Statistics | None]] | None = None
        """The number of the request for statistics that are under way, and what came of it."""

        self._requests: RequestSender | None = None
        self._running: asyncio.Task[None] | None = None
        self._arrived: asyncio.Future[int] | None = None
        self._seen: dict[int, Tensor] = {}
        self.step: int | None = None
        """Where it stands."""

        self.pause: Pause | None = None
        """The pause that it was last asked for."""

    @property
    def alive(self) -> bool:
        return self.step is not None and self._running is not None and not self._running.done()

    async def to(self, pause: Pause) -> None:
        """Bring it to a step, from where it stands if that is before; else anew.

        Raises:
            DivergedError: it did not come there, or on another way.
        """
        if self._limits is None:
            raise DivergedError(ValueTexts.no_view)
        goes_on = self.alive and self.step is not None and pause.step > self.step
        if not goes_on:
            await self.close()
        self._arrived = asyncio.get_running_loop().create_future()
        self.pause = pause
        if goes_on:
            self.step = None
            self._count = None
            self._write(messages.Resume(pause=pause))
        else:
            self._requests = self._worker.request_sender()
            self._seen.clear()
            running = self._run(pause, self._limits, self._requests)
            self._running = asyncio.create_task(running)
        try:
            seconds = self._limits.seconds
            async with timeout(None if seconds is None else seconds + 30):
                await self._arrived
        except TimeoutError:
            await self.close()
            raise DivergedError(ValueTexts.too_long, seconds=self._limits.seconds) from None
        self._verify(pause.tensor, pause.step)

    async def _run(self, pause: Pause, limits: Limits, requests: RequestSender) -> None:
        reports = self._worker.run_asked(
            self._program,
            Mode.RECORD,
            limits,
            Detail(pause=pause),
            asked=requests,
            on_reply=self._take,
        )
        try:
            async with aclosing(reports):
                async for report in reports:
                    if isinstance(report, LineRecorded):
                        step = report.step
                        mine = self.timeline.steps
                        if step.index >= len(mine) or mine[step.index].line != step.line:
                            self._fail(DivergedError(ValueTexts.other_way, step=step.index + 1))
                            return
                        self._seen |= {each.id: each for each in step.tensors}
                    elif isinstance(report, ProgramEnded):
                        wanted = -1 if self.pause is None else self.pause.step
                        self._fail(DivergedError(ValueTexts.ended_before, step=wanted + 1))
        finally:
            self._fail(DivergedError(ValueTexts.went))

    def _take(self, reply: messages.Reply) -> None:
        """Take a reply. An unknown number belongs to a request that was given up."""
        match reply:
            case messages.Paused(step=step):
                self.step = step
                if self._arrived is not None and not self._arrived.done():
                    self._arrived.set_result(step)
            case _ if self._count is not None and self._count[0] == reply.number:
                found = reply.statistics if isinstance(reply, messages.StatisticsRead) else None
                self._count[1].put_nowait(found)
            case _:
                waiting = self._asked.pop(reply.number, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(reply)

    def _fail(self, why: DivergedError) -> None:
        self.step = None
        if self._arrived is not None and not self._arrived.done():
            self._arrived.set_exception(why)
            # Whoever waits may have given up: then nobody wants the result.
            self._arrived.exception()
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(why)
                waiting.exception()
        self._asked.clear()
        if self._count is not None:
            self._count[1].put_nowait(None)

    def _verify(self, number: int, step: int) -> None:
        """Compare what was reported of the tensor with what is in the recording.

        Raises:
            DivergedError: it is not the same tensor in the same state.
        """
        recorded = self.timeline.at(step).tensors.get(number)
        again = self._seen.get(number)
        if recorded is None or again is None or _bare(recorded) != _bare(again):
            raise DivergedError(ValueTexts.differs, step=step + 1)

    # Questions.

    async def tensor(self, number: int) -> messages.TensorFound | Unreadable:
        """Return how a tensor can be read, or why it can't be.

        Raises:
            DivergedError: the process is gone.
        """
        reply = await self._ask(partial(messages.TensorRequest, tensor=number))
        if isinstance(reply, messages.NotRead):
            return Unreadable(reply.reason)
        if not isinstance(reply, messages.TensorFound):
            raise DivergedError(ValueTexts.went)
        return reply

    async def elements(
        self, number: int, spans: tuple[Span, ...], *, itemsize: int
    ) -> messages.ElementsRead:
        """Return a window.

        Raises:
            DivergedError: the process is gone, or answers what it was not asked.
        """
        reply = await self._ask(partial(messages.ElementsRequest, tensor=number, spans=spans))
        wanted = itemsize * sum(n for _, n in spans)
        if not isinstance(reply, messages.ElementsRead) or len(reply.data) != wanted:
            raise DivergedError(ValueTexts.went)
        return reply

    async def odd(self, number: int, after: int) -> int | None:
        """Return the place of the next element that is not finite.

        Raises:
            DivergedError: the process is gone.
        """
        reply = await self._ask(partial(messages.NonFiniteRequest, tensor=number, after=after))
        return reply.place if isinstance(reply, messages.NonFiniteFound) else None

    def count(self, number: int) -> asyncio.Queue[Statistics | None]:
        """Ask for the statistics; they come into the queue until they are whole, and then None."""
        asked = next(self._numbers)
        results: asyncio.Queue[Statistics | None] = asyncio.Queue()
        self._count = (asked, results)
        self._write(messages.StatisticsRequest(number=asked, tensor=number))
        return results

    async def _ask(self, numbered: Callable[..., messages.Request]) -> messages.Reply:
        if not self.alive:
            raise DivergedError(ValueTexts.went)
        number = next(self._numbers)
        waiting: asyncio.Future[messages.Reply] = asyncio.get_running_loop().create_future()
        async with self._turns:
            self._asked[number] = waiting
            self._write(numbered(number=number))
            return await waiting

    def _write(self, question: messages.Request) -> None:
        if self._requests is not None:
            self._requests.send(question)

    async def close(self) -> None:
        self.step = None
        if self._requests is not None:
            self._requests.close()
            self._requests = None
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


def _bare(tensor: Tensor) -> Tensor:
    """Return what two runs of the same program have in common: addresses are another each time."""
    return msgspec.structs.replace(tensor, data_ptr=None)
