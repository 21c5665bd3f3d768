"""A fix is one whether its trials are copies of the running program or run from the start."""

from __future__ import annotations

import ast
import random
from textwrap import indent

import pytest

from generated.programs import programs
from inplace_tui.common.run.fix import Candidate
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.drive import before_fault
from inplace_tui.diagnosis.drive.explain import Activity, Options, Progress, explain
from inplace_tui.diagnosis.drive.fixes import FixTrials, Judged
from inplace_tui.diagnosis.fixes.judge import FixJudge
from inplace_tui.diagnosis.runner.worker import Worker
from support.fixable import FIXABLE, Fixable

pytestmark = pytest.mark.asyncio(loop_scope="session")

LATE = """\
for round_ in range(3):
    if round_ == 0:
        first = torch.ones(1, requires_grad=True)
        first.sum().backward()
        continue
"""
"""What fails in its second round, and would go on to a third."""

OUTSIDE = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom


def late(source: str) -> str:
    """Return a program whose statements are rounds of a loop, and fail in the second."""
    lines, statements = source.splitlines(), ast.parse(source).body
    ends = [*(_first_line(each) for each in statements[1:]), len(lines) + 1]
    texts = [
        "\n".join(lines[_first_line(each) - 1 : end - 1]) + "\n"
        for each, end in zip(statements, ends, strict=True)
    ]
    pairs = list(zip(statements, texts, strict=True))
    outside = "".join(text for each, text in pairs if isinstance(each, OUTSIDE))
    inside = "".join(text for each, text in pairs if not isinstance(each, OUTSIDE))
    return outside + LATE + indent(inside, "    ")


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


async def verdicts(
    worker: Worker, source: str, monkeypatch: pytest.MonkeyPatch, *, copied_from: float
) -> tuple[dict[tuple[str, bool], bool], bool]:
    """Return of each edit that was tried whether it is a fix, and whether copies were made."""
    found: dict[tuple[str, bool], bool] = {}
    stages: list[str] = []
    by_itself = FixTrials.tried

    async def tried(
        self: FixTrials, candidate: Candidate, judge: FixJudge, *whole: tuple[FixJudge, Candidate]
    ) -> Judged:
        verdict: Judged = await by_itself(self, candidate, judge, *whole)
        found[candidate.source, candidate.usual] = not verdict.condition
        return verdict

    def told(progress: Progress) -> None:
        if isinstance(progress, Activity):
            stages.append(progress.stage)

    with monkeypatch.context() as patched:
        patched.setattr(before_fault, "COPIED_FROM", copied_from)
        patched.setattr(FixTrials, "tried", tried)
        program = Program(source=source, origin=Origin.OWN)
        await explain(worker, program, Options(budget=300), told)
    return found, "copying" in stages


async def assert_agreed(worker: Worker, source: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether copies were made at all."""
    copied, made = await verdicts(worker, source, monkeypatch, copied_from=0.0)
    if made:
        anew, _ = await verdicts(worker, source, monkeypatch, copied_from=1e9)
        both = copied.keys() & anew.keys()
        others = [(each, copied[each], anew[each]) for each in both if copied[each] != anew[each]]
        assert not others, source + "\n" + "\n".join(map(str, others))
        assert bool(both) == bool(anew), source
    return made


GENERATED = [late(each.source) for each in programs()]
random.Random(0).shuffle(GENERATED)
PARTS = 100
"""Of each, the first one that fails in a way that is copied."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.whole(every=PARTS)
async def test_of_generated_programs(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    for source in GENERATED[part::PARTS]:
        if await assert_agreed(worker, source, monkeypatch):
            return
    raise AssertionError("none is copied")


@pytest.mark.parametrize("program", FIXABLE, ids=lambda each: each.name)
@pytest.mark.whole
async def test_of_programs_that_have_fixes(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, program: Fixable
) -> None:
    await assert_agreed(worker, late(program.program), monkeypatch)
