"""What the graph does not tell is found by replays of the program."""

from __future__ import annotations

import asyncio

import pytest

from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import ForecastRequested, Move, Moved
from inplace_tui.tutorial.drive.session_runner import SessionRunner, find_forecast
from inplace_tui.tutorial.forecast.forecast import (
    Forecast,
    Raises,
    Runs,
    RunsWrong,
    StepForecasts,
    Unknown,
    UnknownReason,
)
from support.patience import PATIENCE
from support.running import LIMITS

pytestmark = pytest.mark.asyncio(loop_scope="session")

START = "import torch\nx = torch.tensor([1., 2., 3.], requires_grad=True)\n"


async def told(
    worker: Worker, source: str, name: str, *, line: int | None = None, visit: int = 1
) -> tuple[Forecast, Forecast]:
    """Return the forecasts by the graph and by replays after a line, the last by default."""
    program = Program(source=START + source, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)
    line = line or len(program.source.splitlines())
    step = next(s for s in timeline if (s.line, s.visit) == (line, visit))
    rows = timeline.at(step.index).tensors.values()
    row = next(row for row in rows if name in row.names)
    read = StepForecasts(timeline, step.index).of(row.id)
    return read, await find_forecast(worker, program, LIMITS, step=step, tensor=name)


@pytest.mark.parametrize(
    ("source", "why", "replayed"),
    [
        ("y = x * 1\ny[0] = 3\n", UnknownReason.HIDDEN, Runs()),
        (
            "y = x * 1\ne = y.neg()\nb = y * 1\nb[:2].mul_(e[:2])\ne.add_(1)\nz = b * 1\n",
            UnknownReason.HIDDEN,
            Raises(Verdict.SAVED_TENSOR_MODIFIED, saved=0, now=1),
        ),
        ("y = x.exp() * x\nz = y * 2\nx.data.add_(1)\n", UnknownReason.CHANGED, RunsWrong()),
        ("y = x.relu()\nz = y * 2\ny.data.mul_(2)\n", UnknownReason.CHANGED, Runs()),
        (
            "y = x * 1\ny.register_hook(lambda g: g / 0 if False else g.nope)\nz = y * 2\n",
            UnknownReason.PROGRAM,
            Raises(None),
        ),
        ("y = x * 2\nz = y.exp()\na, b = y.unbind(0)[:2]\ny.add_(1)\n", UnknownReason.VIEW, None),
        ("z = torch.linalg.qr(x[:, None], mode='complete')[0]\n", UnknownReason.RARE, Raises(None)),
    ],
)
@pytest.mark.whole
async def test_what_is_hidden_is_found_by_replays(
    worker: Worker, source: str, why: UnknownReason, replayed: Forecast | None
) -> None:
    name = "a" if "unbind" in source else "z" if "z" in source else "y"

    read, found = await told(worker, source, name)

    assert isinstance(read, Unknown)
    assert read.why is why
    if replayed is not None:
        assert found == replayed


async def test_a_program_that_does_not_repeat_itself_stays_unknown(worker: Worker) -> None:
    source = "import numpy\nz = x * float(numpy.random.rand())\nz[0] = 1\n"

    assert (await told(worker, source, "z"))[1] == Unknown(UnknownReason.NOT_REPEATED)


async def test_after_a_wrong_backward_the_replays_prove_nothing(worker: Worker) -> None:
    source = "y = x.exp()\ny.data.add_(1)\ny.sum().backward()\nz = x * x.grad\nz[0] = 1\n"

    assert (await told(worker, source, "z"))[1] == Unknown(UnknownReason.EARLIER_WRONG)


async def test_a_complex_sum_is_no_place_to_start(worker: Worker) -> None:
    read, replayed = await told(worker, "z = x * 1j\n", "z")

    assert isinstance(read, Raises)
    assert isinstance(replayed, Raises)


async def test_a_line_in_a_loop_in_a_function_is_found_again(worker: Worker) -> None:
    source = (
        "def f(q):\n"
        "    for i in range(3):\n"
        "        r = q * i\n"
        "        r[0] = 1\n"
        "    return r\n"
        "y = x.exp()\n"
        "f(y)\n"
    )

    read, replayed = await told(worker, source, "r", line=6, visit=2)
    _, outside = await told(worker, source, "y", line=6, visit=2)

    assert (read, replayed) == (Unknown(UnknownReason.HIDDEN, read.node), Runs())  # type: ignore[union-attr]
    assert outside == Runs()


async def test_within_a_hook_the_try_is_told_of_though_a_backward_is_under_way(
    worker: Worker,
) -> None:
    source = (
        "y = x * 2\n"
        "z = y.exp()\n"
        "def look(g):\n"
        "    seen = g * 1\n"
        "y.register_hook(look)\n"
        "(y * 3).sum().backward()\n"
    )

    assert (await told(worker, source, "z", line=6))[1] == Runs()


@pytest.mark.parametrize("mode", ["torch.no_grad()", "torch.inference_mode()"])
async def test_asked_is_the_graph_whatever_mode_the_line_is_in(worker: Worker, mode: str) -> None:
    read, replayed = await told(worker, f"y = x.exp()\nwith {mode}:\n    a = 1\n", "y")

    assert (read, replayed) == (Runs(), Runs())


async def test_the_forecast_of_the_last_tensor_that_was_looked_at_is_found(worker: Worker) -> None:
    changed = asyncio.Event()
    source = START + "y = x * 1\ny[int()] = 3\nz = y * 2\n"
    runner = SessionRunner(
        Session(Program(source=source, origin=Origin.OWN)), worker, on_change=changed.set
    )

    async def until_found() -> dict[int, Forecast]:
        while not (found := runner.session.view().found_forecasts):
            changed.clear()
            await changed.wait()
        return found

    try:
        runner.start()
        while runner.session.view().running:
            changed.clear()
            await changed.wait()
        runner.send(Moved(Move.END))
        rows = runner.session.view().snapshot.tensors.values()
        y, z = (next(row.id for row in rows if name in row.names) for name in "yz")
        runner.send(ForecastRequested(y))
        runner.send(ForecastRequested(z))
        found = await asyncio.wait_for(until_found(), PATIENCE)
    finally:
        await runner.close()

    assert found == {z: Runs()}
