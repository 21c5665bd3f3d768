"""The replay that runs beside the first run: on a second core it takes no time of its own.

It sees the files through a view, changes none, and has a network of its own: the first run never
meets it. It may meet what the first run writes meanwhile, and then it is no replay of what was
left behind. So it counts only if it wrote nothing itself, which is to say that neither did.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import msgspec

from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.blame.truth import Evidence, ended_alike
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.runner.memory import beside
from inplace_tui.diagnosis.runner.worker import Worker

HEAD_START = 0.04
"""Seconds that the first run has to itself: one that fails has often done so by then."""

RESIDENT = 320 * 2**20
"""Bytes that a program is taken to hold while nobody knows; with torch alone it is 200 MB."""

DEVICES = tuple(map(Path, ("/dev/nvidiactl", "/dev/kfd", "/dev/accel", "/dev/dxg")))
"""What a GPU has: its memory would be taken from the first run's."""


class ReplayBeside:
    """A replay with clones, under way until it is asked for or stopped."""

    def __init__(
        self, worker: Worker, program: Program, limits: Limits, detail: Detail, seconds: float
    ) -> None:
        """Begin it; it ends if it is not asked for within so many seconds."""
        limits = beside(msgspec.structs.replace(limits, in_view=True), RESIDENT)
        self._task = asyncio.create_task(self._run(worker, program, limits, detail))
        self._timer = asyncio.get_running_loop().call_later(seconds, self._task.cancel)

    async def _run(
        self, worker: Worker, program: Program, limits: Limits, detail: Detail
    ) -> Evidence:
        await asyncio.sleep(HEAD_START)
        return await evidence(worker, program, Mode.CLONED, limits, detail)

    async def found(self, first: Evidence) -> Evidence | None:
        """Wait for it; return what it delivered, if a replay after the first run would, too."""
        self._timer.cancel()
        await asyncio.wait((self._task,))
        if self._task.cancelled():
            return None
        found = self._task.result()
        counts = not found.wrote_files and ended_alike(first.outcome, found.outcome)
        return found if counts else None

    def stop(self) -> None:
        self._timer.cancel()
        self._task.cancel()


def has_room() -> bool:
    """Whether a second run would leave the first one its processor and its devices."""
    asked = getattr(os, "sched_getaffinity", None)
    processors = os.cpu_count() or 1 if asked is None else len(asked(0))
    return processors > 1 and not any(each.exists() for each in DEVICES)
