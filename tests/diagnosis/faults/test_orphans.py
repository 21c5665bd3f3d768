"""What is left when a session ends in the middle of a run, and nothing else would end it."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest

from conftest import UNKEPT
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.common.run.step import Printed
from inplace_tui.diagnosis.protocol.messages import LineRecorded
from inplace_tui.diagnosis.runner.process import WorkerProcess
from inplace_tui.diagnosis.runner.worker import Worker
from support.patience import PATIENCE
from support.processes import none_left, saying

pytestmark = pytest.mark.asyncio(loop_scope="session")

DAEMONS = """
import os, subprocess, time
def daemons(more):
    if os.fork() == 0:
        os.setsid()
        if more: daemons(more - 1)
        os.execvp("sleep", ["sleep", "{marker}"])
daemons(5)
time.sleep(0.2)
print("all there", flush=True)
while True: time.sleep(1000)
"""


@pytest.mark.whole
async def test_quitting_while_a_program_runs_leaves_none_of_its_daemons() -> None:
    """Each is the worker's to end once the one before it has died: not all at once."""
    marker = f"1000.{secrets.randbelow(10**9)}"
    worker = Worker(begun=WorkerProcess(UNKEPT))
    await worker.start()
    program = Program(source=DAEMONS.format(marker=marker), origin=Origin.OWN)
    async with aclosing(worker.run(program, Mode.RECORD, Limits(seconds=60))) as reports:
        async for report in reports:
            if isinstance(report, LineRecorded):
                events = report.step.events
                if any(isinstance(each, Printed) for each in events):
                    break
        assert saying(marker)
        await worker.close()

    await none_left(partial(saying, marker))


SCREEN = """
import sys, time
from inplace_tui.diagnosis.runner.process import WorkerProcess
worker = WorkerProcess()
worker.control.recv(4)
print(worker.pid, flush=True)
time.sleep(1000)
"""


async def test_a_worker_that_was_stopped_does_not_outlive_its_screen() -> None:
    """A signal that could be handled waits behind the stop."""
    with subprocess.Popen([sys.executable, "-c", SCREEN], stdout=subprocess.PIPE) as screen:  # noqa: ASYNC220
        assert screen.stdout is not None
        worker = int(await asyncio.to_thread(screen.stdout.readline))
        os.kill(worker, signal.SIGSTOP)
        await asyncio.sleep(0.1)
        screen.kill()

    await none_left(lambda: {worker} if _runs(worker) else set())


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


TICKING = """
import time
while True:
    with open({file!r}, "a") as file: file.write("x")
    time.sleep(0.02)
"""
BEHIND = """
import asyncio, sys
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.runner.process import WorkerProcess
from inplace_tui.diagnosis.runner.worker import Worker
from conftest import UNKEPT
async def main():
    worker = Worker(begun=WorkerProcess(UNKEPT) if sys.argv[1] == "unkept" else None)
    await worker.start()
    await worker.ready()
    print(worker.pid, flush=True)
    program = Program(source=sys.argv[2], origin=Origin.OWN)
    async for _ in worker.run(program, Mode.BARE, Limits(seconds=1000)): pass
asyncio.run(main())
"""


@pytest.mark.usefixtures("warm_torch")
@pytest.mark.parametrize("kind", ["kept", "unkept"])
@pytest.mark.whole
async def test_a_run_dies_with_a_worker_that_nobody_can_outlive(tmp_path: Path, kind: str) -> None:
    """Worker and screen are killed at once: neither can tell anybody."""
    file = tmp_path / "ticks"
    command = [sys.executable, "-c", BEHIND, kind, TICKING.format(file=str(file))]
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(  # noqa: ASYNC220
        command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    ) as screen:
        assert screen.stdout is not None
        worker = int(await asyncio.to_thread(screen.stdout.readline))
        async with asyncio.timeout(PATIENCE):
            while not file.exists():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        screen.send_signal(signal.SIGSTOP)
        os.kill(worker, signal.SIGKILL)
        screen.kill()

    async def grows() -> bool:
        size = file.stat().st_size
        await asyncio.sleep(0.5)
        return file.stat().st_size > size

    async with asyncio.timeout(PATIENCE):
        while await grows():
            continue


GROUP = """
import os, time
if os.fork() == 0:
    time.sleep(1000)
os.execvp("sh", ["sh", "-c", "sleep {marker} & exit 0"])
"""


@pytest.mark.whole
async def test_what_is_left_in_the_group_ends_where_children_are_not_listed() -> None:
    """As elsewhere than on Linux, where none can be looked for by their parent."""
    marker = f"1000.{secrets.randbelow(10**9)}"
    command = UNKEPT[-1].replace(
        "sys.exit",
        "from inplace_tui.diagnosis.record.process import linux; linux.children = set; sys.exit",
    )
    blind = (*UNKEPT[:-1], command)
    worker = Worker(begun=WorkerProcess(blind))
    await worker.start()
    program = Program(source=GROUP.format(marker=marker), origin=Origin.OWN)
    async with aclosing(worker.run(program, Mode.BARE, Limits(seconds=60))) as reports:
        async for _ in reports:
            continue

    await none_left(partial(saying, marker))
    await worker.close()
