"""A program that stands still and is asked: its answers against torch's own."""

from __future__ import annotations

import asyncio
import math
import os
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import torch

from inplace_tui.common.problems import fill
from inplace_tui.common.run.program import Limits, Origin, Pause, Program
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.statistics import Statistics
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.values import ValueTexts
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.protocol.messages import TensorFound
from inplace_tui.diagnosis.record.process.request_server import statistics
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.drive.paused_run import DivergedError, PausedRun
from inplace_tui.tutorial.state.element_source import FetchedElements
from support.patience import PATIENCE
from support.processes import descendants, none_left

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMITS = Limits(seconds=20)
LARGE = """import torch
torch.manual_seed(3)
x = torch.randn(300, 500)
y = (x * 100).to({dtype})
y[7, 3] = y[0, 0]
y.mul_(2)
z = y.t()
"""


def named(timeline: Timeline, name: str) -> Tensor:
    tensors = timeline.at(len(timeline) - 1).tensors.values()
    return next(each for each in tensors if name in each.names)


@asynccontextmanager
async def standing(
    worker: Worker, source: str, name: str
) -> AsyncIterator[tuple[PausedRun, Tensor]]:
    """Record a program, then have it stand still at its end."""
    program = Program(source=source, filename="program.py", seed=0, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)
    run = PausedRun(worker, program, LIMITS, timeline)
    try:
        tensor = named(timeline, name)
        await run.to(Pause(step=len(timeline) - 1, tensor=tensor.id))
        yield run, tensor
    finally:
        await run.close()


async def counted(run: PausedRun, tensor: int) -> Statistics:
    told = run.count(tensor)
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await told.get()
            assert found is not None
            if found.whole:
                return found


async def looked(run: PausedRun, tensor: int, sheet: FetchedElements) -> None:
    """Fetch what was looked for in vain."""
    found = await run.tensor(tensor)
    assert isinstance(found, TensorFound)
    spans = sheet.spans()
    reply = await run.elements(tensor, spans, itemsize=found.itemsize)
    sheet.fill(spans, reply.data)


def again(dtype: str) -> torch.Tensor:
    """Compute `y` here, as the program does."""
    torch.manual_seed(3)
    y = (torch.randn(300, 500) * 100).to(getattr(torch, dtype.removeprefix("torch.")))
    y[7, 3] = y[0, 0]
    return y.mul_(2)


@pytest.mark.parametrize(
    "dtype", ["torch.float32", "torch.bfloat16", "torch.float64", "torch.int16", "torch.complex64"]
)
@pytest.mark.whole
async def test_a_large_tensor_is_counted_as_torch_counts_it(worker: Worker, dtype: str) -> None:
    y = again(dtype)
    numbers = y.abs().double() if y.is_complex() else y.double()

    async with standing(worker, LARGE.format(dtype=dtype), "y") as (run, tensor):
        told = await counted(run, tensor.id)

    assert told.count == told.seen == y.numel()
    assert told.minimum == pytest.approx(numbers.min().item(), rel=1e-6)
    assert told.maximum == pytest.approx(numbers.max().item(), rel=1e-6)
    assert told.mean == pytest.approx(numbers.mean().item(), rel=1e-6, abs=1e-6)
    assert told.std == pytest.approx(numbers.std().item(), rel=1e-6)
    assert told.norm == pytest.approx(numbers.norm().item(), rel=1e-6)
    assert told.zeros == int((y == 0).sum())


async def test_windows_of_a_view_are_its_own_elements(worker: Worker) -> None:
    """A transposed view is read through its strides, also across tiles."""
    expected = again("torch.float32").t()

    async with standing(worker, LARGE.format(dtype="torch.float32"), "z") as (run, tensor):
        sheet = FetchedElements(tensor.shape, tensor.dtype)
        places = [0, 1, 299, 300, 499 * 300 + 250, 150_000 - 1]
        assert [sheet.at(place) for place in places] == [None] * 6
        await looked(run, tensor.id, sheet)

        assert [sheet.at(place) for place in places] == expected.flatten()[places].tolist()


async def test_it_goes_on_to_a_later_step_without_running_anew(worker: Worker) -> None:
    program = Program(
        source=LARGE.format(dtype="torch.float32"), filename="program.py", seed=0, origin=Origin.OWN
    )
    timeline = await record(worker, program, LIMITS)
    run = PausedRun(worker, program, LIMITS, timeline)
    y = named(timeline, "y").id
    try:
        await run.to(Pause(step=4, tensor=y))
        first = await counted(run, y)
        process = [each.pid for each in worker._under_way.values()]
        await run.to(Pause(step=5, tensor=y))
        second = await counted(run, y)

        assert [each.pid for each in worker._under_way.values()] == process
        assert second.maximum == pytest.approx(2 * float(first.maximum or 0))
    finally:
        await run.close()


