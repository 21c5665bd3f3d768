"""The runs of one program: how many there were, how much time is left, what was printed."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable
from time import monotonic
from typing import TypeVar

import msgspec

from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.outcome import TimedOut
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.common.run.step import Event, Mutation, Muted, Printed, Rebound, Step, Warned
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.blame.truth import Evidence
from inplace_tui.diagnosis.drive.runs import evidence, record
from inplace_tui.diagnosis.explain.explanation import Untried
from inplace_tui.diagnosis.runner.worker import Worker

T = TypeVar("T")

SHORTEST = 0.1
"""Seconds of a run that begins when the time is nearly over."""

STEPS = 400_000
"""Lines that are recorded; a failure beyond them has no blame."""

REPORT_BYTES = 2**30
"""What these may take in memory."""


class Replays:
    """Runs one program, bare, cloned or recorded, and counts."""

    def __init__(
        self,
        worker: Worker,
        program: Program,
        on_text: Callable[[str], None],
        *,
        resident_bytes: int | None = None,
    ) -> None:
        self._worker = worker
        self.program = program
        """What runs from now on."""

        self._on_text = on_text
        self._resident_bytes = resident_bytes
        self.deadline = math.inf
        """When the time for runs is over, by the monotonic clock."""

        self.in_view = False
        """Runs see the files as they are, and change none of them."""

        self.runs = 0
        self.not_tried: list[Untried] = []
        """What was left out or stopped because of the deadline."""

        self.warned: list[Warned] = []
        """The warnings of the run with `output`."""

    def allow(self, seconds: float) -> None:
        """Set the deadline, counted from now."""
        self.deadline = monotonic() + seconds

    def leave_out(self, what: Untried) -> None:
        if what not in self.not_tried:
            self.not_tried.append(what)

    @property
    def left(self) -> float:
        return self.deadline - monotonic()

    @property
    def limits(self) -> Limits:
        seconds = None if math.isinf(self.left) else max(round(self.left, 1), SHORTEST)
        return Limits(
            seconds=seconds,
            steps=STEPS,
            report_bytes=REPORT_BYTES,
            in_view=self.in_view,
            resident_bytes=self._resident_bytes,
        )

    async def evidence(self, mode: Mode, detail: Detail, limits: Limits | None = None) -> Evidence:
        """Run it BARE or CLONED, in the time that is left or within other limits."""
        self.runs += 1
        found = await evidence(
            self._worker,
            self.program,
            mode,
            limits or self.limits,
            detail=detail,
            on_events=self._report_output,
        )
        # Only the first run reports its output: the others would seem to differ from it.
        return msgspec.structs.replace(found, printed="")

    async def record(
        self, *, most: float | None = None, follow: Step | None = None
    ) -> Timeline | None:
        """Record it, in `most` seconds if there are more; return None if there was no time for it.

        With `follow`, look into what this step's line calls.
        """
        left = self.left
        if left <= 0:
            self.leave_out(Untried.RECORDING)
            return None
        self.runs += 1
        limits = self.limits
        if most is not None:
            limits = msgspec.structs.replace(limits, seconds=min(most, left))
        detail = Detail()
        if follow is not None:
            detail = Detail(line=follow.line, visit=follow.visit)
        timeline = await record(self._worker, self.program, limits, detail=detail)
        if most is None and isinstance(timeline.outcome, TimedOut):
            self.leave_out(Untried.RECORDING)
        return timeline

    async def in_time(self, work: Awaitable[T], what: Untried) -> T | None:
        """Wait for runs until the deadline; return None if that was too short for this."""
        try:
            return await asyncio.wait_for(work, timeout=max(self.left, 0))
        except asyncio.TimeoutError:
            self.leave_out(what)
            return None

    def _report_output(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case Printed(text=text):
                    self._on_text(text)
                case Warned(category=category, message=message, line=line):
                    self.warned.append(event)
                    where = self.program.filename
                    if line is not None and self.program.path_of(line) == where:
                        where += f":{line_name(self.program.source, line)}"
                    elif line is not None:
                        where = line_name(self.program.source, line)
                    self._on_text(f"{where}: {category}: {message}\n")
                case Muted(kept_bytes=kept):
                    self._on_text(f"\n[… {kept:,} bytes …]\n")
                case Mutation() | Rebound():
                    continue
