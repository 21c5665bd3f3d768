"""How runs end: every way that a program has, in real processes."""

from __future__ import annotations

import asyncio
import signal

import pytest

from inplace_tui.common.run.outcome import Completed, Crashed, Raised, TimedOut
from inplace_tui.common.run.program import Limits, Mode, Origin
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import tell

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    "source",
    [
        "",
        "import torch\ntorch.ones(2, requires_grad=True).sum().backward()",
        "import sys; sys.exit()",
        "raise SystemExit(0)",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
        "import atexit, time\natexit.register(time.sleep, 1000)",
        "import sys\nsys.settrace(None)\nsys.stdout.close()\nsys.stderr.close()\nsys.stdout = None",
        "import os\nfor n in range(3, 1024):\n  try: os.close(n)\n  except OSError: pass",
        "import os\nos.closerange(0, os.sysconf('SC_OPEN_MAX'))",
        "import signal\nfor n in (signal.SIGTERM, signal.SIGINT): signal.signal(n, signal.SIG_IGN)",
        "import gc\ngc.disable(); gc.collect()",
        "import sys\nsys.modules.clear()",
        "import builtins\nfor name in ('print', 'open', 'exit'): delattr(builtins, name)",
        "import multiprocessing as m\nm.Pool(2).map(abs, [1, -1])",
    ],
)
@pytest.mark.whole(every=4)
async def test_a_program_that_runs_to_its_end_is_completed(worker: Worker, source: str) -> None:
    told = await tell(worker, source)

    assert told.outcome == Completed()


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("import os; os._exit(3)", 3),
        ("import os; os._exit(0)", 0),
        ("import ctypes; ctypes.string_at(0)", -signal.SIGSEGV),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import os; os.abort()", -signal.SIGABRT),
    ],
)
async def test_a_process_that_dies_is_a_crash_with_its_exit_code(
    worker: Worker, source: str, code: int
) -> None:
    told = await tell(worker, source)

    assert told.outcome == Crashed(exit_code=code)


async def test_a_crash_keeps_what_was_written_to_descriptor_2(worker: Worker) -> None:
    told = await tell(worker, "import os\nos.write(2, b'double free\\n')\nos.abort()")

    assert told.outcome == Crashed(exit_code=-signal.SIGABRT, last_words="double free\n")


@pytest.mark.whole
async def test_an_endless_loop_ends_with_its_time(worker: Worker, unkept: Worker) -> None:
    for each in (worker, unkept):
        await each.ready()
        async with asyncio.timeout(10):  # the kernel ends it in any case, much later
            told = await tell(each, "while True: pass", limits=Limits(seconds=0.2))

        assert told.outcome == TimedOut(seconds=0.2)


async def test_a_program_that_ignores_signals_ends_with_its_time(worker: Worker) -> None:
    source = """
import os, signal, time
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True: time.sleep(1000)
"""
    told = await tell(worker, source, limits=Limits(seconds=0.2))

    assert told.outcome == TimedOut(seconds=0.2)


async def test_an_exception_is_told_with_its_line(worker: Worker) -> None:
    told = await tell(worker, "def f(n):\n    return 1 // n\n\nf(0)\n")

    assert isinstance(told.outcome, Raised)
    assert (told.outcome.exception, told.outcome.line) == ("ZeroDivisionError", 2)
    assert [(place.line, place.function) for place in told.outcome.chain] == [
        (4, "<module>"),
        (2, "f"),
    ]


