"""What brings the graph of one backward into the next, in programs where a reader can say it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inplace_tui.common.run.outcome import Raised, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.explain.rows import explanation
from inplace_tui.diagnosis.runner.worker import Worker
from support.tables import read_table

PROGRAMS = read_table(Path(__file__).with_name("carried.yaml"))


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("each", PROGRAMS, ids=lambda each: each["name"])
async def test_what_carries_a_graph_over_is_named(worker: Worker, each: dict[str, Any]) -> None:
    program = Program(source=each["source"], origin=Origin.OWN, seed=0)

    timeline = await record(worker, program, Limits())
    found = find_blame(timeline, Unverified(), source=program.source)

    assert found is not None
    assert found.verdict is Verdict.GRAPH_FREED
    carried = found.carried
    assert ([] if carried is None else [carried.tensor, carried.made, carried.used]) == (
        each["carried"]
    )
    assert isinstance(timeline.outcome, Raised)
    said = explanation(timeline.outcome, Unverified(), found, source=program.source, language="en")
    used = timeline.outcome.line if carried is None else carried.used
    assert any(sentence.line == used for sentence in said)
