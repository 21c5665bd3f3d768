"""Where more than the verdict tells which lesson to name, a program of that lesson does it.

For the verdicts that have one lesson each, see `lessons/test_course.py`.
"""

from __future__ import annotations

import pytest

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.concepts import concepts
from inplace_tui.common.run.outcome import Completed, Truth, Unverified
from inplace_tui.common.run.program import Limits
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from support.course import COURSE

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def provoked(worker: Worker, loaded: LoadedLesson) -> set[tuple[Verdict, str | None]]:
    """Return the verdicts of a lesson's programs, each with the concept that is named for it."""
    found: set[tuple[Verdict, str | None]] = set()
    for variant in (None, *(each.id for each in loaded.lesson.variants)):
        program = loaded.program(variant)
        timeline = await record(worker, program, Limits())
        truth: Truth = Unverified()
        if isinstance(timeline.outcome, Completed):
            truth = await verify(worker, program, Limits())
        kind = verdict_of_run(timeline, truth)
        if kind is not None:
            blame = find_blame(timeline, truth, source=program.source)
            found.add((kind, concepts(kind, blame, program.source)[0]))
    return found


@pytest.mark.parametrize(
    ("kind", "taught"),
    [
        (Verdict.SAVED_TENSOR_MODIFIED, Verdict.SAVED_TENSOR_MODIFIED.concept),
        (Verdict.SILENTLY_WRONG, Verdict.SILENTLY_WRONG.concept),
        (Verdict.SILENTLY_WRONG, "fused-step"),
        (Verdict.SILENTLY_WRONG, "numpy-alias"),
        (Verdict.SAVED_TENSOR_MODIFIED, "saved-output"),
        (Verdict.SAVED_TENSOR_MODIFIED, "step-between"),
    ],
)
@pytest.mark.whole(every=3)
async def test_a_lesson_s_program_provokes_the_verdict_it_is_named_for(
    worker: Worker, kind: Verdict, taught: str
) -> None:
    loaded = next((each for each in COURSE.lessons if taught in each.lesson.teaches), None)

    assert loaded is not None, f"no lesson teaches {taught}"
    assert (kind, taught) in await provoked(worker, loaded)


@pytest.mark.parametrize(
    ("op", "saved_on", "taught"),
    [
        ("Tensor.add_", 5, "residual"),
        ("Tensor.add_", 4, "input-or-output"),
        ("Tensor.__setitem__", 4, "item-assignment"),
        ("Sequential.__call__", 5, "in-place-activation"),
        ("Embedding.__call__", 4, "hidden-in-place"),
    ],
)
async def test_what_wrote_and_where_it_was_saved_choose_the_lesson(
    op: str, saved_on: int, taught: str
) -> None:
    blame = Blame(
        verdict=Verdict.SAVED_TENSOR_MODIFIED,
        saver=Saver(line=saved_on, node="MulBackward0", slot="self", version=0),
        writes=(Mutation(line=5, op=op, before=0, after=1),),
    )

    assert concepts(blame.verdict, blame)[0] == taught
    assert any(taught in each.lesson.teaches for each in COURSE.lessons)
