"""The runner against a worker and children that may go at any moment."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from inplace_tui.common.run.outcome import Cancelled, Completed, Crashed, Raised, Stopped, TimedOut
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.common.run.step import Printed
from inplace_tui.diagnosis.protocol.messages import (
    Closed,
    LineRecorded,
    Loading,
    ProgramEnded,
    ProgramStarted,
    Ready,
    Refused,
    Starting,
    State,
)
from inplace_tui.diagnosis.runner.forked import ProcessGroup, RawText, ReportPipe
from inplace_tui.diagnosis.runner.process import WorkerProcess
from inplace_tui.diagnosis.runner.run import Run
from inplace_tui.diagnosis.runner.worker import Worker
from support.patience import PATIENCE
from support.processes import descendants, none_left, saying
from support.running import AGAIN, LIMITS, tell

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOREVER = "import time\nwhile True: time.sleep(1000)"


class Mortal(Worker):
    """A worker of a test's own, with its history."""

    def __init__(self) -> None:
        self.history: list[State] = []
        super().__init__()
        self.on_state = self.history.append  # as the screens do, which are made later

    def murder(self) -> None:
        """Kill the worker's process."""
        assert self.pid is not None
        os.kill(self.pid, signal.SIGKILL)


@pytest_asyncio.fixture(loop_scope="session")
async def mortal() -> AsyncIterator[Mortal]:
    worker = Mortal()
    await worker.start()
    yield worker
    await worker.close()


async def gone(pid: int | None) -> None:
    """Return when the process is dead, buried or not."""
    assert pid is not None
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    loop, dead = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, dead.set)
    try:
        await asyncio.wait_for(dead.wait(), PATIENCE)
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


@pytest.mark.whole
async def test_the_worker_says_what_it_loads_and_leaves_optimizers_for_a_quiet_moment(
    mortal: Mortal,
) -> None:
    told = await tell(mortal, "import torch")
    ready = await mortal.ready()
    before = mortal.history[:]
    while mortal.state == ready:
        await mortal.changed()

    assert told.outcome == Completed()
    assert isinstance(ready, Ready)
    assert ready.torch.startswith("2.13")
    assert before == [Starting(), Loading(what="torch"), ready]
    assert mortal.state == Loading(what="optimizers")


@pytest.mark.whole
async def test_a_program_with_an_optimizer_does_not_have_to_load_it(mortal: Mortal) -> None:
    loaded = "import sys\nassert 'torch._dynamo' in sys.modules  # what torch.optim imports"

    told = await tell(mortal, loaded)

    assert told.outcome == Completed()


@pytest.mark.whole
async def test_killing_the_worker_ends_its_runs_and_starts_another(mortal: Mortal) -> None:
    runs = [asyncio.create_task(tell(mortal, FOREVER)) for _ in range(2)]
    await mortal.ready()

    mortal.murder()
    told = [await run for run in runs]
    after = await tell(mortal, "import torch")

    assert [t.outcome for t in told] == [Crashed(exit_code=-9, worker_died=True)] * 2
    assert after.outcome == Completed()
    assert Starting(after_death=-signal.SIGKILL) in mortal.history


async def test_killing_the_worker_while_it_loads_ends_the_runs_that_wait(mortal: Mortal) -> None:
    run = asyncio.create_task(tell(mortal, "x = 1"))
    while not isinstance(mortal.state, Loading):
        await mortal.changed()

    mortal.murder()

    assert (await run).outcome == Crashed(exit_code=-9, worker_died=True)


@pytest.mark.whole
async def test_nothing_outlives_the_worker(mortal: Mortal) -> None:
    async with aclosing(
        mortal.run(Program(source=FOREVER, origin=Origin.OWN), Mode.BARE, LIMITS)
    ) as reports:
        assert isinstance(await anext(reports), ProgramStarted)
        (child,) = mortal._under_way.values()
        pid, worker = child.pid, mortal.pid

        await mortal.close()

        assert await anext(reports) == ProgramEnded(outcome=Cancelled())
    await gone(pid)
    await gone(worker)
    assert isinstance(mortal.state, Closed)


async def test_a_closed_worker_runs_nothing(mortal: Mortal) -> None:
    await mortal.close()

    assert (await tell(mortal, "x = 1")).outcome == Cancelled()


