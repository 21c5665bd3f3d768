"""No false alarms: what is fine is called fine."""

from __future__ import annotations

import pytest

from inplace_tui.common.command.settings import Leads
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Right
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.drive.explain import Options, Progress, explain
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.explain.report import rows
from inplace_tui.diagnosis.runner.worker import Worker
from support.fine import FOREACH, FUSED, OPTIMIZERS, REPEATABLE, UNREPEATABLE, trained
from support.fine_loops import LOOPS, UNPROVEN

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def explained(worker: Worker, source: str) -> Case:
    return await explain(worker, Program(source=source, origin=Origin.OWN), Options())


def fine(case: Case) -> tuple[Ending, object, int]:
    return case.ending, case.verdict, case.runs


FINE = (Ending.RIGHT, None, 2)
"""Two runs show it: no ledger is needed."""


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("x.sum().backward()", True),
        ("torch.autograd.grad(x.sum(), x)", True),
        ("torch.autograd.functional.jacobian(torch.exp, x)", True),
        ("x.sum()", False),
    ],
)
@pytest.mark.whole
async def test_whether_a_program_asks_for_gradients_is_seen(
    worker: Worker, source: str, *, asked: bool
) -> None:
    case = await explained(
        worker, f"import torch\nx = torch.ones(2, requires_grad=True)\n{source}\n"
    )

    assert fine(case) == FINE
    assert case.truth == Right(asked=asked)


@pytest.mark.parametrize(("call", "said"), [("Keep.apply(x, bias)", True), ("x.exp()", False)])
async def test_of_functions_of_its_own_it_is_said_what_was_taken_as_it_is(
    worker: Worker, call: str, *, said: bool
) -> None:
    own = """
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias):
        ctx.y = y = x.exp()
        y += bias
        return y.clone()
    @staticmethod
    def backward(ctx, g):
        return g * ctx.y, g
"""
    made = "x, bias = torch.ones(2, requires_grad=True), torch.ones(2)"
    source = f"import torch{own if said else ''}\n{made}\n{call}.sum().backward()\n"

    case = await explained(worker, source)
    page = rows(case, file="train.py", leads=Leads(), language="en", room=200)

    text = "\n".join("".join(span.text for span in row.spans) for row in page)
    assert ("the backward of `Keep` returns was taken as it is" in text) == said


async def test_every_optimizer_is_among_those_that_are_tried(worker: Worker) -> None:
    said: list[Progress] = []
    source = """
import torch
for name, kind in vars(torch.optim).items():
    if isinstance(kind, type) and kind is not torch.optim.Optimizer:
        print(name)
"""

    await explain(worker, Program(source=source, origin=Origin.OWN), Options(), said.append)

    assert set("".join(each for each in said if isinstance(each, str)).split()) == set(OPTIMIZERS)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.whole(every=5)
async def test_an_optimizer_s_loop_is_fine(worker: Worker, name: str) -> None:
    assert fine(await explained(worker, trained(name))) == FINE


@pytest.mark.parametrize("name", FOREACH)
@pytest.mark.whole(every=4)
async def test_an_optimizer_s_loop_over_lists_is_fine(worker: Worker, name: str) -> None:
    assert fine(await explained(worker, trained(name, ", foreach=True"))) == FINE


@pytest.mark.parametrize("name", FUSED)
async def test_an_optimizer_s_fused_loop_is_fine(worker: Worker, name: str) -> None:
    """Its kernels move no version, and write what no later backward needs."""
    assert fine(await explained(worker, trained(name, ", fused=True"))) == FINE


@pytest.mark.parametrize("source", (REPEATABLE | LOOPS).values(), ids=REPEATABLE | LOOPS)
@pytest.mark.whole(every=8)
async def test_a_program_that_is_fine_is_called_fine(worker: Worker, source: str) -> None:
    case = await explained(worker, source)

    assert fine(case)[:2] == FINE[:2], case


@pytest.mark.parametrize("source", (UNREPEATABLE | UNPROVEN).values(), ids=UNREPEATABLE | UNPROVEN)
@pytest.mark.whole
async def test_a_program_whose_replay_proves_nothing_is_not_accused(
    worker: Worker, source: str
) -> None:
    """It does not repeat itself, or torch refuses to replay it."""
    case = await explained(worker, source)

    assert case.ending is Ending.NOT_JUDGED
    # An error that it catches is told, with what it comes from.
    assert (case.caught is not None) == (case.verdict is not None) == ("except" in source)
