"""A child that writes into the pipe of the reports itself: whatever comes, the run ends once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from functools import partial

import msgspec
import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_tui.common.run.outcome import Completed, Crashed, Outcome, Stopped
from inplace_tui.common.run.program import Backward, Gradient, Limits, Mode
from inplace_tui.common.run.step import Step
from inplace_tui.diagnosis.protocol.messages import (
    BackwardRan,
    ChildStarted,
    LineRecorded,
    Paused,
    ProgramEnded,
    ProgramStarted,
    Reply,
    Report,
    TensorFound,
    encode,
)
from inplace_tui.diagnosis.runner.forked import RawText, ReportPipe
from inplace_tui.diagnosis.runner.run import Run
from inplace_tui.diagnosis.runner.worker import Worker
from support.patience import PATIENCE
from support.processes import descendants, none_left
from support.running import tell
from support.whole import fuzz_examples

session = pytest.mark.asyncio(loop_scope="session")

MAX_BYTES = 20_000
"""Bytes that such a run may report; a pipe takes more without a reader."""

LENGTHS = (0, 1, 3, 200, 2**16, 2**26, 2**26 + 1, 2**31 - 1, 2**31, 2**32 - 1)
NUMBERS = st.sampled_from((-(2**63), -1, 0, 1, 2, 3, 2**63 - 1, 2**64 - 1))
TRUE = st.integers(0, 3)


def recorded(index: int, began: int, line: int) -> LineRecorded:
    """Return a step."""
    return LineRecorded(step=Step(index=index, line=line, end_line=line, began=began))


GRADIENT = Gradient(tensor="x", dtype="float32", shape=(2**62,), data=b"1")
MESSAGES: st.SearchStrategy[msgspec.Struct] = st.one_of(
    st.builds(recorded, TRUE, st.just(0), TRUE),
    st.builds(recorded, NUMBERS, NUMBERS, NUMBERS),
    st.builds(ProgramStarted, line=NUMBERS),
    st.builds(ProgramEnded, outcome=st.just(Completed())),
    st.just(BackwardRan(backward=Backward(line=-1, gradients=(GRADIENT,) * 3))),
    st.builds(Paused, step=NUMBERS),
    st.builds(TensorFound, number=NUMBERS, shape=st.tuples(NUMBERS), itemsize=NUMBERS),
    st.builds(ChildStarted, run=NUMBERS, pid=NUMBERS),  # an answer, and no report
)
FRAMES = MESSAGES.map(encode)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return a frame of which a part is missing, changed or put in twice."""
    frame = draw(FRAMES)
    place = draw(st.integers(0, len(frame)))
    noise = draw(st.binary(max_size=6))
    return frame[:place] + noise + frame[draw(st.integers(0, len(frame))) :]


PIECES = st.one_of(
    FRAMES,
    damaged(),
    st.builds(lambda n, rest: n.to_bytes(4, "big") + rest, st.sampled_from(LENGTHS), st.binary()),
    st.just(b"".join(encode(recorded(index, 0, 1)) for index in range(50))),
)
END = st.sampled_from(("dies", "dies twice", "worker dies", "never began"))


async def hear(sent: bytes, end: str, *, asked: bool) -> tuple[list[Report], list[Reply]]:
    """Return what a run makes of what its child wrote, and of how that ended."""
    reports, raw = os.pipe(), os.pipe()
    replies: list[Reply] = []
    on_reply = replies.append if asked else None
    limits = Limits(report_bytes=MAX_BYTES)
    pipe, text = ReportPipe(reports[0], rests=False), RawText(raw[0], limits.output_bytes)
    run = Run(1, limits, pipe, text, on_reply=on_reply)
    os.write(reports[1], sent)
    os.close(reports[1])
    os.close(raw[1])
    if end == "worker dies":
        run.worker_gone(Crashed(exit_code=-9, worker_died=True))
    else:
        for _ in range(2 if end == "dies twice" else 1):
            run.child_ended(3, crowded=False)
    async with asyncio.timeout(PATIENCE):
        return [report async for report in run.reports()], replies


