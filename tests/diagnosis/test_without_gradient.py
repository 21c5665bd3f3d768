"""Of right gradients it is said which parameters got none."""

from __future__ import annotations

from typing import Any

import pytest

from inplace_tui.common.command.settings import Leads
from inplace_tui.common.run.outcome import Right
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.explain import report as page
from inplace_tui.diagnosis.explain.explanation import explanation
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(2, 3)
"""

PROGRAMS = {
    "cut by a detach": (
        "net[4](net[3](net[2](net[1](net[0](x)))).detach()).sum().backward()\nopt.step()\n"
    ),
    "under no_grad": (
        "with torch.no_grad():\n    h = net[2](net[1](net[0](x)))\n"
        "net[4](net[3](h)).sum().backward()\nopt.step()\n"
    ),
    "a layer that is never called": "net[4](net[1](net[0](x))).sum().backward()\nopt.step()\n",
    "all of them": "net(x).sum().backward()\nopt.step()\n",
    "one frozen on purpose": (
        "net[0].requires_grad_(False)\nnet(x).sum().backward()\nopt.step()\n"
    ),
    "each at a step of its own": (
        "net[0](x).sum().backward()\nopt.step()\nopt.zero_grad()\n"
        "net[4](net[2](net[0](x).detach())).sum().backward()\nopt.step()\n"
    ),
}


def never_reached(source: str) -> list[str]:
    """Run a program with torch alone, and return the parameters that never had a gradient."""
    seen: dict[str, Any] = {}
    had: set[str] = set()
    head, rest = source[: len(HEAD)], source[len(HEAD) :]
    exec(head, seen)
    named = dict(seen["net"].named_parameters())

    def look() -> None:
        had.update(name for name, each in named.items() if each.grad is not None)

    exec(rest.replace("opt.step()", "opt.step(); look()"), seen | {"look": look})
    return [name for name, each in named.items() if each.requires_grad and name not in had]


@pytest.mark.parametrize("name", PROGRAMS)
async def test_what_no_gradient_reached_is_named(worker: Worker, name: str) -> None:
    source = HEAD + PROGRAMS[name]
    lost = [f"net[{each[0]}].{each[2:]}" for each in never_reached(source)]

    case = await explain(worker, Program(source=source, origin=Origin.OWN), Options(budget=60))

    assert isinstance(case.truth, Right)
    assert explanation(case, file="x.py", lesson=None).without_gradient == lost
    rows = page.rows(case, file="x.py", leads=Leads(), language="en", room=200)
    said = [row.text for row in rows if row.text.startswith("At no step")]
    more = [f"and {len(lost) - 4} more"] if len(lost) > 4 else []
    names = ", ".join([*(f"`{each}`" for each in lost[:4]), *more])
    assert said == (
        [f"At no step of their optimizer did these parameters have a gradient: {names}."]
        if lost
        else []
    )


@pytest.mark.parametrize("name", ["cut by a detach", "under no_grad"])
async def test_what_lets_a_gradient_reach_them_is_offered(worker: Worker, name: str) -> None:
    source = HEAD + PROGRAMS[name]
    program = Program(source=source, origin=Origin.OWN)

    case = await explain(worker, program, Options(budget=60))

    assert isinstance(case.truth, Right)
    assert case.fixes
    for fix in case.fixes:
        assert len(never_reached(fix.source)) < len(never_reached(source))
        assert fix.computes is not None
    rows = page.rows(case, file="x.py", leads=Leads(), language="en", room=200)
    assert any(case.fixes[0].title.en.replace("`", "") in row.text.replace("`", "") for row in rows)


async def test_nothing_is_offered_where_a_layer_is_not_called(worker: Worker) -> None:
    source = HEAD + PROGRAMS["a layer that is never called"]

    case = await explain(worker, Program(source=source, origin=Origin.OWN), Options(budget=60))

    assert case.fixes == ()
