"""A real worker lent to a program under test, which may neither start nor close it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from inplace_tui.model.program import Attention, Limits, Mode, Program
from inplace_tui.protocol.messages import Report
from inplace_tui.runner.worker import Worker
from support.stand_in import StandIn


class Lent(StandIn):
    """Stands in but for the runs, which are real."""

    def __init__(self, real: Worker) -> None:
        super().__init__()
        self._real = real

    async def attend(
        self, program: Program, mode: Mode, limits: Limits, attention: Attention
    ) -> AsyncGenerator[Report, None]:
        """Have it run."""
        async with aclosing(self._real.attend(program, mode, limits, attention)) as reports:
            async for report in reports:
                yield report
