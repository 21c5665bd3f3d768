"""The elements of one tensor: recorded, or read from a run that is paused for it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from inplace_tui.common.run.elements import FORMATS
from inplace_tui.common.run.program import Pause, Program
from inplace_tui.common.run.snapshot import Snapshot, Storage, Tensor, Unreadable
from inplace_tui.common.run.values import ElementReader
from inplace_tui.common.texts.values import ValueTexts
from inplace_tui.diagnosis.protocol.messages import TensorFound
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.drive.paused_run import DivergedError, PausedRun
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.state.diff import earlier_step
from inplace_tui.tutorial.state.element_source import (
    ElementSource,
    FetchedElements,
    RecordedElements,
    find_elements,
)

PATIENCE = 0.12
"""Seconds that a step must be looked at before the program is run again for it."""


@dataclass(frozen=True)
class TensorElements:
    """What there is to see of one tensor at one moment."""

    now: ElementSource | Unreadable | None = None
    """None while the program runs again."""

    before: RecordedElements | Unreadable | None = None
    """At the step before; None where it was not there, or not recorded whole."""

    grad: ElementSource | Unreadable | None = None
    earlier: int | None = None
    again: bool = False
    """The elements come from a program that was run again."""

    waits: bool = False
    """It runs still."""

    trouble: DivergedError | None = None
    """Why that was of no use."""

    @property
    def comparable(self) -> RecordedElements | None:
        """What was before, where it can be compared with what is there now."""
        before, now = self.before, self.now
        if isinstance(before, Unreadable | None) or isinstance(now, Unreadable | None):
            return None
        alike = (now.shape, now.dtype) == (before.shape, before.dtype)
        return before if alike else None


@dataclass(frozen=True)
class _InspectionTarget:
    """What is looked at."""

    view: View
    tensor: Tensor
    grad: Tensor | None
    with_grad: bool

    def same_as(self, other: _InspectionTarget) -> bool:
        """Whether both show the same."""
        mine, theirs = self.view, other.view
        return (
            (mine.cursor, self.with_grad) == (theirs.cursor, other.with_grad)
            and mine.program is theirs.program
            and self.tensor is other.tensor
            and self.grad is other.grad
            and mine.snapshot.storage_of(self.tensor) is theirs.snapshot.storage_of(other.tensor)
        )


class TensorInspector:
    """Looks at one tensor after the other. `aim` at what is wanted, `close` at the end."""

    def __init__(self, runner: SessionRunner, on_change: Callable[[], None]) -> None:
        """Look with the worker of `runner`; `on_change` is called when there is more to see."""
        self._runner = runner
        self._on_change = on_change
        self._run: PausedRun | None = None
        self._ran: Program | None = None
        self._task: asyncio.Task[None] | None = None
        self._counting: asyncio.Task[None] | None = None
        self._fetches: dict[int, asyncio.Task[None]] = {}
        self._aim: _InspectionTarget | None = None
        self._kept: list[tuple[Tensor, Storage | None, RecordedElements]] = []
        """Elements that were decoded last: a step leaves most of them as they are."""

        self.elements = TensorElements()

    def aim(self, view: View, tensor: Tensor, *, with_grad: bool = False) -> None:
        """Look at a tensor, at the step of `view`; nothing is done anew if nothing is another."""
        grad = view.snapshot.tensors.get(-1 if tensor.grad is None else tensor.grad)
        aim = _InspectionTarget(view, tensor, grad, with_grad)
        if self._aim is not None and aim.same_as(self._aim):
            return
        self._aim = aim
        self._stop()
        earlier = earlier_step(view.timeline, view.ran, tensor)
        elements = TensorElements(earlier=earlier)
        if earlier is not None:
            then = view.timeline.at(earlier)
            elements = replace(elements, before=self._decoded(then.tensors[tensor.id], then))
        elements = replace(elements, now=self._decoded(tensor, view.snapshot))
        elsewhere = elements.now is None
        if grad is not None and with_grad:
            elements = replace(elements, grad=self._decoded(grad, view.snapshot))
            elsewhere |= elements.grad is None
        self.elements = replace(elements, again=elsewhere, waits=elsewhere)
        if elsewhere:
            self._task = asyncio.create_task(self._read_from_run(aim))

    def _decoded(self, tensor: Tensor, snapshot: Snapshot) -> RecordedElements | Unreadable | None:
        """Return recorded elements, decoded once for as long as they stay what they are."""
        found = find_elements(tensor, snapshot)
        if not isinstance(found, ElementReader):
            return found
        storage = snapshot.storage_of(tensor)
        for place, (other, data, recorded) in enumerate(self._kept):
            if other is tensor and data is storage:
                self._kept.append(self._kept.pop(place))
                return recorded
        recorded = RecordedElements(tensor, found)
        self._kept = [*self._kept[-5:], (tensor, storage, recorded)]
        return recorded

    # A run that is paused.

    async def _read_from_run(self, aim: _InspectionTarget) -> None:
        """Bring a run to this step, and read it."""
        await asyncio.sleep(PATIENCE)
        tensor, grad = aim.tensor, aim.grad
        try:
            run = await self._paused_at(aim)
            if self.elements.now is None:
                now = await self._opened(run, tensor)
                self.elements = replace(self.elements, now=now)
                if isinstance(now, FetchedElements):
                    self._counting = asyncio.create_task(self._count(run, tensor, now))
            if aim.with_grad and grad is not None and self.elements.grad is None:
                self.elements = replace(self.elements, grad=await self._opened(run, grad))
            self.elements = replace(self.elements, waits=False)
        except DivergedError as trouble:
            self.elements = replace(self.elements, waits=False, trouble=trouble)
        self._on_change()

    async def _paused_at(self, aim: _InspectionTarget) -> PausedRun:
        view = aim.view
        assert view.program is not None, "what was recorded can be run again"
        if self._run is None or self._ran != view.program:
            await self._close_run()
            self._run = self._runner.paused_run(view.program, view.timeline)
            self._ran = view.program
        self._run.timeline = view.timeline
        pause = Pause(step=view.cursor, tensor=aim.tensor.id)
        if not (self._run.alive and self._run.pause == pause):
            await self._run.to(pause)
        return self._run

    async def _opened(self, run: PausedRun, tensor: Tensor) -> ElementSource | Unreadable:
        found = await run.tensor(tensor.id)
        if isinstance(found, Unreadable):
            return found
        if not _fits(found, tensor):
            raise DivergedError(ValueTexts.went)
        return FetchedElements(found.shape, found.dtype)

    async def _count(self, run: PausedRun, tensor: Tensor, fetched: FetchedElements) -> None:
        results = run.count(tensor.id)
        while fetched.statistics is None or not fetched.statistics.whole:
            result = await results.get()
            count = math.prod(fetched.shape)
            # What a run says of all elements must be possible.
            if result is None or result.count != count or not 0 <= result.seen <= count:
                return
            fetched.statistics = result
            self._on_change()

    def fetch(self) -> None:
        elements, run = self.elements, self._run
        if run is None or self._aim is None or not run.alive or run.pause is None:
            return
        asked = (
            (elements.now, run.pause.tensor),
            (elements.grad, -1 if self._aim.grad is None else self._aim.grad.id),
        )
        for fetched, tensor in asked:
            if (
                isinstance(fetched, FetchedElements)
                and fetched.wanted
                and id(fetched) not in self._fetches
            ):
                reading = self._read(run, fetched, tensor)
                self._fetches[id(fetched)] = asyncio.create_task(reading)

    async def _read(self, run: PausedRun, fetched: FetchedElements, tensor: int) -> None:
        spans = fetched.spans()
        fetched.wanted.clear()  # what is still looked for is found missing when it is drawn
        try:
            reply = await run.elements(tensor, spans, itemsize=FORMATS[fetched.dtype].size)
        except DivergedError as trouble:
            self.elements = replace(self.elements, trouble=trouble)
        else:
            fetched.fill(spans, reply.data)
        self._fetches.pop(id(fetched), None)
        self._on_change()

    async def next_odd(self, after: int) -> int | None:
        """Return the place of the next element that is not finite; None if there is none."""
        now, run = self.elements.now, self._run
        if isinstance(now, RecordedElements):
            return now.next_odd(after)
        if isinstance(now, FetchedElements) and run is not None and run.pause is not None:
            try:
                place = await run.odd(run.pause.tensor, after)
            except DivergedError:
                return None
            return place if place is not None and 0 <= place < math.prod(now.shape) else None
        return None

    # The end.

    def _stop(self) -> None:
        for task in (self._task, self._counting, *self._fetches.values()):
            if task is not None:
                task.cancel()
        self._fetches.clear()
        self._task = self._counting = None

    async def _close_run(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            await run.close()

    async def close(self) -> None:
        self._stop()
        self._aim = None
        await self._close_run()


def _fits(found: TensorFound, tensor: Tensor) -> bool:
    """Whether what a run says of a tensor can be true of the recorded one."""
    form = FORMATS.get(found.dtype)
    if form is None or form.size != found.itemsize or min(found.shape, default=0) < 0:
        return False
    return found.shape == tensor.shape
