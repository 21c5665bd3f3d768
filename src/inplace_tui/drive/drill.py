"""Programs of the drill, run before they are shown: no truth, no question."""

from __future__ import annotations

import asyncio

from inplace_tui.drive.runs import evidence, record, verify
from inplace_tui.engine.drill.ending import Ending, ending_of
from inplace_tui.engine.drill.grammar import Drill, make
from inplace_tui.engine.drill.learning import Wanted
from inplace_tui.engine.drill.round import Settled
from inplace_tui.model.outcome import Completed, Raised, Truth, Unverified
from inplace_tui.model.program import Limits, Mode
from inplace_tui.runner.worker import Worker

MOST_DROPPED = 20
"""Programs in a row whose truth could not be told; after that it is the machine's fault."""


class DrillError(Exception):
    """No program could be settled here."""


class Supply:
    """Makes programs up and runs them, ahead of the learner."""

    def __init__(self, worker: Worker, limits: Limits | None = None) -> None:
        self._worker = worker
        self._limits = limits or Limits()
        self._under_way: dict[Wanted, asyncio.Task[Settled]] = {}

    def prepare(self, *wanted: Wanted) -> None:
        """Have these ready soon, and nothing else."""
        for old in self._under_way.keys() - set(wanted):
            self._under_way.pop(old).cancel()
        for each in wanted:
            if each not in self._under_way:
                task = asyncio.create_task(self._settle(each))
                task.add_done_callback(_looked_at)
                self._under_way[each] = task

    async def get(self, wanted: Wanted) -> Settled:
        """Return a program that came out in one of the four ways.

        Raises:
            DrillError: none did.
        """
        self.prepare(wanted)
        try:
            return await self._under_way[wanted]
        finally:
            self._under_way.pop(wanted, None)

    async def close(self) -> None:
        """Stop what is under way."""
        tasks = list(self._under_way.values())
        self._under_way.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _settle(self, wanted: Wanted) -> Settled:
        for seed in range(wanted.seed, wanted.seed + MOST_DROPPED):
            drill = await asyncio.to_thread(make, seed, wanted.level)
            settled = await settle(self._worker, drill, self._limits)
            if settled is not None:
                again = wanted.repeat and seed == wanted.seed
                return Settled(drill, settled.timeline, settled.truth, repeat=again)
        raise DrillError


def _looked_at(task: asyncio.Task[Settled]) -> None:
    """Take a failure for seen: whoever wants this program will hear of it."""
    if not task.cancelled():
        task.exception()


async def settle(worker: Worker, drill: Drill, limits: Limits) -> Settled | None:
    """Return a program with its truth; None where the runs do not agree on one."""
    timeline = await record(worker, drill.program, limits)
    if isinstance(timeline.outcome, Raised) and timeline.outcome.exception != "RuntimeError":
        return None  # a slip of the grammar is nothing to predict
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed):
        truth = await verify(worker, drill.program, limits)
    found = ending_of(timeline.outcome, truth)
    if found in (None, Ending.RIGHT, Ending.WRONG):
        return None if found is None else Settled(drill, timeline, truth)
    bare = await evidence(worker, drill.program, Mode.BARE, limits)
    return Settled(drill, timeline, truth) if bare.outcome == timeline.outcome else None
