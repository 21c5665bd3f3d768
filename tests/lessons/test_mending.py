"""What a lesson offers to be fixed: judged as a challenge is, and as true as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.problems import LessonError
from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.challenges.grading import grade
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.tutorial.drive.check import check_lessons, references, run_attempt

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLANTED = Path(__file__).parent / "planted" / "01-beginnings" / "02-saved-output.yaml"
MEND = """mend:
  of: data
  keep: [make, exp, back]
  same: [y]
  solution: {mutate: "y = y + 1"}
  explain: {en: "It is a new tensor.", zh: "它是新张量。"}
recap:"""


def lesson(mend: str = MEND) -> LoadedLesson:
    text = PLANTED.read_text(encoding="utf-8")
    assert text.count("\nrecap:") == 1
    return load_lesson(text.replace("recap:", mend), PLANTED.name, origin=Origin.BUILT_IN)


async def said(worker: Worker, mend: str) -> list[str]:
    return [
        str(problem)
        async for checked in check_lessons([lesson(mend)], worker)
        for problem in checked.verified.problems
    ]


async def test_a_silently_wrong_variant_is_offered_and_its_solution_wins(worker: Worker) -> None:
    assert await said(worker, MEND) == []


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ('"y = y + 1"', '"y.mul_(2)"', "with the solution: claimed that it runs"),
        ("  of: data\n", "  of: new-tensor\n", "there is no variant"),
        ("make, exp, back", "make, exp, bark", "no `#@ bark`"),
        ('"y = y + 1"', '"y = (y"', "not Python"),
    ],
)
async def test_what_can_not_be_mended_so_is_said(
    worker: Worker, old: str, new: str, wrong: str
) -> None:
    assert MEND.count(old) == 1
    try:
        found = await said(worker, MEND.replace(old, new))
    except LessonError as error:
        found = [str(each) for each in error.problems]

    assert len(found) >= 1
    assert wrong in found[0]
    assert found[0].startswith(PLANTED.name + ":")


@pytest.mark.parametrize(
    ("line", "solves"),
    [
        ("y = y + 1", True),
        ("y = 1 + y.clone()", True),
        ("y.data.add_(1)", False),  # as it is
        ("y = y.detach() + 1", False),
        ("y = y + 1 + y.detach() - y.detach() + 0 * x", True),
        ("y = y / 2 + y.detach() / 2 + 1", False),  # half of the gradient is cut off
    ],
)
async def test_only_gradients_of_the_solution_win(worker: Worker, line: str, solves: bool) -> None:
    loaded = lesson().mending
    assert loaded is not None
    known = await references(worker, loaded)
    edited = loaded.code.replace("y.data.add_(1)", line)

    found = grade(loaded, await run_attempt(worker, loaded, edited), known)

    assert found.solved == solves
