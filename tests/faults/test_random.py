"""Programs that do their worst leave no process, no file, a worker and a screen that answer.

A sample by default; `RANDOM_PROGRAMS=10000`, as `make random` has it, says how many.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest

from faults import nasty
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.common.run.step import Printed
from inplace_tui.diagnosis.protocol.messages import Report
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.opening import Opening
from support.lent import Lent
from support.processes import descendants, marked, none_left
from support.running import Told, tell
from support.screens import opened
from support.whole import WHOLE

SAMPLE = 50 if WHOLE else 20
MANY = int(os.environ.get("RANDOM_PROGRAMS", SAMPLE))
FIRST = int(os.environ.get("RANDOM_FIRST", "0"))
"""The number of the first program: a long run can be taken up again."""

SEED = os.environ.get("RANDOM_SEED", "1")
TOGETHER = 20
"""Programs after which it is looked what is left of them."""

TORCHS = "torchinductor_"
"""How the folder is called that `import torch._dynamo` makes for its cache: one for each user."""

LIMITS = Limits(
    seconds=0.5, memory_bytes=2**30, resident_bytes=2**30, processes=100, output_bytes=100_000
)

SHOWN = 25
"""Of so many programs one is also run through the screens."""


class Hurried(Lent):
    """Gives no run more than `LIMITS`."""

    async def run(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,  # noqa: ARG002  (a screen would give it ten seconds)
        detail: Detail = PLAIN,
    ) -> AsyncGenerator[Report, None]:
        """Have it run."""
        async with aclosing(super().run(program, mode, LIMITS, detail)) as reports:
            async for report in reports:
                yield report


@pytest.mark.whole
async def test_random_programs_leave_nothing_and_a_worker_that_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = f"faults-{secrets.token_hex(8)}"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("INPLACE_TUI_MARKER", marker)
    monkeypatch.setenv("TMPDIR", str(scratch))
    worker = Worker()
    await worker.start()
    waiting = asyncio.Semaphore(4)

    async def ended(number: int) -> Told:
        async with waiting:
            told = await tell(worker, nasty.program(SEED, number).source, Mode.RECORD, LIMITS)
        assert len(told.ends) == 1, number
        return told

    try:
        await worker.ready()
        pid = worker.pid
        assert pid is not None
        for first in range(FIRST, FIRST + MANY, TOGETHER):
            batch = range(first, min(first + TOGETHER, FIRST + MANY))
            await asyncio.gather(*map(ended, batch))
            after = await tell(worker, "print(1 + 1)", Mode.RECORD)

            at = f"RANDOM_SEED={SEED} RANDOM_FIRST={first} RANDOM_PROGRAMS={len(batch)}"
            said = [event.text for event in after.events if isinstance(event, Printed)]
            assert said == ["2\n"], at
            assert worker.pid == pid, f"the worker died: {at}"
            try:
                await none_left(partial(descendants, pid))
            except TimeoutError:
                pytest.fail(f"processes are left: {at}")
            left = [each.name for each in scratch.iterdir() if not each.name.startswith(TORCHS)]
            assert left == [], at
            assert marked(marker) == {pid}, at
    finally:
        await worker.close()
    await none_left(partial(marked, marker))


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.whole(every=1)
async def test_the_screen_answers_after_every_random_program(
    worker: Worker, tmp_path: Path
) -> None:
    """The sandbox, in each of its panels; then help, which is in front of all of them."""
    await worker.ready()
    sandbox = Opening(screen="sandbox")
    async with opened(sandbox, tmp_path, size=(120, 40), worker=Hurried(worker)) as stage:
        for number in range(FIRST, FIRST + MANY, SHOWN):
            at = f"RANDOM_SEED={SEED} RANDOM_FIRST={number} RANDOM_PROGRAMS=1"
            stage.sandbox.editor.replace_all(nasty.program(SEED, number).source)
            await stage.press("ctrl+r")
            await stage.until(lambda: not stage.sandbox.view.running)
            assert stage.sandbox.view.outcome is not None, at
            await stage.press(*"123456", "question_mark")
            assert isinstance(stage.app.screen, HelpDialog), at
            await stage.press("escape", "i")
            assert stage.sandbox.editor.has_focus, at
