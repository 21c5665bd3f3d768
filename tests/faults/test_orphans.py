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
from inplace_tui.model.event import Printed
from inplace_tui.model.program import Limits, Mode, Origin, Program
from inplace_tui.protocol.messages import LineRecorded
from inplace_tui.runner.process import WorkerProcess
from inplace_tui.runner.worker import Worker
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
from inplace_tui.runner.process import WorkerProcess
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
