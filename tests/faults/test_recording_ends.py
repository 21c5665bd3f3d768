"""What is known of a line that never finishes, and of a run whose recording was switched off."""

from __future__ import annotations

import json
import sys

import msgspec
import pytest

from inplace_tui.common.command.settings import Leads
from inplace_tui.common.run.outcome import (
    Completed,
    Crashed,
    Outcome,
    Right,
    Stopped,
    TimedOut,
    Unverified,
    Wrong,
)
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.drive.explain import Options, Progress, explain
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.explain import report as page
from inplace_tui.diagnosis.explain.explanation import explanation
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.report import text
from inplace_tui.tutorial.report.documents import timeline_document
from support.running import tell

pytestmark = pytest.mark.asyncio(loop_scope="session")

HANGS = "all(True for _ in iter(int, 1))"


def own(source: str) -> Program:
    return Program(source=source, origin=Origin.OWN)


def told_in(language: str, program: Program, timeline: Timeline) -> str:
    lines = text.lines(program, timeline, Unverified(), language=language, width=200)
    return "\n".join(lines)


def document(program: Program, timeline: Timeline) -> dict[str, object]:
    encoded = msgspec.json.encode(timeline_document(program, timeline, Unverified()))
    decoded: dict[str, object] = json.loads(encoded)
    return decoded


