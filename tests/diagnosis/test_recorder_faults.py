"""A failure of the recorder itself is told, not passed over in silence."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.explain import rows as explain
from inplace_tui.diagnosis.runner.worker import Worker
from support.explained import ExplainedRun

pytestmark = pytest.mark.asyncio(loop_scope="session")

SABOTAGE = """
import sys
for name, value in list(vars(sys.modules["inplace_tui.diagnosis.record.recording.ledger"]).items()):
    if getattr(value, "__module__", "").startswith("inplace_tui.diagnosis.record."):
        setattr(sys.modules["inplace_tui.diagnosis.record.recording.ledger"], name, None)
x = 1
"""


async def test_what_breaks_the_recorder_is_told_and_the_program_goes_on(worker: Worker) -> None:
    timeline = await record(worker, Program(source=SABOTAGE, origin=Origin.OWN), Limits())

    view = ExplainedRun(source=SABOTAGE, timeline=timeline, outcome=timeline.outcome)
    told = " ".join(row.text for row in explain.rows(view, 400, "en"))

    assert timeline.outcome == Completed()
    assert "TypeError: 'NoneType' object is not callable" in timeline.faults[0]
    assert "inplace-tui itself failed" in told
    assert "TypeError" in told
