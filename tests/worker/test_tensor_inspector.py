"""TensorInspector at tensors of a real run: from the recording, or else from a run that is held."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import torch

from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import Tensor, Unreadable
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import Move, Moved
from inplace_tui.tutorial.activity.session.view import Mask, View
from inplace_tui.tutorial.commands.plain.panels import ValuesRequest, print_values
from inplace_tui.tutorial.commands.plain.printer import Printer
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.drive.tensor_inspector import TensorInspector
from inplace_tui.tutorial.state.element_source import (
    FetchedElements,
    RecordedElements,
    find_elements,
)
from support.patience import PATIENCE

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOURCE = """import torch
small = torch.tensor([[1., 2.], [3., float("nan")]])
large = torch.arange(100_000.).reshape(100, 1000)
half = torch.linspace(-1, 1, 7).bfloat16()
wide = torch.tensor([1 + 2j, 3 - 4j]).conj()
bits = torch.tensor([True, False])
coo = torch.eye(3).to_sparse()
meta = torch.empty(3, device="meta")
quant = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)
none = torch.empty(0, 3)
one = torch.tensor(7)
gone = torch.ones(3); gone.untyped_storage().resize_(0)
large.mul_(2)
"""


@asynccontextmanager
async def ended(
    worker: Worker, source: str = SOURCE
) -> AsyncIterator[tuple[SessionRunner, View, asyncio.Event]]:
    """Run a program, and go to its end."""
    changed = asyncio.Event()
    session = Session(Program(source=source, filename="program.py", seed=0, origin=Origin.OWN))
    runner = SessionRunner(session, worker, on_change=changed.set)
    runner.start()
    async with asyncio.timeout(PATIENCE):
        while session.view().running or session.view().verifying:
            changed.clear()
            await changed.wait()
    runner.send(Moved(Move.END))
    yield runner, session.view(), changed
    await runner.close()


def named(view: View, name: str) -> Tensor:
    return next(each for each in view.snapshot.tensors.values() if name in each.names)


async def until_read(inspector: TensorInspector, changed: asyncio.Event) -> None:
    async with asyncio.timeout(PATIENCE):
        while inspector.elements.waits:
            changed.clear()
            await changed.wait()


async def test_where_the_elements_of_every_kind_of_tensor_are(worker: Worker) -> None:
    async with ended(worker) as (_, view, _):
        kinds = {
            tensor.names[0]: type(find_elements(tensor, view.snapshot)).__name__
            for tensor in view.snapshot.tensors.values()
        }

    assert kinds == {
        "small": "ElementReader", "large": "NoneType", "half": "ElementReader",
        "wide": "ElementReader",
        "bits": "ElementReader", "coo": "Unreadable", "meta": "Unreadable", "quant": "Unreadable",
        "none": "ElementReader", "one": "ElementReader", "gone": "Unreadable",
    }  # fmt: skip


async def test_recorded_elements_need_no_run_and_are_torchs(worker: Worker) -> None:
    async with ended(worker) as (runner, view, _):
        inspector = TensorInspector(runner, lambda: None)
        found = {}
        for name in ("half", "wide", "bits", "one"):
            inspector.aim(view, named(view, name))
            now = inspector.elements.now
            assert isinstance(now, RecordedElements)
            found[name] = now.elements
        assert not inspector.elements.again
        await inspector.close()

    assert found["half"] == torch.linspace(-1, 1, 7).bfloat16().tolist()
    assert found["wide"] == [1 - 2j, 3 + 4j]
    assert found["bits"] == [True, False]
    assert found["one"] == [7]


async def test_a_large_tensor_is_read_from_a_run_that_is_gone_when_it_is_closed(
    worker: Worker,
) -> None:
    async with ended(worker) as (runner, view, _):
        changed = asyncio.Event()
        inspector = TensorInspector(runner, changed.set)
        inspector.aim(view, named(view, "large"))
        assert inspector.elements.waits
        await until_read(inspector, changed)
        now = inspector.elements.now
        assert isinstance(now, FetchedElements)
        async with asyncio.timeout(PATIENCE):
            while now.at(99_999) is None or not now.statistics:
                changed.clear()
                inspector.fetch()
                await changed.wait()
        assert now.at(99_999) == 199_998.0
        assert now.statistics.maximum == 199_998.0
        [pid] = [run.pid for run in worker._under_way.values()]
        await inspector.close()

        async with asyncio.timeout(PATIENCE):
            while worker._under_way:  # noqa: ASYNC110  (the worker says when it has buried it)
                await asyncio.sleep(0.01)
        with pytest.raises(ProcessLookupError):
            os.kill(pid or 0, 0)


async def test_plain_mode_prints_the_same_of_large_and_small_and_hides_what_is_asked(
    worker: Worker, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ended(worker) as (runner, view, _):
        printer = Printer("en")
        for name in ("large", "small", "coo", "meta", "none"):
            await print_values(ValuesRequest(named(view, name)), view, runner, printer)
        told = capsys.readouterr().out
        asked = replace(view, mask=Mask(cells=frozenset({("small", "values")})))
        await print_values(ValuesRequest(named(view, "small")), asked, runner, printer)
        hidden = capsys.readouterr().out

    assert "ran again to step 13" in told
    assert "max 199998." in told
    assert "… 80 more rows" in told
    assert "! 1 NaN, 0 inf, at [1, 1]" in told
    assert "sparse_coo" in told
    assert "a tensor on meta has no values here" in told
    assert "shape [0, 3] has no elements" in told
    assert "hidden until the question is answered" in hidden
    assert "mean" not in hidden


async def test_what_was_resized_away_is_not_asked_for_again(worker: Worker) -> None:
    async with ended(worker) as (runner, view, _):
        inspector = TensorInspector(runner, lambda: None)
        inspector.aim(view, named(view, "gone"))

        assert isinstance(inspector.elements.now, Unreadable)
        assert not inspector.elements.waits
        await inspector.close()


@pytest.mark.whole
async def test_of_a_program_that_does_not_repeat_itself_the_sample_is_shown(
    worker: Worker, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "import time, torch\nx = torch.full((9000,), float(time.time_ns() % 1_000_003))\n"
    async with ended(worker, source) as (runner, view, _):
        await print_values(ValuesRequest(named(view, "x")), view, runner, Printer("en"))
    told = capsys.readouterr().out

    assert "The program does not repeat itself" in told
    assert "the first 32 and the last 32 of 9,000 elements" in told
    assert "mean" not in told
