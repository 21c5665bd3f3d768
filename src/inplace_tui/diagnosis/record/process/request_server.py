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
from inplace_tui.diagnosis.record.process.reports import Reports
from inplace_tui.diagnosis.record.state.contents import (
    Contents,
    NoContentsError,
    contents,
    copy_of,
    next_odd,
    statistics,
)
from inplace_tui.diagnosis.record.state.safe_reads import without_modes

Find = Callable[[int], torch.Tensor | None]

REPORT_EVERY = 0.25
"""Seconds between two reports of unfinished statistics."""

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
        self._copy: Contents | NoContentsError = NoContentsError(NO_COPY)
        self._work: Iterator[messages.Reply | None] = iter(())
        """What is asked, piece by piece; None after a piece that is not worth a report."""

        self.find: Find = lambda _: None

    def pause_at(self, step: int) -> None:
        """Pause if this step is the one; return when the program may go on."""
        while self._hold is not None:
            if step == self._hold.before:
                self._copy = self._copied(self._hold.tensor)
            if step != self._hold.step:
                return
            self._reports.send(messages.Paused(step=step))
            self._hold = self._answer()
            if self._hold is not None and self._hold.step <= step:
                return  # it is no later step: the program pauses no more

    def _copied(self, tensor: int) -> Contents | NoContentsError:
        try:
            with without_modes(), torch.no_grad():
                found = self.find(tensor)
                return NoContentsError(NO_COPY) if found is None else copy_of(found)
        except (RuntimeError, MemoryError) as refusal:
            return NoContentsError(str(refusal))

    def _answer(self) -> Pause | None:
        """Answer until it may resume; a long answer gives way to the next request."""
        is_busy = False
        while True:
            for request in self._requests(0 if is_busy else None):
                if isinstance(request, messages.Resume):
                    self._work = iter(())
                    return request.pause
                replies = self._replies(request)
                if isinstance(request, messages.StatisticsRequest):
                    self._work = replies
                else:
                    self._send_next(replies)
            is_busy = self._send_next(self._work)

    def _requests(self, waits: int | None) -> list[messages.Request]:
        if not self._poll.poll(waits):
            return []
        read = os.read(self._questions, 65_536)
        if not read:
            linux.end(0)  # nobody asks any more
        try:
            return self._frames.feed(read)
        except FrameError:
            linux.end(0)

    def _send_next(self, replies: Iterator[messages.Reply | None]) -> bool:
        """Send the next reply, if there is one yet; return False after the last."""
        with without_modes(), torch.no_grad():
            for reply in replies:
                if reply is not None:
                    self._reports.send(reply)
                return True
        return False

    def _replies(self, request: messages.Question) -> Iterator[messages.Reply | None]:
        number = request.number
        try:
            match request:
                case messages.TensorRequest():
                    yield self._contents(request).as_reply(number)
                case messages.ElementsRequest(spans=spans):
                    data, at = self._contents(request).window(spans)
                    yield messages.ElementsRead(number=number, data=data, coordinates=at)
                case messages.StatisticsRequest():
                    last = time.monotonic()
                    for found in statistics(self._contents(request).plain):
                        if found.whole or time.monotonic() - last >= REPORT_EVERY:
                            yield messages.StatisticsRead(number=number, statistics=found)
                            last = time.monotonic()
                        else:
                            yield None
                case messages.NonFiniteRequest(after=after):
                    place = next_odd(self._contents(request).plain, after)
                    yield messages.NonFiniteFound(number=number, place=place)
        except (RuntimeError, IndexError, MemoryError) as refusal:
            yield messages.NotRead(number=number, reason=str(refusal))

    def _contents(self, request: messages.Question) -> Contents:
        if request.earlier:
            if isinstance(self._copy, NoContentsError):
                raise self._copy
            return self._copy
        found = self.find(request.tensor)
        if found is None:
            raise NoContentsError(GONE)
        return contents(found)
