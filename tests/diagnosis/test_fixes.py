"""Fixes of real programs: what passes is run once more, and prints what it must."""

from __future__ import annotations

import ast
from time import monotonic

import pytest

from inplace_tui.common.run.outcome import Completed, Truth, Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.texts.fixes import TITLES
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.fixes import FixTrials, TriedCandidate
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.fixes.trial import Failed, Passed
from inplace_tui.diagnosis.runner.worker import Worker
from support.fixable import FIXABLE, Fixable
from support.recording import bare

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMITS = Limits(seconds=60.0)


async def tried(worker: Worker, source: str) -> list[TriedCandidate]:
    """Run every candidate of a program."""
    program = Program(source=source, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed):
        truth = await verify(worker, program, LIMITS)
    trials = FixTrials(worker, program, LIMITS, monotonic() + 240, None)
    return await trials.all(find_blame(timeline, truth, source=source), timeline, truth)


@pytest.mark.parametrize("fixable", FIXABLE, ids=lambda each: each.name)
@pytest.mark.whole(every=40)
async def test_what_passes_runs_bare_and_prints_what_the_program_means(
    worker: Worker, fixable: Fixable
) -> None:
    found = await tried(worker, fixable.program)
    passed = {each.candidate.kind for each in found if isinstance(each.verdict, Passed)}
    reasons = {e.candidate.kind: e.verdict for e in found if isinstance(e.verdict, Failed)}

    assert passed >= set(fixable.fixes), (passed, reasons)
    assert not passed & set(fixable.never)
    for each in found:
        kind = each.candidate.kind
        if not isinstance(each.verdict, Passed) or kind not in (fixable.printed_by or passed):
            continue
        ending = bare(f"{each.candidate.source}\nprint({fixable.print})")
        assert ending.error is None, each.candidate.source
        last = ending.printed.splitlines()[-1]
        assert ast.literal_eval(last) == fixable.gives, each.candidate.source


async def test_every_kind_of_fix_is_provoked() -> None:
    """A rewrite that never helped anybody does not exist."""
    kinds = {kind for each in FIXABLE for fix in each.fixes for kind in fix.split("+")}
    assert kinds == set(TITLES)


COULD_NOT_RUN = {
    "the write is in the call whose result is the loss": """\
import torch
w = torch.ones(3, requires_grad=True)
kept = {0: torch.zeros(3)}
def run(kept):
    state = kept[0]
    for t in range(2):
        state = w[None][0] * state + w
    kept[0].copy_(state)
    return state
loss = run(kept).sum()
loss.backward()
""",
    "what is written is named between": """\
import torch
w = torch.ones(3, requires_grad=True)
y = w.exp()
scale = y.detach().sum()
y.mul_(scale)
total = y.sum()
total.backward()
""",
    "a state in a dict": """\
import torch
w = torch.ones(3, requires_grad=True)
state = {0: torch.zeros(3), 1: torch.zeros(3)}
for i in range(2):
    state[0] = state[0] * w + 1
    state[1] = state[1] + w
    (state[0].sum() + state[1].sum()).backward()
""",
    "a number is written, too": """\
import torch
w = torch.ones(3, requires_grad=True)
buffer, n = torch.zeros(3), 2
for i in range(2):
    buffer.add_(w)
    buffer.add_(n)
    (buffer * w).sum().backward()
""",
    "a list of pieces": """\
import torch
w = torch.ones(4, requires_grad=True)
def parts(x):
    y = x.exp()
    found = [y, y * 2]
    return found
pieces = parts(w)
pieces[0].add_(1)
(pieces[0].sum() + pieces[1].sum()).backward()
""",
}


@pytest.mark.parametrize("source", COULD_NOT_RUN.values(), ids=COULD_NOT_RUN)
@pytest.mark.whole(every=3)
async def test_no_edit_is_made_that_could_not_run(worker: Worker, source: str) -> None:
    found = await tried(worker, source)

    raised = filter(None, (each.verdict.raised for each in found))
    assert found
    assert not [each.message for each in raised if each.exception != "RuntimeError"]
