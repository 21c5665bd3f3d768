"""Two optimizers and losses that share a forward: each fix still steps what the program steps."""

from __future__ import annotations

from itertools import product
from time import monotonic

import pytest
import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_pre_hook

from inplace_tui.common.run.outcome import Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.fixes import FixTrials
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.fixes.trial import Passed
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMITS = Limits(seconds=60.0)

FORWARDS = {
    "the second goes through the first": "one, other = net(h), head(net(h).relu() + h)",
    "both go through one": "one, other = net(h), head(h) * net(h)",
    # Then what the first step writes is the same whether or not the second backward came before.
    "the second sends zeros back": "one, other = net(h), head((net(h) - 9).relu() + 1)",
}
CLEARED = {
    "first": ("first.zero_grad(); second.zero_grad()", "", ""),
    "before each backward": ("", "first.zero_grad()", "second.zero_grad()"),
    "to zeros": ("", "first.zero_grad(set_to_none=False)", "second.zero_grad(set_to_none=False)"),
}
OPTIMIZERS = ("SGD", "Adam", "AdamW")
CASES = [
    (*pair, OPTIMIZERS[i % 3], 1 + (i % 3 == 0))
    for i, pair in enumerate(product(FORWARDS, CLEARED))
]


def program(forward: str, cleared: str, optimizer: str, rounds: int) -> str:
    top, before, between = CLEARED[cleared]
    lines = [
        *(FORWARDS[forward].split("; ")),
        top,
        before,
        "one.pow(2).mean().backward(retain_graph=True)",
        "first.step()",
        between,
        "other.pow(2).mean().backward()",
        "second.step()",
    ]
    body = "\n".join(f"    {line}" for line in ["h = base(x).tanh()", *filter(None, lines)])
    return f"""\
import torch
torch.manual_seed(0)
base, net, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
first = torch.optim.{optimizer}([*base.parameters(), *net.parameters()], lr=0.1)
second = torch.optim.{optimizer}(head.parameters(), lr=0.1)
x = torch.randn(4, 2)
for _ in range({rounds}):
{body}
"""


def stepped(source: str) -> list[int]:
    """Run a program, and return with how many gradients other than 0 each step began."""
    counts: list[int] = []

    def count(optimizer: Optimizer, *_: object) -> None:
        every = [each.grad for group in optimizer.param_groups for each in group["params"]]
        counts.append(sum(grad is not None and bool(grad.any()) for grad in every))

    state = torch.random.get_rng_state()
    handle = register_optimizer_step_pre_hook(count)
    try:
        exec(compile(source, "fixed.py", "exec"), {"__name__": "__main__"})
    finally:
        handle.remove()
        torch.random.set_rng_state(state)
    return sorted(counts)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.whole(every=4)
async def test_each_fix_steps_every_parameter_by_a_gradient(
    worker: Worker, case: tuple[str, str, str, int]
) -> None:
    written = Program(source=program(*case), origin=Origin.OWN)
    timeline = await record(worker, written, LIMITS)
    trials = FixTrials(worker, written, LIMITS, monotonic() + 240, None)
    truth = Unverified()

    found = await trials.all(find_blame(timeline, truth, source=written.source), timeline, truth)

    passed = [each.candidate for each in found if isinstance(each.verdict, Passed)]
    assert passed
    # Two layers have two parameters each, the other one has two.
    for each in passed:
        assert stepped(each.source) == sorted([4, 2] * case[3]), each.source
