"""A claim holds exactly when torch did what it says."""

from __future__ import annotations

import math

import msgspec
import pytest
import pytest_asyncio

from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.outcome import (
    Completed,
    NotReproducible,
    Outcome,
    Stopped,
    TimedOut,
    Truth,
    Unverified,
)
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import Claim
from inplace_tui.tutorial.course.lessons.anchors import find_anchors
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, close, find_visit, mismatches

pytestmark = pytest.mark.asyncio(loop_scope="session")

SPOILT = """\
import torch, warnings
x = torch.tensor([1., 2., 3.], requires_grad=True)  #@ make
y = x.exp()  #@ exp
v = y[1:]  #@ view
n = torch.tensor([float('nan'), 1.])  #@ nan
for i in range(2):
    y.add_(1)  #@ mutate
print("a"); print("b")  # two statements, one step
warnings.warn("watch out")  #@ warn
y.sum().backward()  #@ back
"""

SILENT = """\
import torch
x = torch.tensor([1., 2.], requires_grad=True)  #@ make
y = x.exp()  #@ exp
y.data.add_(1)  #@ write
y.sum().backward()  #@ back
"""

CAUGHT = """\
import torch
x = torch.ones(2, requires_grad=True)
try:
    x.add_(1)  #@ write
except RuntimeError as error:
    print("caught")  #@ caught
"""


async def finished(worker: Worker, program: str) -> FinishedRun:
    """Run a program with anchors."""
    anchored, wrong = find_anchors(program)
    assert wrong == []
    run = Program(source=anchored.code, origin=Origin.OWN)
    timeline = await record(worker, run, Limits())
    truth = await verify(worker, run, Limits())
    return FinishedRun(timeline, truth, anchored.anchors, anchored.code)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def runs(worker: Worker) -> dict[str, FinishedRun]:
    """The programs, run once each."""
    return {program: await finished(worker, program) for program in (SPOILT, SILENT, CAUGHT)}


def claim(**fields: object) -> Claim:
    return msgspec.convert(fields, Claim)


TRUE = [
    (SPOILT, None, {"ends": "raises_in_backward"}),
    (SPOILT, None, {"match": "expected version 0"}),
    (SPOILT, None, {"raised_by": "back", "saved_by": "exp", "changed_by": "mutate"}),
    (SPOILT, None, {"changed_by": "mutate#1"}),
    (SPOILT, None, {"warns": "watch out", "prints": "a\nb\n"}),
    (SPOILT, "mutate", {"tensors": {"y": {"version": 1, "grad_fn": "AddBackward0"}}}),
    (SPOILT, "mutate#2", {"tensors": {"y": {"version": 2, "values": [4.718, 9.389, 22.09]}}}),
    (SPOILT, "exp", {"tensors": {"y": {"values": [2.718, 7.389, 20.09], "is_leaf": False}}}),
    (SPOILT, "view", {"tensors": {"v": {"view_of": "y", "shares": "y", "shape": [2]}}}),
    (SPOILT, "view", {"tensors": {"y": {"view_of": None, "apart": "x", "dtype": "float32"}}}),
    (SPOILT, "nan", {"tensors": {"n": {"values": [math.nan, 1], "requires_grad": False}}}),
    (SPOILT, "back", {"tensors": {"x": {"grad": None, "grad_fn": None, "is_leaf": True}}}),
    (SILENT, None, {"ends": "wrong", "saved_by": "exp", "changed_by": "write"}),
    (SILENT, "back", {"tensors": {"x": {"grad": [3.718, 8.389]}, "y": {"version": 0}}}),
    (CAUGHT, None, {"ends": "right", "match": "a leaf Variable"}),
    (CAUGHT, "write", {"match": "a leaf Variable"}),
    (CAUGHT, "caught", {"prints": "caught"}),
]

