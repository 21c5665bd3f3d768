"""What is said to a wrong prediction names what the run did, in torch's own numbers."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.kinds.overlooked import ending_reply, line_reply

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\n"


@pytest.mark.parametrize(
    ("rest", "ending", "said", "part"),
    [
        ("y.add_(1)\ny.add_(1)\n", Ending.RAISES_IN_BACKWARD, Ending.RIGHT, "at version 2"),
        ("y.add_(1)\n", Ending.RAISES_IN_BACKWARD, Ending.RAISES_BEFORE, "line 5"),
        ("y.data.add_(1)\n", Ending.WRONG, Ending.RIGHT, "its graph says 2.718"),
        ("y.data.add_(1)\n", Ending.WRONG, Ending.RAISES_IN_BACKWARD, "line 4"),
        ("", Ending.RIGHT, Ending.RAISES_IN_BACKWARD, "`y` was saved at version 0"),
        ("", Ending.RIGHT, Ending.WRONG, "The gradient of `x` is 2.718"),
        ("z = y + 1\nz.mul_(2)\n", Ending.RIGHT, Ending.RAISES_BEFORE, "line 5"),
        ("x.add_(1)\n", Ending.RAISES_BEFORE, Ending.RIGHT, "Line 4 raises RuntimeError"),
    ],
)
async def test_each_wrong_ending_has_its_own_sentence(
    worker: Worker, rest: str, ending: Ending, said: Ending, part: str
) -> None:
    run = await finished(worker, f"{HEAD}{rest}y.sum().backward()\n")

    assert run.ending is ending
    assert part in ending_reply(said, run)["en"]
    others = [ending_reply(each, run)["en"] for each in PREDICTED if each is not ending]
    assert len(set(others)) == 3


async def test_a_wrong_line_is_told_what_it_did(worker: Worker) -> None:
    run = await finished(
        worker, f"{HEAD}w = torch.zeros(2)\nw.add_(1)\ny.add_(1)\ny.sum().backward()\n"
    )

    told = [[line_reply(run, line, role) for role in ("saved_by", "changed_by")] for line in (1, 5)]

    assert [[each and each["en"].partition(":")[0] for each in both] for both in told] == [
        ["This line saves nothing", "This line modifies nothing in place."],
        ["This line modifies a tensor. It saves nothing", "This line modifies w"],
    ]


async def finished(worker: Worker, source: str) -> FinishedRun:
    program = Program(source=source, filename="p.py", seed=0, origin=Origin.BUILT_IN)
    timeline = await record(worker, program, Limits())
    truth = await verify(worker, program, Limits())
    return FinishedRun(timeline, truth, {}, source)