async def test_nan_and_inf_are_counted_apart_and_found_one_after_the_other(worker: Worker) -> None:
    source = """import torch
x = torch.arange(100_000.)
x[5] = float("nan")
x[70_000] = float("inf")
x[99_999] = -float("inf")
"""
    async with standing(worker, source, "x") as (run, x):
        told = await counted(run, x.id)
        places = [await run.odd(x.id, after) for after in (-1, 5, 70_000, 99_999)]

    assert (told.nan, told.positive, told.negative) == (1, 1, 1)
    assert told.odd == (5, 70_000, 99_999)
    assert places == [5, 70_000, 99_999, 5]
    finite = torch.arange(100_000.0).double()
    finite = finite[[n for n in range(100_000) if n not in told.odd]]
    assert told.mean == pytest.approx(finite.mean().item())
    assert told.std == pytest.approx(finite.std().item())


async def test_numbers_at_the_ends_of_float64_do_not_overflow(worker: Worker) -> None:
    source = "import torch\nx = torch.full((5000,), 1e300, dtype=torch.float64)\nx[::2] = -1e300\n"
    async with standing(worker, source, "x") as (run, x):
        told = await counted(run, x.id)

    assert told.norm == pytest.approx(1e300 * math.sqrt(5000))
    assert told.mean == pytest.approx(0, abs=1e290)


async def test_small_numbers_after_large_ones_leave_the_mean_alone(worker: Worker) -> None:
    source = (
        "import torch\nx = torch.full((2**18,), 1e200, dtype=torch.float64)\nx[2**17:] = 1e-200\n"
    )
    async with standing(worker, source, "x") as (run, x):
        told = await counted(run, x.id)

    assert told.mean == pytest.approx(5e199)
    assert told.std == pytest.approx(5e199, rel=1e-5)
    assert told.norm == pytest.approx(1e200 * math.sqrt(2**17))


async def test_what_no_message_can_say_is_left_out() -> None:
    """JSON has no infinity, and who writes one all the same is not understood."""
    *_, told = statistics(torch.tensor([1.7e308, -1.7e308], dtype=torch.float64))

    assert (told.mean, told.std, told.norm) == (0, None, None)


async def test_a_program_that_does_not_repeat_itself_is_not_shown_as_the_one_recorded(
    worker: Worker, tmp_path: Path
) -> None:
    counter = tmp_path / "runs"
    source = f"""import torch
with open({str(counter)!r}, "a") as file:
    file.write("x")
runs = len(open({str(counter)!r}).read())
x = torch.full((9000,), float(runs))
"""
    with pytest.raises(DivergedError) as refusal:
        async with standing(worker, source, "x"):
            pass

    assert refusal.value.text == fill(ValueTexts.differs, step=6)


async def test_a_closed_one_leaves_no_process(worker: Worker) -> None:
    async with standing(worker, LARGE.format(dtype="torch.float32"), "y"):
        [pid] = [run.pid for run in worker._under_way.values()]
        assert pid is not None
        os.kill(pid, 0)

    assert worker.pid is not None
    await none_left(partial(descendants, worker.pid))


async def test_a_hundred_million_elements_answer_at_once_while_they_are_counted(
    worker: Worker,
) -> None:
    source = "import torch\nx = torch.zeros(1).expand(100_000, 1000)\n"
    async with standing(worker, source, "x") as (run, x):
        told = run.count(x.id)
        sheet = FetchedElements(x.shape, x.dtype)
        sheet.at(99_999_999)
        async with asyncio.timeout(PATIENCE):
            await looked(run, x.id, sheet)

        assert sheet.at(99_999_999) == 0.0
        assert told.empty() or not told.get_nowait().whole  # type: ignore[union-attr]


async def test_what_is_asked_beyond_the_tensor_is_refused(worker: Worker) -> None:
    async with standing(worker, LARGE.format(dtype="torch.float32"), "y") as (run, y):
        for spans in (((150_000, 1),), ((-1, 1),), ((499, 2),), ((0, 500),) * 40):
            with pytest.raises(DivergedError):
                await run.elements(y.id, spans, itemsize=4)
        [number] = struct.unpack("<f", (await run.elements(y.id, ((7, 1),), itemsize=4)).data)

    assert number == again("torch.float32")[0, 7].item()