FALSE = [
    (SPOILT, None, {"ends": "runs"}, "claimed that it runs to its end; it raises in backward"),
    (SPOILT, None, {"ends": "raises_before"}, "claimed that it raises outside of backward"),
    (SPOILT, None, {"ends": "right"}, "every gradient is right; it raises in backward"),
    (SPOILT, None, {"match": "leaf"}, "claimed that the message has 'leaf'; it is: one of"),
    (SPOILT, None, {"raised_by": "exp"}, "claimed that it is raised by exp; it is line 10"),
    (SPOILT, None, {"saved_by": "make"}, "claimed that it is saved by make; it is line 3"),
    (SPOILT, None, {"changed_by": "mutate#2"}, "it is line 7, visit 1"),
    (SPOILT, "exp", {"warns": "watch"}, "warned so far: none"),
    (SPOILT, "exp", {"prints": "a"}, "it prints: none"),
    (SPOILT, "exp", {"tensors": {"y": {"version": 1}}}, "y.version: claimed 1, seen 0"),
    (SPOILT, "exp", {"tensors": {"y": {"is_leaf": True}}}, "y.is_leaf: claimed true, seen false"),
    (SPOILT, "exp", {"tensors": {"y": {"grad_fn": None}}}, "claimed null, seen ExpBackward0"),
    (SPOILT, "exp", {"tensors": {"y": {"grad": 1}}}, "y.grad: claimed 1, seen null"),
    (SPOILT, "exp", {"tensors": {"z": {}}}, "no tensor is called 'z' here (there are: x, y)"),
    (SPOILT, "exp", {"tensors": {"y": {"values": [2.718, 7.39, 20.09]}}}, "seen [2.7183, 7.3891"),
    (SPOILT, "exp", {"tensors": {"y": {"values": [[2.718, 7.389, 20.09]]}}}, "shape [1, 3]"),
    (SPOILT, "exp", {"tensors": {"y": {"shares": "x"}}}, "claimed that y and x share memory"),
    (SPOILT, "view", {"tensors": {"v": {"apart": "y"}}}, "do not share memory; they do"),
    (SPOILT, "view", {"tensors": {"v": {"view_of": "x"}}}, "claimed x, seen y"),
    (SPOILT, "view", {"tensors": {"v": {"view_of": None}}}, "claimed null, seen y"),
    (SILENT, None, {"ends": "right"}, "silently wrong: x got 3.7183 8.3891, true is 2.7183"),
    (SILENT, None, {"match": "version"}, "nothing was raised"),
    (SILENT, "back", {"tensors": {"x": {"grad": None}}}, "claimed null, seen [3.7183, 8.3891]"),
    (CAUGHT, None, {"changed_by": "write"}, "it is no line"),
]


def at(run: FinishedRun, anchor: str | None) -> int | None:
    """Return the index of the step at an anchor."""
    if anchor is None:
        return None
    step = find_visit(run, anchor)
    assert step is not None
    return step.index


@pytest.mark.parametrize(("program", "anchor", "fields"), TRUE, ids=[str(t[2]) for t in TRUE])
async def test_what_torch_did_is_true(
    runs: dict[str, FinishedRun], program: str, anchor: str | None, fields: dict[str, object]
) -> None:
    run = runs[program]

    assert [said.en for said in mismatches(claim(**fields), run, at(run, anchor))] == []


@pytest.mark.parametrize(
    ("program", "anchor", "fields", "reason"), FALSE, ids=[str(t[2]) for t in FALSE]
)
async def test_what_torch_did_not_do_is_said_with_what_it_did(
    runs: dict[str, FinishedRun],
    program: str,
    anchor: str | None,
    fields: dict[str, object],
    reason: str,
) -> None:
    run = runs[program]

    (said,) = mismatches(claim(**fields), run, at(run, anchor))

    assert reason in said.en


@pytest.mark.parametrize("outcome", [TimedOut(seconds=1), Stopped(limit="steps", value=9)])
@pytest.mark.parametrize("ends", ["right", "wrong", "runs", "raises_before"])
async def test_a_run_without_an_end_of_its_own_satisfies_no_ending(
    outcome: Outcome, ends: str
) -> None:
    timeline = Timeline()
    timeline.outcome = outcome

    assert mismatches(claim(ends=ends), FinishedRun(timeline, Unverified()), None) != []


@pytest.mark.parametrize("truth", [Unverified(), NotReproducible(reason=Reason.RUNS_DIFFER)])
async def test_gradients_of_which_nothing_can_be_said_are_neither_right_nor_wrong(
    truth: Truth,
) -> None:
    timeline = Timeline()
    timeline.outcome = Completed()
    run = FinishedRun(timeline, truth)

    assert mismatches(claim(ends="runs"), run, None) == []
    assert all(mismatches(claim(ends=ends), run, None) for ends in ("right", "wrong"))


@pytest.mark.parametrize(
    ("claimed", "seen", "expected"),
    [
        (2.718, math.e, True),
        (2.7183, math.e, True),
        (2.719, math.e, False),
        (20090, 20085.5, True),
        (0, 0.0, True),
        (0, 1e-9, False),
        (math.nan, math.nan, True),
        (math.nan, 1.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (1, True, True),
        (-1.5, 1.5, False),
        (0.1, 0.1 + 1e-9, True),
    ],
)
async def test_numbers_agree_to_four_digits(claimed: float, seen: float, expected: bool) -> None:
    assert close(claimed, seen) is expected
