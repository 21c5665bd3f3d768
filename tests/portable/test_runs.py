"""Runs in processes that were spawned for them: how they end, and what is left of them."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from functools import partial
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from inplace_tui.common.run.outcome import Cancelled, Completed, Crashed, Raised, Stopped, TimedOut
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.common.run.step import Muted, Printed
from inplace_tui.diagnosis.protocol.leftover import TOKEN
from inplace_tui.diagnosis.protocol.messages import (
    Frames,
    LineRecorded,
    Loading,
    ProgramEnded,
    Ready,
    Refused,
)
from inplace_tui.diagnosis.runner.process import SpawnedProcess
from inplace_tui.diagnosis.runner.worker import Worker
from support.patience import PATIENCE
from support.processes import none_left, saying
from support.running import LIMITS, tell

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def portable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Have workers be as on any system; return the folder in which they keep their files."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        for module in ("process", "worker"):
            patch.setattr(f"inplace_tui.diagnosis.runner.{module}.PORTABLE", True)
        patch.setattr(tempfile, "tempdir", str(folder))
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def spawning(portable: Path) -> AsyncIterator[Worker]:
    """A worker that is shared; with it all that it kept on disk is gone."""
    worker = Worker()
    await worker.start()
    yield worker
    await worker.close()
    assert os.listdir(portable) == []


async def test_a_program_is_recorded_line_by_line(spawning: Worker) -> None:
    source = """
import os, sys
print("printed")
os.write(1, b"written past it\\n")
print(sys.stdin.read())
"""

    told = await tell(spawning, source, Mode.RECORD, stdin=b"given")

    assert told.outcome == Completed()
    texts = {
        step.line: "".join(each.text for each in step.events if isinstance(each, Printed))
        for step in told.steps
    }
    assert texts == {2: "", 3: "printed\n", 4: "written past it\n", 5: "given\n"}


async def test_what_takes_too_long_ends_with_all_that_it_started(spawning: Worker) -> None:
    marker = f"1000.{secrets.randbelow(10**9)}"
    source = f"""
import subprocess, sys
for new in (False, True): subprocess.Popen(["sleep", "{marker}"], start_new_session=new)
subprocess.Popen([sys.executable, "-c", "import subprocess; subprocess.run(['sleep', '{marker}'])"])
print("begun", end="")
while True: pass
"""

    told = await tell(spawning, source, Mode.RECORD, Limits(seconds=1.5))

    assert told.outcome == TimedOut(seconds=1.5, line=6)
    assert Printed(text="begun", stream="stdout") in told.events
    await none_left(partial(saying, marker))


@pytest.mark.whole
@pytest.mark.parametrize("ends", ["", "raise ValueError", "import os; os._exit(1)"])
async def test_what_a_program_leaves_running_ends_with_it(spawning: Worker, ends: str) -> None:
    marker = f"1000.{secrets.randbelow(10**9)}"
    source = f"""
import subprocess, time
subprocess.Popen(["sleep", "{marker}"], start_new_session=True)
time.sleep(0.6)  # seen by then, also where nothing is said before the end
{ends}
"""

    await tell(spawning, source)

    await none_left(partial(saying, marker))


@pytest.mark.whole
async def test_what_holds_too_much_is_ended(spawning: Worker) -> None:
    source = "kept = []\nimport time\nwhile True: kept.append(b'x' * 2**24); time.sleep(0.01)"
    most = 700 * 2**20

    own = await tell(spawning, source, limits=Limits(resident_bytes=most))
    lesson = await tell(spawning, source, limits=Limits(memory_bytes=most), origin=Origin.BUILT_IN)

    assert own.outcome == lesson.outcome == Stopped(limit="memory", value=most)


@pytest.mark.whole
async def test_a_crowd_is_ended(spawning: Worker) -> None:
    marker = f"1000.{secrets.randbelow(10**9)}"
    source = f"""
import subprocess, time
for _ in range(40): subprocess.Popen(["sleep", "{marker}"])
time.sleep(1000)
"""

    told = await tell(spawning, source, limits=Limits(seconds=60, processes=20))

    assert told.outcome == Stopped(limit="processes", value=20)
    await none_left(partial(saying, marker))


@pytest.mark.whole
async def test_a_flood_is_bounded_and_what_came_before_is_kept(spawning: Worker) -> None:
    source = """
