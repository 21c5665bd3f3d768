"""Runs that begin just before the fault: copies of a program that stopped there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from inplace_tui.common.run.outcome import Crashed
from inplace_tui.common.run.program import Detail, Limits, Mode, Program, Stop
from inplace_tui.diagnosis.fixes.stopping import line_after_edit, line_in_edited
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.runner.stopped import StoppedRun
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker


class FaultCopies:
    """Runs a program and edits of it, as `Worker.run` does, each from just before the fault.

    An edit that a copy can't go on with is run from the start up to there, and copied in turn.
    """

    def __init__(self, worker: Worker, program: Program, stop: Stop, seconds: float) -> None:
        """Run a program that takes so many seconds."""
        self.seconds = seconds
        self.worker = worker
        self._program = msgspec.structs.replace(program, draws_alike=True)
        self._stop = stop
        self._template = StoppedRun(worker)
        self._other: tuple[str, StoppedRun, Stop] | None = None
        """The edited program that was run from the start last."""

        self._turn = asyncio.Lock()
        self.from_start: set[str] = set()
        """The programs that were."""

        self.runs = 0
        """How often the program, or an edit of it, was run up to there."""

    async def start(self, limits: Limits) -> bool:
        """Run the program up to the fault; return whether it can be copied there."""
        return await self._run_up(self._template, self._program, self._stop, limits) is None

    async def close(self) -> None:
        await self._template.close()
        if self._other is not None:
            await self._other[1].close()

    def can_go_on(self, source: str) -> bool:
        """Whether a copy can go on as this edited program."""
        return source not in self.from_start and self._line(source) is not None

    def _line(self, source: str) -> int | None:
        return line_in_edited(self._program.source, source, self._stop.line)

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[messages.Report, None]:
        """Run a program from before the fault on, and yield its reports."""
        source = program.source
        line = self._line(source) if source not in self.from_start else None
        if line is not None:
            stop = msgspec.structs.replace(self._stop, line=line)
            wanted = msgspec.structs.replace(detail, stop=stop, timed=False)
            async with aclosing(self._template.run(program, mode, limits, wanted)) as reports:
                copied = [report async for report in reports]
            if source == self._program.source or not _is_refused(copied[-1]):
                for report in copied:
                    yield report
                return
        async with self._turn:
            found = await self._from_start(program, limits)
        if found is None:
            yield messages.ProgramEnded(outcome=Crashed(exit_code=messages.NOT_COPIED))
            return
        template, stop = found
        wanted = msgspec.structs.replace(detail, stop=stop, timed=False)
        async with aclosing(template.run(program, mode, limits, wanted)) as reports:
            async for report in reports:
                yield report

    async def _from_start(self, program: Program, limits: Limits) -> tuple[StoppedRun, Stop] | None:
        """Run an edited program up to where its original stopped."""
        source = program.source
        if self._other is not None and self._other[0] == source:
            return self._other[1:]
        self.from_start.add(source)
        if self._other is not None:
            await self._other[1].close()
            self._other = None
        line = line_after_edit(self._program.source, source, self._stop.line)
        if line is None:
            return None
        stop = msgspec.structs.replace(self._stop, line=line)
        template = StoppedRun(self.worker)
        program = msgspec.structs.replace(self._program, source=source)
        if await self._run_up(template, program, stop, limits) is not None:
            await template.close()
            return None
        self._other = source, template, stop
        return template, stop

    async def _run_up(
        self, template: StoppedRun, program: Program, stop: Stop, limits: Limits
    ) -> str | None:
        self.runs += 1
        return await template.start(program, limits, Detail(stop=stop))


def _is_refused(report: messages.Report) -> bool:
    """Whether no copy could go on as the program that was asked for."""
    if not isinstance(report, messages.ProgramEnded):
        return False
    return isinstance(report.outcome, Crashed) and report.outcome.exit_code == messages.NOT_COPIED
