"""A program that stands still: what is asked of it then is answered from its own memory.

It stands in the recorder's trace function, between two of its lines. What is read
is read from the memory of a tensor and through no name of the program's, under no
mode of the program's, so that it can run on as if nobody had looked.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator

import torch

from inplace_tui.model.program import Pause
from inplace_tui.protocol.frames import FrameError, Frames
from inplace_tui.protocol.inspection import (
    ElementsRead,
    ElementsRequest,
    NonFiniteFound,
    NonFiniteRequest,
    Paused,
    Reply,
    Request,
    Resume,
    StatisticsRead,
    StatisticsRequest,
    TensorFound,
    TensorRequest,
)
from inplace_tui.worker.process import linux
from inplace_tui.worker.process.apart import apart
from inplace_tui.worker.process.reports import Reports
from inplace_tui.worker.state.contents import Contents, Refused, contents, copy_of
from inplace_tui.worker.state.statistics import next_odd, statistics

Find = Callable[[int], torch.Tensor | None]

TELL_AFTER = 0.25
"""Seconds after which it is told how far statistics came."""

OVER = StatisticsRead(number=-1, statistics=None)
"""Stands for the end of what takes long."""

GONE = "no name reaches it any more"
NO_COPY = "it was not there then"


class Still:
    """Stands still at a step, for as long as somebody asks."""

    def __init__(self, pause: Pause, questions: int, reports: Reports) -> None:
        self._hold: Pause | None = pause
        self._questions = questions
        self._poll = select.poll()  # `select` can't: its number is beyond what programs reach
        self._poll.register(questions, select.POLLIN)
        self._reports = reports
        self._frames: Frames[Request] = Frames(Request)
        self._copy: Contents | Refused = Refused(NO_COPY)
        self._work: Iterator[Reply | None] | None = None
        """What takes long, piece by piece; None after a piece that is not worth telling of."""

        self.find: Find = lambda _: None

    def passed(self, step: int) -> None:
        """Hear that a step is over; return when the program may go on."""
        while self._hold is not None:
            if step == self._hold.before:
                self._copy = self._copied(self._hold.tensor)
            if step != self._hold.step:
                return
            self._send(Paused(step=step))
            self._hold = self._answer()
            if self._hold is not None and self._hold.step <= step:
                return  # it is no later step: nothing will ever stand still again

    def _copied(self, tensor: int) -> Contents | Refused:
        try:
            with apart(), torch.no_grad():
                found = self.find(tensor)
                return Refused(NO_COPY) if found is None else copy_of(found)
        except (RuntimeError, MemoryError) as refusal:
            return Refused(str(refusal))

    def _answer(self) -> Pause | None:
        """Answer until it is to run on; a long answer gives way to the next question."""
        while True:
            for question in self._asked():
                if isinstance(question, Resume):
                    self._work = None
                    return question.pause
                self._take(question)
            if self._work is not None:
                self._send_next()

    def _asked(self) -> list[Request]:
        waits = None if self._work is None else 0
        if not self._poll.poll(waits):
            return []
        read = os.read(self._questions, 65_536)
        if not read:
            linux.end(0)  # nobody looks any more
        try:
            return self._frames.feed(read)
        except FrameError:
            linux.end(0)

    def _take(self, question: Request) -> None:
        match question:
            case TensorRequest(number=number):
                found = self._contents(question.tensor, earlier=question.earlier)
                if isinstance(found, Refused):
                    self._send(TensorFound(number=number, refusal=found.reason))
                else:
                    self._send(found.told(number))
            case ElementsRequest():
                self._send(self._read(question))
            case StatisticsRequest():
                self._work = self._count(question)
            case NonFiniteRequest(number=number, after=after):
                found = self._contents(question.tensor, earlier=question.earlier)
                place = None
                if not isinstance(found, Refused):
                    with apart(), torch.no_grad():
                        place = next_odd(found.plain, after)
                self._send(NonFiniteFound(number=number, place=place))
            case Resume():
                raise AssertionError("that is no question")

    def _read(self, question: ElementsRequest) -> ElementsRead:
        found = self._contents(question.tensor, earlier=question.earlier)
        if isinstance(found, Refused):
            return ElementsRead(number=question.number, refusal=found.reason)
        try:
            with apart(), torch.no_grad():
                data, coordinates = found.window(question.spans)
        except (RuntimeError, IndexError, MemoryError) as refusal:
            return ElementsRead(number=question.number, refusal=str(refusal))
        return ElementsRead(number=question.number, data=data, coordinates=coordinates)

    def _count(self, question: StatisticsRequest) -> Iterator[Reply | None]:
        found = self._contents(question.tensor, earlier=question.earlier)
        if isinstance(found, Refused):
            yield StatisticsRead(number=question.number, statistics=None, refusal=found.reason)
            return
        try:
            last = time.monotonic()
            for told in statistics(found.plain):
                if not told.whole and time.monotonic() - last < TELL_AFTER:
                    yield None
                    continue
                yield StatisticsRead(number=question.number, statistics=told)
                last = time.monotonic()
        except (RuntimeError, MemoryError) as refusal:
            yield StatisticsRead(number=question.number, statistics=None, refusal=str(refusal))

    def _send_next(self) -> None:
        """Go on with what takes long."""
        assert self._work is not None
        with apart(), torch.no_grad():
            reply = next(self._work, OVER)
        if reply is OVER:
            self._work = None
        elif reply is not None:
            self._send(reply)

    def _contents(self, tensor: int, *, earlier: bool) -> Contents | Refused:
        if earlier:
            return self._copy
        try:
            with apart(), torch.no_grad():
                found = self.find(tensor)
                return Refused(GONE) if found is None else contents(found)
        except (RuntimeError, MemoryError, NotImplementedError) as refusal:
            return Refused(str(refusal))

    def _send(self, reply: Reply) -> None:
        self._reports.send(reply)
