"""Templates do what is said of them; what is shared is a true lesson."""

from __future__ import annotations

import pytest

from inplace_tui.common.run.outcome import Completed, Truth, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import Claim
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, mismatches
from inplace_tui.tutorial.drive.check import check_text
from inplace_tui.tutorial.editor.templates import Template, templates
from inplace_tui.tutorial.share import lesson
from inplace_tui.tutorial.ui.lesson_fit import lesson_overflows

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def ran(worker: Worker, program: Program) -> tuple[Timeline, Truth]:
    timeline = await record(worker, program, Limits())
    if not isinstance(timeline.outcome, Completed):
        return timeline, Unverified()
    return timeline, await verify(worker, program, Limits())


@pytest.mark.parametrize("template", templates(), ids=lambda each: each.id)
@pytest.mark.whole(every=4)
async def test_a_template_does_what_is_said_and_is_a_true_lesson_when_shared(
    template: Template, worker: Worker
) -> None:
    program = Program(source=template.source, origin=Origin.OWN)
    timeline, truth = await ran(worker, program)
    claim = Claim(ends=template.ends, match=template.match or None)

    assert mismatches(claim, FinishedRun(timeline, truth, {}, template.source), None) == []

    slug = "-".join(["shared"] * 8)
    text = lesson(program, timeline, truth, slug=slug, schema="lesson.schema.json")
    loaded, problems = await check_text(worker, text, "shared.yaml")

    assert (loaded is not None, problems) == (True, ())
    assert loaded is not None
    assert lesson_overflows(loaded) == ()
    assert loaded.lesson.title.en.startswith("Shared shared")
    assert "课" in loaded.lesson.title["zh"]