@pytest.mark.whole
async def test_a_run_that_is_asked_for_before_the_start_waits_for_it() -> None:
    worker = Mortal()
    run = asyncio.create_task(tell(worker, "x = 1"))
    await asyncio.sleep(0)
    try:
        await worker.start()

        assert (await run).outcome == Completed()
    finally:
        await worker.close()


async def test_torch_that_is_missing_is_said_to_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('No module named torch')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    worker = Mortal()
    await worker.start()

    waiting = await tell(worker, "x = 1")
    state = await worker.ready()
    later = await tell(worker, "x = 1")
    await worker.close()

    assert state == Refused(reason="ImportError: No module named torch")
    assert waiting.outcome == later.outcome
    assert later.outcome == Crashed(
        exit_code=1, last_words="ImportError: No module named torch", worker_died=True
    )


@pytest.mark.whole
async def test_a_torch_that_kills_its_importer_is_not_tried_forever(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text("import os; os.write(2, b'bad libc'); os.abort()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    worker = Mortal()
    await worker.start()

    state = await worker.ready()
    await worker.close()

    assert state == Refused(reason="bad libc")


async def test_a_worker_leaves_at_once_while_torch_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its program was killed: no line of Python runs, which could hear of it, for a long time."""
    (tmp_path / "torch.py").write_text("sum(range(10**14))")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    process = WorkerProcess()
    assert process.stderr is not None
    with process.control as control, process.stderr:
        control.recv(1)  # it is about to import torch
        process.terminate()
        try:
            await asyncio.wait_for(process.ended(), PATIENCE)
        finally:
            process.kill()

    assert process.returncode == -signal.SIGTERM


@pytest.mark.whole
async def test_closing_the_iterator_kills_the_run(mortal: Mortal) -> None:
    await mortal.ready()
    assert mortal.pid is not None
    seen = set()
    async with aclosing(
        mortal.run(Program(source=FOREVER, origin=Origin.OWN), Mode.RECORD, LIMITS)
    ) as reports:
        async for report in reports:
            if isinstance(report, LineRecorded):
                seen = descendants(mortal.pid)
                break

    assert seen
    await none_left(partial(descendants, mortal.pid))


@pytest.mark.whole
async def test_a_run_that_nobody_waits_for_is_never_started(mortal: Mortal) -> None:
    run = asyncio.create_task(tell(mortal, FOREVER))
    await asyncio.sleep(0)

    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    assert (await tell(mortal, "x = 1")).outcome == Completed()


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("leave", ["", "import os; os._exit(1)", "while True: pass"])
@pytest.mark.whole(every=6)
async def test_what_a_program_starts_ends_with_it(
    worker: Worker, unkept: Worker, leave: str, *, apart: bool
) -> None:
    """With a namespace of processes, and where there is none."""
    marker = f"1000.{secrets.randbelow(10**9)}"
    source = f"""
import os, subprocess, time
for new in (False, True): subprocess.Popen(["sleep", "{marker}"], start_new_session=new)
subprocess.run("setsid sleep {marker} &", shell=True)
def daemons(more):
    if os.fork() == 0:
        os.setsid()
        if more: daemons(more - 1)
        while True: time.sleep(1000)
daemons(3)
print("all there", flush=True)
{leave}
"""
    worker = worker if apart else unkept

    for seconds in AGAIN:
        told = await tell(worker, source, Mode.RECORD, limits=Limits(seconds=seconds))
        if printed := any(isinstance(event, Printed) for event in told.events):
            break

    assert printed
    await none_left(partial(saying, marker))
    assert worker.pid is not None
    await none_left(partial(descendants, worker.pid))


async def test_a_fork_bomb_ends_at_its_limit_and_leaves_nothing(worker: Worker) -> None:
    source = "import os\nwhile True:\n    os.fork()"
    assert worker.pid is not None

    told = await tell(worker, source, limits=Limits(seconds=20, processes=40))

    assert told.outcome == Stopped(limit="processes", value=40)
    await none_left(partial(descendants, worker.pid))


async def test_a_program_sees_its_own_processes_only(worker: Worker) -> None:
    """Whoever kills all that can be killed finds nobody."""
    ready = await worker.ready()
    if not isinstance(ready, Ready) or ready.no_namespace is not None:
        pytest.skip("no namespaces here")
    source = """
import os, signal
if os.getppid() == 1:
    os.kill(-1, signal.SIGKILL)
"""

    outcome = (await tell(worker, source)).outcome

    assert isinstance(outcome, Raised)
    assert outcome.exception == "ProcessLookupError"


@pytest.mark.whole
async def test_runs_under_way_at_once_do_not_mix(worker: Worker) -> None:
    sources = [f"import os\nos._exit({code})" for code in range(1, 20)]

    told = await asyncio.gather(*(tell(worker, source) for source in sources))

    assert [t.outcome for t in told] == [Crashed(exit_code=code) for code in range(1, 20)]


@pytest.mark.parametrize(
    ("noise", "words"), [(b"\xff" * 8, "claims"), (b"\0\0\0\1\xc1", ""), (b"\0\0\1\0short", "")]
)
async def test_noise_in_the_reports_ends_the_run_as_a_crash(
    worker: Worker, noise: bytes, words: str
) -> None:
    source = f"""
import os, resource, time
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
for number in range(limit, limit + 16):
    try:
        if "pipe" in os.readlink(f"/proc/self/fd/{{number}}"): os.write(number, {noise!r})
    except OSError: pass
os._exit(5)
"""
    told = await tell(worker, source)

    assert isinstance(told.outcome, Crashed)
    assert words in told.outcome.last_words


@pytest.mark.whole
async def test_a_fast_program_waits_for_its_reader_and_the_loop_lives_on(worker: Worker) -> None:
    """20,000 steps are not queued, and no other task starves."""
    source = "for i in range(10_000):\n    i = i\n"
    turns = 0

    async def live() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.005)
            turns += 1

    living = asyncio.create_task(live())
    told = await tell(worker, source, Mode.RECORD)
    living.cancel()

    assert told.outcome == Completed()
    assert len(told.steps) == 20_000 + 1
    assert turns > 10


@pytest.mark.whole
async def test_the_screen_s_own_death_takes_everything_along(tmp_path: Path) -> None:
    """SIGKILL leaves no time to clean up: the kernel does it."""
    script = """
import asyncio
from contextlib import aclosing
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.runner.worker import Worker
async def main():
    worker = Worker()
    await worker.start()
    source = "import os, time; print(os.write(1, b'')); time.sleep(1000)"
    program = Program(source=source, origin=Origin.OWN)
    async for _ in worker.run(program, Mode.BARE, Limits(seconds=1000)):
        (run,) = worker._under_way.values()
        print(worker.pid, run.pid, flush=True)
asyncio.run(main())
"""
    screen = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=subprocess.PIPE, env={**os.environ}
    )
    assert screen.stdout is not None
    pids = list(map(int, (await screen.stdout.readline()).split()))

    screen.kill()
    await screen.wait()

    assert len(pids) == 2
    for pid in pids:
        await gone(pid)


@pytest.mark.whole
async def test_a_deadline_counts_from_the_program_s_start(mortal: Mortal) -> None:
    """Importing torch is not the learner's time."""
    told = await tell(mortal, "while True: pass", limits=Limits(seconds=0.1))

    assert told.outcome == TimedOut(seconds=0.1)


async def test_who_was_stopped_hears_of_the_end_before_it_kills(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The number of a run that ended meanwhile may be somebody else's by now."""
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "killpg", lambda *who: killed.append(who))
    reports, raw, (heard, said) = os.pipe(), os.pipe(), socket.socketpair()
    raw_text = RawText(raw[0], LIMITS.output_bytes)
    run = Run(1, LIMITS, ReportPipe(reports[0], rests=False), raw_text)
    heard.setblocking(False)

    async def listen() -> None:
        await asyncio.get_running_loop().sock_recv(heard, 1)
        run.child_ended(-signal.SIGKILL, crowded=False)

    with heard, said, os.fdopen(reports[1]), os.fdopen(raw[1]):
        listening = asyncio.create_task(listen())
        await asyncio.sleep(0)
        run.child_started(ProcessGroup(os.getpid()))
        run._set_deadline(0)
        said.send(b"x")
        await listening
    ends = [report async for report in run.reports()]

    assert killed == []
    assert LIMITS.seconds is not None
    assert ends == [ProgramEnded(outcome=TimedOut(seconds=LIMITS.seconds))]
