"""What a program writes, at the line that wrote it, in recorded runs."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.outcome import Completed, Crashed
from inplace_tui.common.run.program import Limits, Mode
from inplace_tui.common.run.step import Muted, Printed, Warned
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import Told, tell

pytestmark = pytest.mark.asyncio(loop_scope="session")


def written(told: Told) -> list[tuple[int, str, str]]:
    """Return line, stream and text of everything that was printed."""
    return [
        (step.line, event.stream, event.text)
        for step in told.steps
        for event in step.events
        if isinstance(event, Printed)
    ]


async def test_text_belongs_to_the_line_that_wrote_it(worker: Worker) -> None:
    source = """\
import sys, os
print("a", "b")
sys.stdout.write("no newline"); print("x", file=sys.stderr)
os.write(1, b"past")
sys.stdout.buffer.write("é".encode()[:1])
sys.stdout.buffer.write("é".encode()[1:])
"""
    told = await tell(worker, source, Mode.RECORD)

    assert told.outcome == Completed()
    assert written(told) == [
        (2, "stdout", "a b\n"),
        (3, "stdout", "no newline"),
        (3, "stderr", "x\n"),
        (4, "raw", "past"),
        (6, "stdout", "é"),
    ]


async def test_what_children_of_the_program_write_is_raw_text(worker: Worker) -> None:
    source = """\
import os, subprocess
subprocess.run(["echo", "hello"])
pid = os.fork()
if pid == 0:
    print("copy", flush=True)
    os._exit(0)
os.waitpid(pid, 0)
"""
    told = await tell(worker, source, Mode.RECORD)

    assert told.outcome == Completed()
    assert "".join(text for _, stream, text in written(told) if stream == "raw") == "hello\ncopy\n"


async def test_warnings_are_events_with_their_line(worker: Worker) -> None:
    source = """\
import warnings, torch
def f():
    warnings.warn("mine", DeprecationWarning)
f()
x = torch.ones(2, requires_grad=True) * 2
x.grad
with warnings.catch_warnings(record=True) as caught:
    warnings.warn("kept")
"""
    told = await tell(worker, source, Mode.RECORD)

    warned = [event for event in told.events if isinstance(event, Warned)]
    assert told.outcome == Completed()
    assert [(event.category, event.line) for event in warned] == [
        ("DeprecationWarning", 3),
        ("UserWarning", 6),
    ]
    assert warned[0].message == "mine"


async def test_output_beyond_the_limit_is_said_once_to_be_dropped(worker: Worker) -> None:
    source = "import os\nfor _ in range(50):\n    print('x' * 99)\n    os.write(1, b'y' * 100)\n"

    told = await tell(worker, source, Mode.RECORD, Limits(seconds=20, output_bytes=1_000))

    assert sum(len(text) for _, _, text in written(told)) == 1_000
    assert [event for event in told.events if isinstance(event, Muted)] == [Muted(kept_bytes=1_000)]


@pytest.mark.whole
async def test_a_long_line_of_output_is_one_event(worker: Worker) -> None:
    source = "for i in range(5): print(i, end=' ')\nprint(*range(20_000))\n"

    told = await tell(worker, source, Mode.RECORD)

    assert written(told)[-1] == (2, "stdout", " ".join(map(str, range(20_000))) + "\n")


async def test_a_crash_keeps_the_lines_before_it_and_its_place(worker: Worker) -> None:
    source = "import os\nprint('before')\nx = 1\nos._exit(3)\n"

    told = await tell(worker, source, Mode.RECORD)

    assert [step.line for step in told.steps] == [1, 2, 3]
    assert written(told) == [(2, "stdout", "before\n")]
    assert told.outcome == Crashed(exit_code=3, line=4)


async def test_text_with_half_a_surrogate_reaches_the_screen(worker: Worker) -> None:
    source = "import warnings\nwarnings.warn('caf\\udce9')\nd = {'\\udce9': 1}\nraise ValueError(d)"

    told = await tell(worker, source, Mode.RECORD)

    assert [e.message for e in told.events if isinstance(e, Warned)] == ["caf\\udce9"]
    assert told.steps[-1].raised is not None


async def test_threads_may_write_while_lines_are_told(worker: Worker) -> None:
    source = """\
import threading
def talk():
    for _ in range(300): print("x")
threads = [threading.Thread(target=talk) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    told = await tell(worker, source, Mode.RECORD)

    assert told.outcome == Completed()
    assert "".join(text for _, _, text in written(told)).count("x") == 1_200


async def test_a_flood_past_both_is_dropped_where_it_is_read(worker: Worker) -> None:
    """By the runner, while the line that writes it goes on; it counts for itself."""
    source = "import os\nfor _ in range(1): [os.write(1, b'x' * 100_000) for _ in range(30)]"

    told = await tell(worker, source, Mode.RECORD, Limits(seconds=20, output_bytes=100_000))

    assert told.outcome == Completed()
    assert any(isinstance(event, Muted) for event in told.events)
    assert sum(len(text) for _, _, text in written(told)) <= 2 * 100_000