@settings(deadline=None, max_examples=fuzz_examples(100))
@given(pieces=st.lists(PIECES, max_size=12), end=END, asked=st.booleans())
def test_whatever_a_child_writes_ends_its_run_once(
    pieces: list[bytes], end: str, *, asked: bool
) -> None:
    """Half frames, lengths without end, numbers out of range, the wrong order, after the end."""
    sent = b"".join(pieces)[:60_000]

    told, replies = asyncio.run(hear(sent, end, asked=asked))

    steps = [report.step.index for report in told if isinstance(report, LineRecorded)]
    assert [isinstance(report, ProgramEnded) for report in told] == [False] * (len(told) - 1) + [
        True
    ]
    assert steps == list(range(len(steps)))
    assert asked or not replies
    assert sum(len(encode(report)) for report in told[:-1]) <= MAX_BYTES
    outcome = told[-1].outcome if isinstance(told[-1], ProgramEnded) else None
    assert isinstance(outcome, Completed | Crashed | Stopped)


# The same by a program, in a real child.

FINDING = """
import fcntl, os, resource, torch
resource.setrlimit(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)[1:] * 2)
ends = {each: f"/proc/self/fd/{each}" for each in map(int, os.listdir("/proc/self/fd"))}
ends = {each: os.readlink(name) for each, name in ends.items() if os.path.exists(name)}
both = [each for each, name in ends.items() if each > 2 and name.startswith("pipe")]
mine, = [each for each in both if fcntl.fcntl(each, fcntl.F_GETFL) & os.O_WRONLY]
x = torch.ones(2)
"""
FORGED = repr(encode(recorded(0, 0, 1)))
DONE = repr(encode(ProgramEnded(outcome=Completed())))
DEEDS: dict[str, tuple[str, type[Outcome]]] = {
    "noise": ("os.write(mine, b'\\xff' * 64)\nwhile True: pass", Crashed),
    "a length without end": (r"os.write(mine, b'\4\0\0\1')", Crashed),
    "a length that waits": ("os.write(mine, bytes([3, 0, 0, 0]))\nos._exit(4)", Crashed),
    "forged steps": (f"os.write(mine, {FORGED})", Crashed),
    "its end, and more": (f"os.write(mine, {DONE}), sum(range(10**14))", Completed),
    "closed": ("for each in both: os.close(each)", Crashed),
    "something else in its place": ("os.dup2(os.open(os.devnull, os.O_RDWR), mine)", Crashed),
    "what it prints in its place": ("os.dup2(1, mine)", Crashed),
    "its place for what it prints": ("os.dup2(mine, 1)\nos.system('echo')", Crashed),
    "smaller": ("fcntl.fcntl(mine, 1031, 4096)\nfor i in range(100): x = x + 1", Completed),
    "read by itself": (
        # Whoever reads first: the rest of a frame that is not all there comes from the next one.
        f"os.write(mine, {FORGED}[:20])\nhere = os.open(f'/proc/self/fd/{{mine}}', os.O_NONBLOCK)\n"
        "try: os.read(here, 7)\nexcept BlockingIOError: pass",
        Crashed,
    ),
    "what its keeper says of it": (
        "import contextlib\nif os.getppid() == 1:\n  for each in os.listdir('/proc/1/fd'):\n"
        "    with contextlib.suppress(OSError):\n"
        "      os.write(os.open(f'/proc/1/fd/{each}', os.O_WRONLY), b'\\x7f\\0\\0\\0\\0')",
        Completed,
    ),
    "written by a copy that stays": (
        "import ctypes\nif ctypes.CDLL(None).fork() == 0:\n"
        "    while True: os.write(mine, b'\\xff' * 999)\nos._exit(4)",
        Crashed,
    ),
}


@pytest_asyncio.fixture(loop_scope="session")
async def survivor(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Worker]:
    """The worker, which is the same afterwards, alone, and answers as it did before."""
    monkeypatch.setattr("inplace_tui.diagnosis.runner.forked.ProcessGroup.linger", 0.1)
    await worker.ready()
    pid = worker.pid
    assert pid is not None
    yield worker
    assert worker.pid == pid
    await none_left(partial(descendants, pid))
    assert (await tell(worker, "x = 1", Mode.RECORD)).outcome == Completed()


@session
@pytest.mark.parametrize(("deed", "ending"), DEEDS.values(), ids=DEEDS)
@pytest.mark.whole
async def test_a_program_that_takes_the_pipe_harms_its_own_run_only(
    survivor: Worker, deed: str, ending: type[Outcome]
) -> None:
    told = await tell(survivor, FINDING + deed, Mode.RECORD)

    assert isinstance(told.outcome, ending), told.outcome
    assert [step.index for step in told.steps] == list(range(len(told.steps)))