@pytest.mark.parametrize(
    ("source", "exception", "message"),
    [
        ("import sys; sys.exit(2)", "SystemExit", "2"),
        ("import sys; sys.exit('sorry')", "SystemExit", "sorry"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("def f(): f()\nf()", "RecursionError", "maximum recursion depth exceeded"),
        ("x = [0] * 10**11", "MemoryError", ""),
        ("import json; json.loads('[')", "json.decoder.JSONDecodeError", None),
        ("class Mine(Exception): pass\nraise Mine('x')", "Mine", "x"),
        ("raise ValueError('\\udc80')", "ValueError", "\\udc80"),
        (
            "class Odd(Exception):\n  def __getattribute__(self, n): raise SystemExit\nraise Odd",
            "Odd",
            None,
        ),
    ],
)
async def test_whatever_leaves_the_program_has_a_name(
    worker: Worker, source: str, exception: str, message: str | None
) -> None:
    told = await tell(worker, source)

    assert isinstance(told.outcome, Raised)
    assert told.outcome.exception == exception
    assert message is None or told.outcome.message == message


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("x = 1\ny = = 2\n", 2, 5),
        ("if True:\npass\n", 2, 1),
        ("x = 1\n'\0'\n", 2, None),
        ("x = (\n", 1, 5),
    ],
)
async def test_a_syntax_error_has_line_and_column(
    worker: Worker, source: str, line: int, column: int | None
) -> None:
    told = await tell(worker, source)

    assert isinstance(told.outcome, Raised)
    assert (told.outcome.line, told.outcome.column) == (line, column)
    assert told.started == []


async def test_a_source_that_is_not_utf8_is_refused_in_a_sentence(worker: Worker) -> None:
    told = await tell(worker, "name = 'caf\udce9'")

    assert isinstance(told.outcome, Raised)
    assert told.outcome.exception == "SyntaxError"
    assert told.outcome.line == 1


@pytest.mark.whole
async def test_memory_beyond_the_limit_is_refused_and_not_the_machine_s_end(worker: Worker) -> None:
    source = "import torch\nkept = [torch.ones(10**7) for _ in range(1000)]"

    limits = Limits(seconds=20, memory_bytes=2**29)
    told = await tell(worker, source, limits=limits, origin=Origin.PACK)

    assert isinstance(told.outcome, Raised)
    assert told.outcome.line == 2


@pytest.mark.whole
async def test_ten_million_printed_lines_end_like_any_other_program(worker: Worker) -> None:
    source = """
import resource
line = "x" * 80 + chr(10)
for _ in range(100): print(line * 100_000, end="")
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2**20, "KiB"
"""
    told = await tell(worker, source)

    assert told.outcome == Completed()


async def test_a_flood_past_sys_stdout_does_not_hang(worker: Worker) -> None:
    source = "import os\nfor _ in range(200): os.write(1, b'x' * 100_000)"

    told = await tell(worker, source)

    assert told.outcome == Completed()


@pytest.mark.parametrize("mode", [Mode.BARE, Mode.CLONED])
async def test_a_copy_that_the_program_forks_says_nothing(worker: Worker, mode: Mode) -> None:
    source = """
import os, torch
pid = os.fork()
x = torch.ones(2, requires_grad=True)
x.sum().backward()
if pid == 0:
    raise ValueError("not this one")
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
"""
    told = await tell(worker, source, mode)

    assert told.outcome == Completed()
    assert len(told.backwards) == 1


@pytest.mark.whole
async def test_a_hundred_million_elements_are_sampled(worker: Worker) -> None:
    source = "import torch\nx = torch.ones(10**8, requires_grad=True)\nx.sum().backward()"

    told = await tell(worker, source)

    assert told.outcome == Completed()
    assert told.backwards[0].gradients[0].shape == (10**8,)
    assert len(told.backwards[0].gradients[0].data or b"") == 65_536 * 4


@pytest.mark.whole
async def test_hundreds_of_large_gradients_fit_into_one_message(worker: Worker) -> None:
    source = """
import torch
large = torch.ones(65_536, dtype=torch.float64)
weights = [large.detach().requires_grad_() for _ in range(150)]
torch.stack([each.sum() for each in weights]).sum().backward()
"""
    told = await tell(worker, source)

    assert told.outcome == Completed()
    assert len(told.backwards[0].gradients) == 150
