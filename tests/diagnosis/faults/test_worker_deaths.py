"""The worker is killed after every message, and in the middle of messages."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
import pytest_asyncio

from inplace_tui.common.run.outcome import Completed, Crashed, Outcome, Raised, TimedOut
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.protocol.messages import (
    Answer,
    ChildStarted,
    Frames,
    ProgramEnded,
    ProgramStarted,
    StartRun,
    encode,
)
from inplace_tui.diagnosis.runner.worker import Worker
from support.patience import PATIENCE
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
    with (folder / "said").open("wb") as said:
        spring = subprocess.Popen(
            [sys.executable, HERE / "spring.py", folder / "spring"], stderr=said
        )
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
@pytest.mark.whole(every=42)
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
@pytest.mark.whole(every=24)
async def test_every_run_ends_once_whatever_the_worker_did_not_say(
    worker: Worker, folder: Path, frames: int, beyond: int
) -> None:
    told = await outlived(worker, folder, f"answers {frames} {beyond}")

    assert is_death_s(told.outcome) or is_lesson_s(told.outcome)


async def test_a_worker_that_was_stopped_goes_on(worker: Worker, folder: Path) -> None:
    """By a program without a namespace, or by anybody: no run waits for it for ever."""
    (folder / "plan").unlink(missing_ok=True)
    await worker.start()
    program = Program(source="while True: pass", origin=Origin.OWN)

    async with (
        asyncio.timeout(PATIENCE),
        aclosing(worker.run(program, Mode.BARE, Limits(seconds=0.3))) as reports,
    ):
        assert isinstance(await anext(reports), ProgramStarted)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
        late = [report async for report in reports]
    os.kill(worker.pid, signal.SIGSTOP)
    async with asyncio.timeout(PATIENCE):
        after = await tell(worker, "x = 1")

    assert late == [ProgramEnded(outcome=TimedOut(seconds=0.3))]
    assert after.outcome == Completed()


COMMAND = encode(
    StartRun(
        run=1, program=Program(source="x = 1", origin=Origin.OWN), mode=Mode.RECORD, limits=Limits()
    )
)
NONSENSE: dict[str, tuple[bytes, int]] = {
    "a length without end": (b"\xff" * 8, 2),
    "nothing": (bytes(4), 2),
    "noise": (b"\0\0\0\4" + b"\xc1" * 4, 2),
    "another message": (encode(ProgramStarted()), 2),
    "text that is not UTF-8": (COMMAND.replace(b"x = 1", b"x = \xff"), 2),
    "no descriptors": (COMMAND, 0),
    "one descriptor": (COMMAND, 1),
}


@pytest.mark.usefixtures("worker")  # it waits for the spring
@pytest.mark.parametrize(("sent", "descriptors"), NONSENSE.values(), ids=NONSENSE)
@pytest.mark.whole(every=4)
async def test_a_worker_that_is_told_nonsense_leaves_with_a_sentence(
    folder: Path, sent: bytes, descriptors: int
) -> None:
    """After half a command nobody knows where the next one begins."""
    said = (folder / "said").stat().st_size
    control, theirs = socket.socketpair()
    control.settimeout(20)
    with control, theirs, socket.socket(socket.AF_UNIX) as spring:
        spring.connect(str(folder / "spring"))
        socket.send_fds(spring, [b"w"], [theirs.fileno()])
        theirs.close()
        pipe = os.pipe()
        socket.send_fds(control, [COMMAND[:4]], pipe)  # one that makes sense: it is obeyed
        control.sendall(COMMAND[4:])
        socket.send_fds(control, [sent[:4]], pipe[:descriptors])
        control.sendall(sent[4:])
        for end in pipe:
            os.close(end)
        answers: Frames[Answer] = Frames(Answer)
        told = []
        with suppress(ConnectionResetError):  # it left with something unread
            while data := control.recv(65_536):
                told += answers.feed(data)

    assert any(isinstance(answer, ChildStarted) for answer in told)
    assert (folder / "said").read_bytes()[said:].startswith(b"a command that is none: ")
    assert (folder / "said").read_bytes().count(b"Traceback") == 0
