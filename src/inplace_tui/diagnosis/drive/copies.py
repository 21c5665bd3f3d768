"""Runs that begin just before the fault: copies of a program that stopped there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

import msgspec

from inplace_tui.common.run.outcome import Crashed
from inplace_tui.common.run.program import Detail, Limits, Mode, Program, Stop
from inplace_tui.diagnosis.fixes.stopping import line_after_edit, line_in_edited
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker

if TYPE_CHECKING:
    from inplace_tui.diagnosis.runner.stopped import StoppedRun

LARGE = 128 * 2**20
"""Bytes that a stopped program holds, beside what the warm worker has, of which there is one."""


class FaultCopies:
    """Runs a program and edits of it, as `Worker.run` does, each from just before the fault.

    An edit that a copy can't go on with is run from the start up to there, and copied in turn. Of
    all copies there is one at a time: each holds what it writes.
    """

    def __init__(self, worker: Worker, program: Program, stop: Stop, seconds: float) -> None:
        """Run a program that takes so many seconds."""
        self.seconds = seconds
        self.worker = worker
        self._program = msgspec.structs.replace(program, draws_alike=True)
        self._stop = stop
        self._stopped: dict[str, StoppedRun] = {}
        """By the text of the program: the original, and the edit that was run up to there last."""

        self._turn = asyncio.Lock()
        self.from_start: set[str] = set()
        """The edits that no copy of the original can go on with."""

        self.runs = 0
        """How often the program, or an edit of it, was run up to there."""

    async def close(self) -> None:
        while self._stopped:
            await self._stopped.popitem()[1].close()

    def can_go_on(self, source: str) -> bool:
        """Whether a copy of the original can go on as this edited program."""
        return self._line_in(source) is not None

    def _line_in(self, source: str) -> int | None:
        """Return where the loop is in an edit that a copy of the original can go on with."""
        if source in self.from_start:
            return None
        return line_in_edited(self._program.source, source, self._stop.line)

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[messages.Report, None]:
        """Run a program from before the fault on, and yield its reports."""
        original, source = self._program.source, program.source
        async with self._turn:
            line = self._line_in(source)
            if line is not None:
                # Whether it could is known in the end.
                copied = self._copy(program, mode, limits, detail, of=original, line=line)
                async with aclosing(copied) as copy:
                    reports = [report async for report in copy]
                if source == original or not _is_refused(reports[-1]):
                    for report in reports:
                        yield report
                    return
            self.from_start.add(source)
            line = line_after_edit(original, source, self._stop.line)
            copied = self._copy(program, mode, limits, detail, of=source, line=line)
            async with aclosing(copied) as copy:
                async for report in copy:
                    yield report

    async def _copy(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail,
        *,
        of: str,
        line: int | None,
    ) -> AsyncGenerator[messages.Report, None]:
        """Go on as a program from where the one with this text stopped, before the loop there."""
        run, stop = self._stopped.get(of), self._stop
        if run is not None and run.has_ended:
            run = None
        if line is not None:
            stop = msgspec.structs.replace(stop, line=line)
            run = run or await self._run_up(of, stop, limits)
        if run is None or line is None:
            yield messages.ProgramEnded(outcome=Crashed(exit_code=messages.NOT_COPIED))
            return
        wanted = msgspec.structs.replace(detail, stop=stop, timed=False)
        async with aclosing(run.run(program, mode, limits, wanted)) as reports:
            async for report in reports:
                yield report

    async def _run_up(self, source: str, stop: Stop, limits: Limits) -> StoppedRun | None:
        """Run a program up to the fault, where there is room for one more that has stopped."""
        while len(self._stopped) > 1 or any(e.resident > LARGE for e in self._stopped.values()):
            await self._stopped.popitem()[1].close()
        self.runs += 1
        from inplace_tui.diagnosis.runner.stopped import StoppedRun  # noqa: PLC0415  # of Linux alone

        run = StoppedRun(self.worker)
        program = msgspec.structs.replace(self._program, source=source)
        # An edit that a copy goes on as has its loop on another line than the original.
        stop = self._stop if source == self._program.source else stop
        if await run.start(program, limits, Detail(stop=stop)) is not None:
            await run.close()
            return None
        self._stopped[source] = run
        return run


def _is_refused(report: messages.Report) -> bool:
    """Whether no copy could go on as the program that was asked for."""
    if not isinstance(report, messages.ProgramEnded):
        return False
    return isinstance(report.outcome, Crashed) and report.outcome.exit_code == messages.NOT_COPIED
