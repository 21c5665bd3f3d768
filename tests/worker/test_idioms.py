"""For each known pattern the usual change is offered, the fitting lesson named, and no near miss.

A near miss has the look of the pattern, and the change would be wrong or beside the point there.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.concepts import concepts
from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.worker import Worker
from real.judging import REAL
from support.course import COURSE
from support.fixable import FIXABLE
from support.tables import read_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
FIRST = 2
"""Fixes among which the usual one is, if it isn't the first that computes something else."""


class ChosenProgram(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program that other tests have, by its name there, or one of its own."""

    fixable: str = ""
    real: str = ""
    source: str = ""

    @property
    def text(self) -> str:
        if self.fixable:
            return next(each.program for each in FIXABLE if each.name == self.fixable)
        if self.real:
            return next(each.program for each in REAL if each.name == self.real)
        return HEAD + self.source


class Idiom(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A known pattern; `idioms.yaml` says what each field is for."""

    idiom: str
    program: ChosenProgram
    adds: tuple[str, ...] = ()
    adds_part: str = ""
    lesson: str
    near_miss: ChosenProgram
    never: tuple[str, ...]


IDIOMS = msgspec.convert(read_table(Path(__file__).with_name("idioms.yaml")), tuple[Idiom, ...])


async def explained(worker: Worker, chosen: ChosenProgram) -> Case:
    program = Program(source=chosen.text, origin=Origin.OWN, seed=0)
    return await explain(worker, program, Options(budget=120.0))


def added(diff: str) -> list[str]:
    return [line[1:].strip() for line in lines_of(diff) if line.startswith("+")]


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda each: each.idiom)
@pytest.mark.whole(every=24)
async def test_the_usual_change_is_offered_and_the_lesson_fits(
    worker: Worker, idiom: Idiom
) -> None:
    case = await explained(worker, idiom.program)

    usual = [fix for fix in case.fixes if fix.computes is not None]
    fixes = [added(fix.diff) for fix in (*case.fixes[:FIRST], *usual[:1])]
    assert idiom.adds or idiom.adds_part
    assert any(
        set(idiom.adds) <= set(lines) and any(idiom.adds_part in line for line in lines)
        for lines in fixes
    ), fixes
    lesson = COURSE.teaching(concepts(case.verdict, case.blame, case.program.source)[0])
    assert lesson is not None
    assert idiom.lesson in (lesson.lesson.id, *lesson.lesson.teaches)


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda each: each.idiom)
@pytest.mark.whole
async def test_of_a_near_miss_it_is_not_offered(worker: Worker, idiom: Idiom) -> None:
    case = await explained(worker, idiom.near_miss)

    lines = [line for fix in case.fixes for line in added(fix.diff)]
    found = [line for line in lines if any(each in line for each in idiom.never)]
    assert not found, [fix.diff for fix in case.fixes]
