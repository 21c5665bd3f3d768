"""A paused program: requests are answered from its own memory.

It pauses in the recorder's trace function, between two of its lines. What is read
is read from the memory of a tensor and through no name of the program's, under no
mode of the program's, so that it can run on as if nobody had looked.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator

import torch

from inplace_tui.common.run.program import Pause
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import FrameError, Frames
from inplace_tui.diagnosis.record.process import linux
from inplace_tui.diagnosis.record.process.modes import without_modes
from inplace_tui.diagnosis.record.process.reports import Reports
from inplace_tui.diagnosis.record.state.contents import (
    Contents,
    NoContents,
    contents,
    copy_of,
    next_odd,
    statistics,
)

Find = Callable[[int], torch.Tensor | None]

REPORT_EVERY = 0.25
"""Seconds between two reports of unfinished statistics."""

FINISHED = messages.StatisticsRead(number=-1, statistics=None)
"""Stands for the end of what takes long."""

GONE = "no name reaches it any more"
NO_COPY = "it was not there then"


class RequestServer:
    """Pauses at a step, for as long as requests come."""

    def __init__(self, pause: Pause, questions: int, reports: Reports) -> None:
        self._hold: Pause | None = pause
        self._questions = questions
        self._poll = select.poll()  # `select` can't: its number is beyond what programs reach
        self._poll.register(questions, select.POLLIN)
        self._reports = reports
        self._frames: Frames[messages.Request] = Frames(messages.Request)
        self._copy: Contents | NoContents = NoContents(NO_COPY)
        self._work: Iterator[messages.Reply | None] | None = None
        """What takes long, piece by piece; None after a piece that is not worth a report."""

        self.find: Find = lambda _: None

    def pause_at(self, step: int) -> None:
        """Pause if this step is the one; return when the program may go on."""
        while self._hold is not None:
            if step == self._hold.before:
                self._copy = self._read_tensor(self._hold.tensor, copy_of, NO_COPY)
            if step != self._hold.step:
                return
            self._send(messages.Paused(step=step))
            self._hold = self._answer()
            if self._hold is not None and self._hold.step <= step:
                return  # it is no later step: the program pauses no more

    def _read_tensor(
        self, tensor: int, read: Callable[[torch.Tensor], Contents | NoContents], absent: str
    ) -> Contents | NoContents:
        try:
            with without_modes(), torch.no_grad():
                found = self.find(tensor)
                return NoContents(absent) if found is None else read(found)
        except (RuntimeError, MemoryError, NotImplementedError) as refusal:
            return NoContents(str(refusal))

    def _answer(self) -> Pause | None:
        """Answer until it may resume; a long answer gives way to the next request."""
        while True:
            for request in self._requests():
                if isinstance(request, messages.Resume):
                    self._work = None
                    return request.pause
                self._take(request)
            if self._work is not None:
                self._send_next()

    def _requests(self) -> list[messages.Request]:
        waits = None if self._work is None else 0
        if not self._poll.poll(waits):
            return []
        read = os.read(self._questions, 65_536)
        if not read:
            linux.end(0)  # nobody asks any more
        try:
            return self._frames.feed(read)
        except FrameError:
            linux.end(0)

    def _take(self, request: messages.Request) -> None:
        match request:
            case messages.TensorRequest(number=number):
                found = self._contents(request.tensor, earlier=request.earlier)
                if isinstance(found, NoContents):
                    self._send(messages.TensorFound(number=number, refusal=found.reason))
                else:
                    self._send(found.as_reply(number))
            case messages.ElementsRequest():
                self._send(self._read(request))
            case messages.StatisticsRequest():
                self._work = self._count(request)
            case messages.NonFiniteRequest(number=number, after=after):
                found = self._contents(request.tensor, earlier=request.earlier)
                place = None
                if not isinstance(found, NoContents):
                    with without_modes(), torch.no_grad():
                        place = next_odd(found.plain, after)
                self._send(messages.NonFiniteFound(number=number, place=place))
            case messages.Resume():
                raise AssertionError("not a request for elements")

    def _read(self, request: messages.ElementsRequest) -> messages.ElementsRead:
        found = self._contents(request.tensor, earlier=request.earlier)
        if isinstance(found, NoContents):
            return messages.ElementsRead(number=request.number, refusal=found.reason)
        try:
            with without_modes(), torch.no_grad():
                data, coordinates = found.window(request.spans)
        except (RuntimeError, IndexError, MemoryError) as refusal:
            return messages.ElementsRead(number=request.number, refusal=str(refusal))
        return messages.ElementsRead(number=request.number, data=data, coordinates=coordinates)

    def _count(self, request: messages.StatisticsRequest) -> Iterator[messages.Reply | None]:
        found = self._contents(request.tensor, earlier=request.earlier)
        if isinstance(found, NoContents):
            yield messages.StatisticsRead(
                number=request.number, statistics=None, refusal=found.reason
            )
            return
        try:
            last = time.monotonic()
            for found_statistics in statistics(found.plain):
                if not found_statistics.whole and time.monotonic() - last < REPORT_EVERY:
                    yield None
                    continue
                yield messages.StatisticsRead(number=request.number, statistics=found_statistics)
                last = time.monotonic()
        except (RuntimeError, MemoryError) as refusal:
            yield messages.StatisticsRead(
                number=request.number, statistics=None, refusal=str(refusal)
            )

    def _send_next(self) -> None:
        """Continue with what takes long."""
        assert self._work is not None
        with without_modes(), torch.no_grad():
            reply = next(self._work, FINISHED)
        if reply is FINISHED:
            self._work = None
        elif reply is not None:
            self._send(reply)

    def _contents(self, tensor: int, *, earlier: bool) -> Contents | NoContents:
        return self._copy if earlier else self._read_tensor(tensor, contents, GONE)

    def _send(self, reply: messages.Reply) -> None:
        self._reports.send(reply)