WAYS: dict[str, tuple[str, type[Outcome]]] = {
    "print": (f"print('half', end='') or print('way') or {HANGS}", TimedOut),
    "stderr": (f"print('half\\nway', file=sys.stderr) or {HANGS}", TimedOut),
    "descriptor": (f"os.write(1, b'half way') and {HANGS}", TimedOut),
    "exit": ("print('half', 'way') or os._exit(3)", Crashed),
    "killed": ("print('half', 'way') or os.kill(os.getpid(), 9)", Crashed),
    "bomb": ("print('half way') or [os.fork() or time.sleep(9) for _ in range(300)]", Stopped),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.whole(every=6)
async def test_what_a_line_wrote_that_did_not_finish_is_shown(worker: Worker, way: str) -> None:
    line, ending = WAYS[way]
    program = own(f"import os, sys, time\nprint('before')\n{line}\n")
    timeline = await record(worker, program, Limits(seconds=1, processes=8))

    assert isinstance(timeline.outcome, ending)
    shown = told_in("en", program, timeline)
    assert shown.index("before") < shown.index("That line had written: half")
    assert "way" in shown.partition("had written: ")[2]
    assert "这一行已经输出：half" in told_in("zh", program, timeline)


@pytest.mark.whole
async def test_what_a_line_wrote_that_finished_is_said_once(worker: Worker) -> None:
    program = own(f"print('before')\n{HANGS}")
    timeline = await record(worker, program, Limits(seconds=1))

    assert isinstance(timeline.outcome, TimedOut)
    assert timeline.outcome.written == ""


@pytest.mark.whole
async def test_of_a_line_that_writes_without_end_the_beginning_is_kept(worker: Worker) -> None:
    program = own("all(print('x' * 999) is None for _ in iter(int, 1))")
    timeline = await record(worker, program, Limits(seconds=1))

    assert isinstance(timeline.outcome, TimedOut)
    assert 60_000 < len(timeline.outcome.written) <= 65_537
    assert timeline.outcome.written.endswith("…")


async def test_explain_shows_what_was_written_without_an_end_of_line(worker: Worker) -> None:
    heard: list[Progress] = []
    program = own(f"print('half', end='')\n{HANGS}")
    await explain(worker, program, Options(seconds=0.5, once=True), heard.append)

    assert "".join(each for each in heard if isinstance(each, str)) == "half"


RAISES = """
import random, signal, torch
class Late(Exception): pass
def handler(*_): raise Late
signal.signal(signal.SIGALRM, handler)
x, late = torch.ones(3, requires_grad=True), 0
for seed in range({first}, {first} + 200):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.Random(seed).uniform(1e-5, 2e-3))
        y = (x * 2).exp()
        y.add_(1)
        z = y.sum() * 2
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        late += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
"""


@pytest.mark.whole
async def test_a_signal_handler_that_raises_ends_the_recording_and_it_is_said(
    worker: Worker,
) -> None:
    """At a random moment of the recorder's; the program goes on as it would."""
    off = 0
    for first in range(0, 2000, 200):
        program = own(RAISES.format(first=first))
        timeline = await record(worker, program, Limits(seconds=20))

        assert timeline.outcome == Completed()
        assert document(program, timeline)["off_at"] == timeline.off_at
        if timeline.off_at is None:
            assert len(timeline) > 1000
            continue
        off += 1
        assert f"switched off at line {timeline.off_at}" in told_in("en", program, timeline)
        assert f"在第 {timeline.off_at} 行被关闭" in told_in("zh", program, timeline)

    assert off > 5


async def test_a_program_that_takes_the_trace_function_is_said_to_end_the_recording(
    worker: Worker,
) -> None:
    program = own("import sys\na = 1\nsys.settrace(None)\nb = 2\nprint(b)\n")
    timeline = await record(worker, program, Limits())

    assert (timeline.outcome, timeline.off_at) == (Completed(), 3)


async def test_explain_says_that_recording_was_switched_off(worker: Worker) -> None:
    source = """
import sys, torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
sys.settrace(None)
y.add_(1)
y.sum().backward()
"""
    options = Options(budget=20)
    case = await explain(worker, own(source), options)
    rows = page.rows(case, file="a.py", leads=Leads(), language="en", room=200)

    assert any("switched off at line 5" in row.text for row in rows)
    assert explanation(case, file="a.py", lesson=None).off_at == 5


MIDDLE = """
import torch
x = torch.ones({count}, requires_grad=True)
y = x.exp()
{write}
y.sum().backward()
"""
HIDDEN = {
    ".data": "y.data[{at}] = 100.",
    "numpy": "a = y.detach().numpy(); a[{at}] = 100.",
    "sampled": "y.data[{at} - 1] = 100.",
    "all": "y.data.mul_(2)",
    "last": "y.data[-1] = 100.",
}


@pytest.mark.parametrize("write", HIDDEN)
@pytest.mark.whole
async def test_a_hidden_write_in_the_middle_of_a_large_storage_is_no_right_gradient(
    worker: Worker, write: str
) -> None:
    """One element of a million; who wrote it is not seen, and said not to be."""
    source = MIDDLE.format(count=10**6, write=HIDDEN[write].format(at=500_001))
    case = await explain(worker, own(source), Options(budget=20))
    rows = page.rows(case, file="a.py", leads=Leads(), language="en", room=400)
    shown = "\n".join(row.text for row in rows)

    assert isinstance(case.truth, Wrong)
    (difference,) = case.truth.differences
    if write == "sampled":
        assert difference.got == "[500000] 100.0"
        assert difference.true.startswith("[500000] 2.718")
    elif write == "all":
        assert difference.got.startswith("[0] 5.436")
    if write in {"last", "all"}:
        assert [each.line for each in case.blame.writes] == [5]  # type: ignore[union-attr]
    else:
        assert write == "sampled" or difference.got.startswith("[500000:515625] #")
        assert difference.got != difference.true
        assert "inplace-tui did not see the write that did this." in shown
    told = explanation(case, file="a.py", lesson=None)
    assert told.write_unseen == (write not in {"last", "all"})
    assert isinstance(await verify(worker, own(source), Limits()), Wrong)


async def test_a_large_gradient_that_is_right_is_said_to_be(worker: Worker) -> None:
    source = MIDDLE.format(count=10**6, write="z = y * 2")

    assert isinstance(await verify(worker, own(source), Limits()), Right)


async def test_all_of_a_usual_run_is_recorded(worker: Worker) -> None:
    told = await tell(worker, f"a = {sys.maxsize}\nb = a\n", Mode.RECORD)

    (end,) = told.ended
    assert (end.off_at, end.faults) == (None, ())