import os, subprocess
print("first")
while True: os.write(1, bytes(2**16))
"""

    told = await tell(spawning, source, Mode.RECORD, Limits(seconds=3, output_bytes=10_000))

    assert isinstance(told.outcome, TimedOut)
    assert Printed(text="first\n", stream="stdout") in told.events
    assert sum(len(each.text) for each in told.events if isinstance(each, Printed)) <= 10_000
    assert Muted(kept_bytes=10_000) in told.events


@pytest.mark.whole
async def test_a_crash_has_its_code_its_line_and_its_last_words(spawning: Worker) -> None:
    source = "import os\nos.write(2, b'farewell')\nos.abort()\n"

    told = await tell(spawning, source, Mode.RECORD)

    assert isinstance(told.outcome, Crashed)
    assert told.outcome.exit_code == -signal.SIGABRT
    assert told.outcome.line == 3
    assert [step.line for step in told.steps] == [1, 2]
    assert "farewell" in "".join(e.text for e in told.events if isinstance(e, Printed))


@pytest.mark.whole
async def test_a_lesson_writes_into_a_folder_that_goes_with_it(
    spawning: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    told = await tell(spawning, "open('left', 'w').close()", origin=Origin.BUILT_IN)

    assert told.outcome == Completed()
    assert os.listdir(tmp_path) == []


@pytest.mark.whole
async def test_a_cancelled_run_is_gone(spawning: Worker) -> None:
    program = Program(source="import time\nwhile True: time.sleep(0.1)", origin=Origin.OWN)

    async with aclosing(spawning.run(program, Mode.RECORD, LIMITS)) as reports:
        async for report in reports:
            if isinstance(report, LineRecorded):
                (run,) = spawning._under_way.values()
                pid = run.pid
                break

    assert pid is not None
    async with asyncio.timeout(PATIENCE):
        while psutil.pid_exists(pid):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.whole
async def test_a_warm_process_that_dies_is_replaced(spawning: Worker) -> None:
    assert isinstance(await spawning.ready(), Ready)
    async with asyncio.timeout(PATIENCE):
        while spawning.pid is None:
            await spawning.changed()
    pid = spawning.pid
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(PATIENCE):
        while spawning.pid == pid:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    told = await asyncio.gather(*(tell(spawning, "x = 1") for _ in range(3)))

    assert [each.outcome for each in told] == [Completed()] * 3
    assert not psutil.pid_exists(pid)


@pytest.mark.whole
async def test_nothing_outlives_the_worker(portable: Path) -> None:
    others = set(psutil.Process().children(recursive=True))
    worker = Worker()
    await worker.start()
    program = Program(source="import time\ntime.sleep(1000)", origin=Origin.OWN)
    async with aclosing(worker.run(program, Mode.BARE, LIMITS)) as reports:
        await anext(reports)
        started = set(psutil.Process().children(recursive=True)) - others

        await worker.close()

        assert await anext(reports) == ProgramEnded(outcome=Cancelled())
    assert (await tell(worker, "x = 1")).outcome == Cancelled()
    assert started
    assert [each for each in started if each.is_running()] == []


@pytest.mark.whole
async def test_a_process_ends_with_whoever_started_it(portable: Path) -> None:
    """Who is killed closes nothing in order, and removes nothing."""
    process = SpawnedProcess()
    with process.listener:
        connection, _ = await asyncio.to_thread(process.listener.accept)
    frames: Frames[Loading | Ready] = Frames(Loading | Ready)
    await asyncio.to_thread(connection.recv, TOKEN)
    while not any(
        isinstance(each, Ready)
        for each in frames.feed(await asyncio.to_thread(connection.recv, 4_096))
    ):
        continue
    connection.close()

    await asyncio.to_thread(process.wait, PATIENCE)

    assert process.folder.name not in os.listdir(portable)


@pytest.mark.whole
async def test_a_stranger_who_calls_is_not_heard(portable: Path) -> None:
    process = SpawnedProcess()
    with socket.create_connection(process.listener.getsockname()) as stranger:
        stranger.sendall(bytes(32))
        worker = Worker(begun=process)
        await worker.start()
        try:
            told = await tell(worker, "1 / 0")
        finally:
            await worker.close()

        assert stranger.recv(1) == b""
    assert isinstance(told.outcome, Raised)


@pytest.mark.whole
async def test_one_that_can_never_serve_is_tried_no_more(
    portable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no torch for you')"]
    monkeypatch.setattr("inplace_tui.diagnosis.runner.interpreter.command", lambda _: command)
    worker = Worker()
    await worker.start()
    try:
        state = await worker.ready()
        told = await tell(worker, "x = 1")
    finally:
        await worker.close()

    assert state == Refused(reason="no torch for you")
    assert told.outcome == Crashed(exit_code=1, last_words="no torch for you", worker_died=True)
