"""What a run is called in a document, and what is printed of it."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.report import text
from inplace_tui.tutorial.report.documents import result

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEAF = "import torch\nx = torch.ones(2, requires_grad=True)\n"

RESULTS = [
    ("x = 1\n", "ok"),
    ("import sys\nsys.exit(0)\n", "ok"),
    (f"{LEAF}try:\n    x.add_(1)\nexcept RuntimeError:\n    pass\n", "ok"),
    (f"{LEAF}x.add_(1)\n", "error_at_step"),
    (f"{LEAF}y = x.exp()\ny.add_(1)\ny.sum().backward()\n", "error_at_backward"),
    (f"{LEAF}y = x.exp()\ny.data.add_(1)\ny.sum().backward()\n", "silent_wrong"),
    ("x = (1\n", "other_error"),
    ("x = 'caf\udce9'\n", "other_error"),
    ("undefined\n", "other_error"),
    ("raise SystemExit(3)\n", "other_error"),
    ("import os\nos._exit(3)\n", "other_error"),
    ("while True: pass\n", "other_error"),
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

    assert result(timeline, truth) == expected
    assert page[-1].strip() != ""
    assert not any("\x1b" in line or "{" in line for line in page)
