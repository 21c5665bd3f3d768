"""Templates do what is said of them."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.outcome import Completed, Truth, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import Claim
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, mismatches
from inplace_tui.tutorial.editor.templates import Template, templates

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("template", templates(), ids=lambda each: each.id)
@pytest.mark.whole(every=4)
async def test_a_template_does_what_is_said(template: Template, worker: Worker) -> None:
    program = Program(source=template.source, origin=Origin.OWN)
    timeline = await record(worker, program, Limits())
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed):
        truth = await verify(worker, program, Limits())
    claim = Claim(ends=template.ends, match=template.match or None)

    assert mismatches(claim, FinishedRun(timeline, truth, {}, template.source), None) == []
