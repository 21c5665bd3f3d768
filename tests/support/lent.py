"""A real worker lent to a program under test, which may neither start nor close it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncGenerator
from contextlib import aclosing

from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol.messages import Report, StartRun, encode
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from support.stand_in import StandIn

TOLD: defaultdict[bytes, dict[int, list[Report]]] = defaultdict(dict)
"""What was told of a run, by what was asked for and how often its borrower had asked before."""


class Lent(StandIn):
    """Stands in but for the runs, which are real."""

    def __init__(self, real: Worker) -> None:
        super().__init__()
        self._real = real

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[Report, None]:
        """Have it run."""
        async with aclosing(self._real.run(program, mode, limits, detail)) as reports:
            async for report in reports:
                yield report


class Remembered(Lent):
    """Makes each run once in a process of tests; where it is told again, it took no time.

    The first of one borrower is what another's first was. The second of one is another
    run, since a program may differ from run to run.
    """

    def __init__(self, real: Worker) -> None:
        super().__init__(real)
        self._asked: Counter[bytes] = Counter()

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[Report, None]:
        """Have it run, or tell what was told of it."""
        wish = StartRun(run=0, program=program, mode=mode, limits=limits, detail=detail)
        asked = encode(wish)
        time = self._asked[asked]
        self._asked[asked] += 1
        if time in TOLD[asked]:
            for report in TOLD[asked][time]:
                yield report
            return
        told = []
        async with aclosing(super().run(program, mode, limits, detail)) as reports:
            async for report in reports:
                told.append(report)
                yield report
        TOLD[asked][time] = told
