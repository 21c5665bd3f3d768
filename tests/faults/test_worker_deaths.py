"""The worker is killed after every message, and in the middle of messages."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from inplace_tui.model.outcome import Completed, Crashed, Outcome, Raised
from inplace_tui.model.program import Mode
from inplace_tui.runner.worker import Worker
from support.running import Told, tell

pytestmark = pytest.mark.asyncio(loop_scope="module")

HERE = Path(__file__).parent
LESSON = """\
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
"""
STEPS = 5
REPORTS = STEPS + 2
"""Started, the steps, ended."""

ANSWERS = 4
"""Loading, ready, child started, child ended."""

IN_THE_MIDDLE = (1, 3, 4, 5, 20)
"""Bytes of the next message: of its length, all of that, one and some of its body."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A spring of workers, and an interpreter whose workers come from there."""
    folder = tmp_path_factory.mktemp("deadly")
    spring = subprocess.Popen([sys.executable, HERE / "spring.py", folder / "spring"])
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S {HERE}/deadly.py {folder} "$@"\n')
    python.chmod(0o755)
    yield folder
    spring.kill()
    spring.wait()


@pytest_asyncio.fixture(loop_scope="module")
async def worker(folder: Path) -> AsyncIterator[Worker]:
    while not (folder / "spring").exists():  # noqa: ASYNC110  # it imports torch
        await asyncio.sleep(0.05)
    worker = Worker(python=folder / "python")
    yield worker
    await worker.close()


def is_lesson_s(outcome: Outcome) -> bool:
    """Whether the lesson itself ended so."""
    return isinstance(outcome, Raised) and "modified by an inplace operation" in outcome.message


def is_death_s(outcome: Outcome) -> bool:
    """Whether it ended because the worker was killed."""
    return isinstance(outcome, Crashed) and outcome.worker_died and outcome.exit_code == -9


async def outlived(worker: Worker, folder: Path, plan: str) -> Told:
    """Have the worker killed as planned, and return what was told; the next one serves."""
    (folder / "plan").write_text(plan)
    await worker.start()

    told = await tell(worker, LESSON, Mode.RECORD)
    after = await tell(worker, "x = 1", Mode.RECORD)
    if is_death_s(after.outcome):  # it was asked for when the end of the first was all that was due
        after = await tell(worker, "x = 1", Mode.RECORD)

    assert not (folder / "plan").exists()
    assert len(told.ends) == 1
    assert [step.index for step in told.steps] == list(range(len(told.steps)))
    assert after.outcome == Completed()
    return told


@pytest.mark.parametrize("beyond", [0, *IN_THE_MIDDLE])
@pytest.mark.parametrize("frames", range(REPORTS))
async def test_steps_that_arrived_stay_wherever_the_worker_dies(
    worker: Worker, folder: Path, frames: int, beyond: int
) -> None:
    told = await outlived(worker, folder, f"reports {frames} {beyond}")

    assert is_death_s(told.outcome)
    assert len(told.started) == min(frames, 1)
    assert len(told.steps) == max(0, frames - 1)


async def test_a_run_that_has_told_its_end_has_ended_so(worker: Worker, folder: Path) -> None:
    told = await outlived(worker, folder, f"reports {REPORTS} 0")

    assert is_lesson_s(told.outcome)
    assert len(told.steps) == STEPS


@pytest.mark.parametrize("beyond", [0, *IN_THE_MIDDLE])
@pytest.mark.parametrize("frames", range(ANSWERS))
async def test_every_run_ends_once_whatever_the_worker_did_not_say(
    worker: Worker, folder: Path, frames: int, beyond: int
) -> None:
    told = await outlived(worker, folder, f"answers {frames} {beyond}")

    assert is_death_s(told.outcome) or is_lesson_s(told.outcome)
