"""Programs of very many lines, of very long ones, and nested as deep as Python takes."""

from __future__ import annotations

import os
import time

import pytest

from inplace_tui.common.run.outcome import Completed, Raised, Stopped, TimedOut, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.run import GRACE
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.forecast.forecast import StepForecasts
from inplace_tui.tutorial.report import page, text

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECONDS = 3
SLOW = 4.0
"""Times that a machine under load may take."""

PART = 1 if os.environ.get("LONG") == "all" else 50
"""A long program takes a processor for half a minute."""

NESTED = "".join(f"{'    ' * depth}if 1:\n" for depth in range(90)) + "    " * 90 + "x = 1\n"
PROGRAMS = {
    "200,000 lines": "a = 1\n" * (200_000 // PART),
    "one line of 1 MB": f"a = [{'1, ' * (333_000 // PART)}]\nb = 1\n",
    "100,000 statements on a line": "a = 1;" * (100_000 // PART),
    "deep blocks": NESTED,
    "deep brackets": f"a = {'(' * 190}1{')' * 190}\n",
    "too deep": f"a = {'-' * 90_000}1\n",
    "a sum of 25,000": f"a = {'1 + ' * 25_000}1\n",
}


def own(source: str) -> Program:
    return Program(source=source, origin=Origin.OWN)


async def explained(worker: Worker, source: str) -> Case:
    return await explain(worker, own(source), Options(seconds=2 * SECONDS, budget=SECONDS))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.whole(every=3)
async def test_explain_and_run_end_in_time_with_an_answer(worker: Worker, name: str) -> None:
    begun = time.monotonic()
    timeline = await record(worker, own(PROGRAMS[name]), Limits(seconds=SECONDS))
    ran = time.monotonic()
    case = await explained(worker, PROGRAMS[name])
    over = time.monotonic()

    assert isinstance(timeline.outcome, Completed | TimedOut | Stopped | Raised)
    assert isinstance(case.outcome, Completed | Raised)
    assert ran - begun < SLOW * (SECONDS + GRACE)
    assert over - ran < SLOW * 3 * SECONDS


async def test_of_a_long_run_the_middle_is_left_out_and_a_long_line_is_cut(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "MAX_STEPS", 600)
    program = own(f"for i in range(400):\n    i  # {'x' * 5000}\nprint('over')\n")
    timeline = await record(worker, program, Limits())

    lines = list(text.lines(program, timeline, Unverified(), language="en", width=80))

    left_out = len(timeline) - 600
    assert left_out > 0
    assert sum(f"{left_out:,} lines of the run are left out" in line for line in lines) == 1
    assert "│ over" in "\n".join(lines)
    assert max(len(line) for line in lines) < 1_100


DEEPER = """\
import torch
y = x = torch.ones(1, requires_grad=True)
for _ in range(200):
    y = y + y * 0.5
"""


@pytest.mark.whole
async def test_of_a_deep_graph_forecasts_and_steps_are_left_out_with_a_sentence(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = own(DEEPER)
    timeline = await record(worker, program, Limits())
    whole = list(text.lines(program, timeline, Unverified(), language="en", width=100))
    monkeypatch.setattr(text, "MAX_WALKED", 3_000)
    monkeypatch.setattr(page, "MAX_NODES", 3_000)
    walked = 0
    below = StepForecasts._collect

    def collect(forecasts: StepForecasts) -> None:
        nonlocal walked
        walked += len(forecasts._snapshot.nodes)
        below(forecasts)

    monkeypatch.setattr(StepForecasts, "_collect", collect)

    lines = list(text.lines(program, timeline, Unverified(), language="en", width=100))
    seen = page.document(Session.of_recording(program, timeline, Unverified()), "it", "en")

    (left_out,) = (place for place, line in enumerate(lines) if "too many to go through" in line)
    assert lines[:left_out] == whole[:left_out]
    assert len(lines) == len(whole) + 1
    last = max(place for place, line in enumerate(lines) if "AddBackward0" in line)
    assert " ? " in lines[last]
    assert 2_000 < walked <= 2 * 3_000
    assert f"The run has {len(timeline)} steps; the last 7 are here." in seen
