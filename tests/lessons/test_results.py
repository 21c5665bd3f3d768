"""What a run is called in a document, and what is printed of it."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.ending import ending_of
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.report import text

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEAF = "import torch\nx = torch.ones(2, requires_grad=True)\n"

RESULTS = [
    ("x = 1\n", "right"),
    ("import sys\nsys.exit(0)\n", "right"),
    (f"{LEAF}try:\n    x.add_(1)\nexcept RuntimeError:\n    pass\n", "right"),
    (f"{LEAF}x.add_(1)\n", "raises_before"),
    (f"{LEAF}y = x.exp()\ny.add_(1)\ny.sum().backward()\n", "raises_in_backward"),
    (f"{LEAF}y = x.exp()\ny.data.add_(1)\ny.sum().backward()\n", "wrong"),
    ("x = (1\n", "raises_before"),
    ("x = 'caf\udce9'\n", "raises_before"),
    ("undefined\n", "raises_before"),
    ("raise SystemExit(3)\n", "raises_before"),
    ("import os\nos._exit(3)\n", "crashed"),
    ("while True: pass\n", "timed_out"),
]


@pytest.mark.parametrize(("source", "expected"), RESULTS, ids=[each[0] for each in RESULTS])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.whole(every=3)
async def test_every_ending_has_a_name_and_a_page(
    worker: Worker, source: str, expected: str, language: str
) -> None:
    program = Program(source=source, origin=Origin.OWN)
    limits = Limits(seconds=0.5 if "while" in source else 10.0)
    timeline = await record(worker, program, limits)
    truth = await verify(worker, program, limits)

    page = list(text.lines(program, timeline, truth, language=language, width=60))

    assert timeline.outcome is not None
    assert ending_of(timeline.outcome, truth) == expected
    assert page[-1].strip() != ""
    assert not any("\x1b" in line or "{" in line for line in page)
