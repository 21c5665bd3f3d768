"""What a program asks too much of: it is refused, said, and the next one runs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from inplace_tui.common.run.outcome import Completed, Crashed, Outcome, Raised, Stopped, TimedOut
from inplace_tui.common.run.program import Limits, Mode, Origin
from inplace_tui.common.run.snapshot import MAX_NAME
from inplace_tui.diagnosis.protocol.messages import LineRecorded, encode
from inplace_tui.diagnosis.runner.worker import Worker
from support.running import tell

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMITS = Limits(seconds=30, memory_bytes=2**28, file_bytes=2**20)
GREEDY = {
    "one large tensor": ("torch.ones(2**36)", "RuntimeError"),
    "many tensors": ("kept = []\nwhile True: kept.append(torch.ones(2**25))", "RuntimeError"),
    "many bytes": ("kept = []\nwhile True: kept.append(bytes(2**24))", "MemoryError"),
    "a large file": ("open('big', 'wb').write(bytes(2**21))", "OSError"),
    "a sparse file": ("os.truncate(os.open('big', os.O_RDWR | os.O_CREAT), 2**40)", "OSError"),
    "deep recursion": ("def f(): f()\nf()", "RecursionError"),
}
MODEST = {
    # 100 GB if it were dense.
    "a sparse tensor": "x = torch.sparse_coo_tensor([[5]], [1.], (25 * 10**9,))\nx.add_(x)",
    "an expanded tensor": "x = torch.ones(1, requires_grad=True).expand(25 * 10**9)",
    "a meta tensor": "x = torch.empty(25 * 10**9, device='meta')\nx.add_(1)",
}

TALKATIVE = {
    "tensors of many names": """
kept, many = {}, 0
while True:
    many += 1
    kept[f"{many} {'x' * 9_000}"] = torch.ones(1)
""",
    "elements": "x = torch.zeros(8192)\nwhile True: x.add_(1)",
    "exceptions": """
while True:
    try: raise ValueError("x" * 10**6)
    except ValueError: pass
""",
    "steps and nothing else": "while True: pass",
}
GRADIENTS = """
weights = [torch.ones(65_536, requires_grad=True) for _ in range(5)]
for _ in range(100): sum(each.sum() for each in weights).backward()
"""


@pytest_asyncio.fixture(loop_scope="session")
async def survivor(worker: Worker) -> AsyncIterator[Worker]:
    """The worker, which answers afterwards as it did before."""
    yield worker
    assert (await tell(worker, "print(1 + 1)")).outcome == Completed()


FULL = """
end = ValueError("full " * 1000)
kept, size = [], 2**24
while size > 64:
    try: kept.append(bytearray(size))
    except MemoryError: size //= 2
