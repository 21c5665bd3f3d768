"""Verdicts and blame on real runs. Torch raises, the timeline says who did it."""

from __future__ import annotations

import re

import pytest

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.outcome import Completed, Raised, Truth, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict
from inplace_tui.common.version_error import version_error
from inplace_tui.diagnosis.blame.classify import verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.explain.rows import explanation
from inplace_tui.diagnosis.runner.worker import Worker
from support.provoking import ALL, RAISED, READ, REFUSED, SILENT, STALE, UNSAVED, Provoking

pytestmark = pytest.mark.asyncio(loop_scope="session")


RAN: dict[str, tuple[Timeline, Truth]] = {}
"""By program: what is asked of it is asked of one run."""


async def ran(worker: Worker, provoking: Provoking) -> tuple[Timeline, Truth]:
    """Record the program, and verify it if it completed."""
    if provoking.program not in RAN:
        program = Program(source=provoking.program, origin=Origin.OWN)
        timeline = await record(worker, program, Limits())
        good = isinstance(timeline.outcome, Completed)
        truth = await verify(worker, program, Limits()) if good else Unverified()
        RAN[provoking.program] = timeline, truth
    return RAN[provoking.program]


async def blamed(worker: Worker, provoking: Provoking) -> Blame:
    timeline, truth = await ran(worker, provoking)
    found = find_blame(timeline, truth, source=provoking.program)
    assert found is not None, (timeline.outcome, truth)
    return found


