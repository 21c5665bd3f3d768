"""Templates do what is said of them; what is shared is a true lesson, or the same script."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_tui.common.run.outcome import Completed, Raised, Truth, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.step import Printed
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import Claim
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, mismatches
from inplace_tui.tutorial.drive.check import check_text
from inplace_tui.tutorial.editor.templates import Template, templates
from inplace_tui.tutorial.share import lesson, script
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


RANDOM = """\
#!/usr/bin/env python
\"\"\"Draws numbers.\"\"\"
from __future__ import annotations

import random
import torch

x = torch.rand(2, requires_grad=True)
y = (x * random.random()).exp()
print(x.tolist(), y.tolist())
y[0] = 0
(
    y.sum()
    .backward()
)
"""


@pytest.mark.whole
async def test_a_shared_script_ends_the_same_under_plain_python(
    worker: Worker, tmp_path: Path
) -> None:
    program = Program(source=RANDOM, seed=41, origin=Origin.OWN)
    timeline, truth = await ran(worker, program)
    path, versions = tmp_path / "shared.py", {"python": "3", "torch": "2"}
    told = script(program, timeline, truth, versions=versions, name=path.name, language="zh")
    path.write_text(told, encoding="utf-8")

    arguments = [sys.executable, str(path)]
    done = await asyncio.to_thread(subprocess.run, arguments, capture_output=True, text=True)

    outcome = timeline.outcome
    assert isinstance(outcome, Raised)
    assert done.stderr.rstrip().endswith(outcome.message.rstrip())
    assert done.stdout == printed(timeline)
    lines = path.read_text(encoding="utf-8").splitlines()
    [told_line] = [int(n) for line in lines for n in re.findall(r"第 (\d+) 行的 backward", line)]
    assert lines[told_line - 1].strip() == ".backward()"
    assert lines[0].startswith("#!")


def printed(timeline: Timeline) -> str:
    events = [event for step in timeline for event in step.events]
    return "".join(event.text for event in events if isinstance(event, Printed))