raise end
"""


async def test_whoever_has_filled_all_memory_can_say_how_it_ended(survivor: Worker) -> None:
    outcome = (await tell(survivor, FULL, limits=LIMITS, origin=Origin.PACK)).outcome

    assert isinstance(outcome, Raised)
    assert (outcome.message, outcome.line) == ("full " * 1000, 7)


@pytest.mark.parametrize(("statement", "exception"), GREEDY.values(), ids=GREEDY)
@pytest.mark.whole(every=3)
async def test_what_is_asked_too_much_is_refused(
    survivor: Worker, statement: str, exception: str
) -> None:
    """In a confined run, so that the files are in memory."""
    source = f"import os, torch\n{statement}"

    told = await tell(survivor, source, Mode.RECORD, LIMITS, origin=Origin.PACK)

    assert isinstance(told.outcome, Raised)
    assert told.outcome.exception.rpartition(".")[2] == exception
    assert told.outcome.line in (2, 3)


RESERVED = """
import mmap, torch
# What is reserved has addresses and no memory, as CUDA has hundreds of gigabytes of them.
kept = mmap.mmap(-1, 2**36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # NORESERVE
x = torch.ones(2, requires_grad=True)
x.exp().sum().backward()
"""
HOLDING = {
    "it itself": """
import time, torch
kept = []
while True: kept.append(torch.ones(2**18)) or time.sleep(1e-3)
""",
    "a process that it forked": """
import os, time
if os.fork() == 0:
    kept = []
    while True: kept.append(b"x" * 2**20) or time.sleep(1e-3)
os.wait()
""",
}
"""Not as fast as they could: whoever looks may be late on a busy machine."""


async def test_a_program_of_ones_own_may_take_any_number_of_addresses(survivor: Worker) -> None:
    limits = Limits(seconds=30, memory_bytes=2**28)

    assert (await tell(survivor, RESERVED, Mode.RECORD, limits)).outcome == Completed()


@pytest.mark.parametrize("source", HOLDING.values(), ids=HOLDING)
@pytest.mark.parametrize("mode", [Mode.BARE, Mode.RECORD])
@pytest.mark.whole(every=4)
async def test_a_program_of_ones_own_that_holds_too_much_memory_is_ended(
    survivor: Worker, source: str, mode: Mode
) -> None:
    limits = Limits(seconds=None, steps=10**6, resident_bytes=2**29)

    outcome = (await tell(survivor, source, mode, limits)).outcome

    assert isinstance(outcome, Stopped)
    assert (outcome.limit, outcome.value) == ("memory", 2**29)


@pytest.mark.parametrize("statement", MODEST.values(), ids=MODEST)
async def test_what_only_looks_large_is_recorded_like_anything_else(
    survivor: Worker, statement: str
) -> None:
    told = await tell(survivor, f"import torch\n{statement}", Mode.RECORD, LIMITS)

    assert told.outcome == Completed()
    assert len(told.steps) == 2 + statement.count("\n")


@pytest.mark.parametrize(
    "stubborn",
    [
        "signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))",
        "[signal.signal(n, lambda *_: None) for n in set(signal.Signals) - {9, 19}]",
        "threading.Thread(target=lambda: [time.sleep(1) for _ in iter(int, 1)]).start()",
    ],
)
@pytest.mark.whole(every=3)
async def test_whoever_will_not_end_is_ended(survivor: Worker, stubborn: str) -> None:
    source = f"import signal, threading, time\n{stubborn}\nwhile True: time.sleep(1)"

    outcome: Outcome = (await tell(survivor, source, limits=Limits(seconds=0.3))).outcome

    assert isinstance(outcome, TimedOut)


@pytest.mark.parametrize("source", TALKATIVE.values(), ids=TALKATIVE)
@pytest.mark.whole(every=4)
async def test_what_is_recorded_is_not_more_than_may_be_kept(survivor: Worker, source: str) -> None:
    limits = Limits(seconds=60, report_bytes=500_000)

    told = await tell(survivor, f"import torch\n{source}", Mode.RECORD, limits)

    assert told.outcome == Stopped(limit="bytes", value=500_000)
    assert told.steps
    assert sum(len(encode(LineRecorded(step=step))) for step in told.steps) <= 500_000


async def test_what_is_called_by_a_whole_book_is_not_told(survivor: Worker) -> None:
    """Whoever draws a name takes as long as it is; what else has one is told."""
    source = f"""
import torch
x = torch.ones(1)
globals()["a" * {MAX_NAME + 1}] = torch.ones(1)
kept = {{"a" * {MAX_NAME}: torch.ones(1), "b": x}}
"""

    told = await tell(survivor, source, Mode.RECORD)

    names = {name for step in told.steps for tensor in step.tensors for name in tensor.names}
    assert told.outcome == Completed()
    assert names == {"x", "kept['b']"}


async def test_a_function_with_the_name_of_a_book_ends_its_run(survivor: Worker) -> None:
    """Nothing needs one, and nothing that is drawn has to doubt how long a name is."""
    source = (
        f"def f(): return 1\nf.__code__ = f.__code__.replace(co_name='f' * {MAX_NAME + 1})\nf()"
    )

    outcome = (await tell(survivor, source, Mode.RECORD)).outcome

    assert isinstance(outcome, Crashed)
    assert f"length <= {MAX_NAME}" in outcome.last_words


async def test_many_small_things_weigh_more_than_the_bytes_that_tell_of_them(
    survivor: Worker,
) -> None:
    """Each is an object in the screen's process, and two bytes in the pipe."""
    limits = Limits(seconds=60, report_bytes=500_000)
    source = """
import torch
while True:
    kept = [torch.ones(1) for _ in range(2000)]
    kept.clear()
"""

    told = await tell(survivor, source, Mode.RECORD, limits)

    assert told.outcome == Stopped(limit="bytes", value=500_000)
    sent = sum(len(encode(LineRecorded(step=step))) for step in told.steps)
    gone = sum(len(step.gone) + len(step.freed) for step in told.steps)
    assert sent + 64 * gone <= 500_000


@pytest.mark.parametrize("mode", [Mode.BARE, Mode.CLONED])
@pytest.mark.whole(every=2)
async def test_a_long_training_is_told_more_thinly_and_not_stopped(
    survivor: Worker, mode: Mode
) -> None:
    """Of a hundred backwards, which are eight times what may be kept."""
    most = 16 * 2**20
    limits = Limits(seconds=60, report_bytes=most)

    told = await tell(survivor, f"import torch\n{GRADIENTS}", mode, limits)

    sizes = [sum(len(each.data or b"") for each in b.gradients) for b in told.backwards]
    assert told.outcome == Completed()
    assert len(sizes) == 100
    assert sum(sizes) <= most // 2
    assert min(sizes) >= 5 * 4 * 100  # a hundred elements of each weight


async def test_what_fits_is_told_whole(survivor: Worker) -> None:
    """Small gradients take of their share what the logarithm would not have given them."""
    source = """
import torch
x = torch.ones(1000, requires_grad=True)
for _ in range(200): x.sum().backward()
"""

    told = await tell(survivor, source, limits=Limits(report_bytes=8 * 2**20))

    assert told.outcome == Completed()
    assert {len(each.gradients[0].data or b"") for each in told.backwards} == {4000}