def named(programs: tuple[Provoking, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("provoking", programs, ids=lambda each: each.name)


@pytest.mark.parametrize("write", ["m.data ^= True", "n = m.numpy(); n ^= True"])
@pytest.mark.whole(every=2)
async def test_a_shape_that_backward_met_is_blamed_on_the_write_to_the_saved_mask(
    worker: Worker, write: str
) -> None:
    lines = (
        "import torch",
        "x = torch.ones(3, requires_grad=True)",
        "m = torch.tensor([True, True, False])",
        "y = x[m]",
        write,
        "y.sum().backward()",
    )
    source = "\n".join(lines) + "\n"

    timeline = await record(worker, Program(source=source, origin=Origin.OWN), Limits())
    found = find_blame(timeline, Unverified(), source=source)

    assert found is not None
    assert [each.line for each in found.writes] == [5]
    assert (found.saver and found.saver.line, found.reader) == (4, 6)


@named(ALL)
@pytest.mark.whole(every=8)
async def test_torch_provokes_the_verdict(worker: Worker, provoking: Provoking) -> None:
    timeline, truth = await ran(worker, provoking)

    assert verdict_of_run(timeline, truth) is provoking.verdict, (timeline.outcome, truth)


async def test_every_verdict_is_provoked() -> None:
    """A verdict that torch never gives does not exist."""
    without_numpy = {Verdict.NUMPY_MISSING}  # it takes another worker: see test_programs

    assert {each.verdict for each in ALL} - {None} | without_numpy == set(Verdict)


@named(UNSAVED)
@pytest.mark.whole
async def test_a_write_to_the_graph_or_to_a_gradient_is_named(
    worker: Worker, provoking: Provoking
) -> None:
    found = await blamed(worker, provoking)

    assert found.saver is None
    assert (found.writes[0].line, found.writes[0].op) == (
        provoking.blame.culprit,
        provoking.blame.op,
    )
    assert (found.reader, found.tensor) == (provoking.blame.reader, provoking.blame.tensor)


@named((*STALE, *(each for each in SILENT if each.verdict)))
@pytest.mark.whole(every=4)
async def test_the_saver_the_first_writer_and_the_reader_are_named(
    worker: Worker, provoking: Provoking
) -> None:
    found = await blamed(worker, provoking)

    assert found.saver is not None
    assert found.saver.line == provoking.blame.saver
    assert found.writes[0].line == provoking.blame.culprit
    assert (found.reader, found.tensor) == (provoking.blame.reader, provoking.blame.tensor)
    if provoking.blame.saved is not None:
        assert found.saver.tensor == provoking.blame.saved
    if provoking.blame.op is not None:
        assert found.writes[0].op == provoking.blame.op


@named(STALE)
@pytest.mark.whole(every=3)
async def test_versions_of_saver_and_writer_are_those_of_the_message(
    worker: Worker, provoking: Provoking
) -> None:
    """Torch itself says which version was saved and which was found."""
    timeline, truth = await ran(worker, provoking)
    found = find_blame(timeline, truth, source=provoking.program)
    assert isinstance(timeline.outcome, Raised)
    said = version_error(timeline.outcome.message)

    assert said is not None
    assert found is not None
    assert found.saver is not None
    assert found.saver.version == found.writes[0].before == said.expected
    assert found.writes[-1].after == said.now


@named(REFUSED)
@pytest.mark.whole(every=3)
async def test_a_refused_write_is_blamed_on_its_line_and_left_no_version(
    worker: Worker, provoking: Provoking
) -> None:
    found = await blamed(worker, provoking)

    [write] = found.writes
    assert (write.line, write.op, write.after) == (
        provoking.blame.culprit,
        provoking.blame.op,
        None,
    )
    assert found.reader == provoking.blame.reader
    if provoking.blame.tensor is not None:
        assert found.tensor == provoking.blame.tensor


async def test_a_view_that_became_useless_is_blamed_on_the_write_to_its_base(
    worker: Worker,
) -> None:
    """The line that raised only read it."""
    written = "import torch\nx = torch.arange(4., requires_grad=True) * 1\nparts = x.split(2)\n"
    written += "with torch.no_grad():\n    parts[0].add_(100)\ny = parts[1] * 3\n"
    timeline = await record(worker, Program(source=written, origin=Origin.OWN), Limits())

    found = find_blame(timeline, Unverified(), source=written)

    assert found is not None
    assert found.verdict is Verdict.MULTI_VIEW_MODIFIED
    assert [(write.line, write.op) for write in found.writes] == [(5, "Tensor.add_")]
    assert found.reader == 6


@named(tuple(each for each in (*RAISED, *READ) if each.verdict))
@pytest.mark.whole(every=8)
async def test_what_raised_or_looked_is_named(worker: Worker, provoking: Provoking) -> None:
    found = await blamed(worker, provoking)

    assert (found.reader, found.tensor) == (provoking.blame.reader, provoking.blame.tensor)
    assert found.origin == provoking.blame.origin
    if provoking.blame.culprit is not None:
        assert [write.line for write in found.writes[:1]] == [provoking.blame.culprit]
    if provoking.blame.saver is not None:
        assert found.saver is not None
        assert found.saver.line == provoking.blame.saver


@named(ALL)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.whole(every=12)
async def test_every_outcome_can_be_explained(
    worker: Worker, provoking: Provoking, language: str
) -> None:
    timeline, truth = await ran(worker, provoking)
    assert timeline.outcome is not None
    found = find_blame(timeline, truth, source=provoking.program)

    said = explanation(timeline.outcome, truth, found, source=provoking.program, language=language)

    assert all(sentence.text and not re.search(r"{\w*}", sentence.text) for sentence in said)
    lines = {sentence.line for sentence in said} - {None}
    assert lines >= {provoking.blame.culprit, provoking.blame.saver} - {None}


CALLED = "import torch\nw = torch.ones(2, requires_grad=True)\n"


@pytest.mark.parametrize(
    ("lines", "switch", "origin"),
    [
        ("with torch.no_grad():\n    y = w * 2\nz = y.sum()\nz.backward()\n", 3, 4),
        (
            "@torch.no_grad()\ndef f(w):\n    y = w * 2\n    return y.sum()\n"
            "z = f(w)\nz.backward()\n",
            3,
            5,
        ),
        (
            "def f(w):\n    y = w * 2\n    return y.sum()\n"
            "torch.set_grad_enabled(False)\nz = f(w)\nz.backward()\n",
            6,
            4,
        ),
        (
            "def f(w):\n    return (w * 2).sum()\n"
            "def g(w):\n    with torch.inference_mode():\n        return f(w)\n"
            "z = g(w)\nz.backward()\n",
            6,
            4,
        ),
        ("y = w.detach() * 2\nz = y.sum()\nz.backward()\n", None, 3),
    ],
)
async def test_what_switched_gradients_off_is_named(
    worker: Worker, lines: str, switch: int | None, origin: int
) -> None:
    program = Program(source=CALLED + lines, origin=Origin.OWN)
    timeline = await record(worker, program, Limits())

    found = find_blame(timeline, Unverified(), source=program.source)

    assert found is not None
    assert (found.verdict, found.switch, found.origin) == (Verdict.NO_GRAD_FN, switch, origin)
