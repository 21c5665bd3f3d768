"""The four conditions, each held against an edit that breaks it; and what a fix tells."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from inplace_tui.common.blame import Blame
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import Candidate, Fix, FixSearch
from inplace_tui.common.run.outcome import Completed, Truth, Unverified
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.fixes import WITH_OUTPUT, FixTrials, best_fixes
from inplace_tui.diagnosis.drive.runs import evidence, record, verify
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.trial import Failed, Passed
from inplace_tui.diagnosis.fixes.value_history import value_histories
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMITS = Limits(seconds=60.0)

STALE = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
base = x * 3
y = base.exp()
print(y.shape)
y.mul_(2)
y.sum().backward()
"""
"""Line 6 writes what line 4 keeps; the true gradient is 6 times y."""

REFUSED = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
w += 1
(w * w).sum().backward()
"""

FREED = """\
import torch
x = torch.tensor([3.0], requires_grad=True)
y = torch.tensor([4.0], requires_grad=True)
loss = (x * x + y * y).sum()
loss.backward()
loss.backward()
"""


async def known(worker: Worker, source: str) -> tuple[Timeline, Truth, Blame | None]:
    """Return all that a judge is told of a program."""
    program = Program(source=source, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed):
        truth = await verify(worker, program, LIMITS)
    return timeline, truth, find_blame(timeline, truth, source=source)


async def judged(worker: Worker, source: str, edited: str, **flags: Any) -> Passed | Failed:
    """Try one edit of a program."""
    timeline, truth, found = await known(worker, source)
    program = Program(source=source, origin=Origin.OWN)
    trials = FixTrials(worker, program, LIMITS, monotonic() + 240, None)
    original = await evidence(worker, program, Mode.CLONED, LIMITS, WITH_OUTPUT)
    judge = await trials.judge(FaultSite(source, found, timeline), truth, original)
    title = LocalText(en="edit", zh="edit")
    candidate = Candidate(kind="edit", title=title, line=1, source=edited, **flags)
    return await trials.tried(candidate, judge)


async def fixes(
    worker: Worker,
    source: str,
    *,
    seconds: float = 240.0,
    on_progress: Callable[[FixSearch], None] | None = None,
) -> list[Fix]:
    timeline, truth, found = await known(worker, source)
    program, deadline = Program(source=source, origin=Origin.OWN), monotonic() + seconds
    trials = FixTrials(worker, program, LIMITS, deadline, on_progress)
    return best_fixes(source, await trials.all(found, timeline, truth))


async def test_an_edit_that_does_what_was_meant_passes(worker: Worker) -> None:
    edited = STALE.replace("y.mul_(2)", "y = y * 2")

    assert isinstance(await judged(worker, STALE, edited), Passed)


OUT_OF_PLACE = ("y.mul_(2)", "y = y * 2")


@pytest.mark.parametrize(
    ("edits", "condition"),
    [
        ([("y.mul_(2)", "y.add_(0)")], "a"),  # raises as before
        ([("y.mul_(2)", "y = z * 2")], "a"),
        ([("y.mul_(2)", "y.data.mul_(2)")], "b"),  # no error, and the wrong gradient
        ([("y.mul_(2)", "y = y.detach() * 2 + base * 0")], "b"),
        ([OUT_OF_PLACE, ("y.sum().backward()", "pass")], "b"),
        ([OUT_OF_PLACE, ("x * 3", "x * 2")], "b"),
        ([OUT_OF_PLACE, ("x * 3", "x * 3 + 1"), ("base.exp()", "(base - 1).exp()")], "c"),
        ([OUT_OF_PLACE, ("print(y.shape)", "print('else')")], "c"),
        ([("y.mul_(2)", "pass"), ("y.sum()", "(2 * y).sum()")], "d"),
    ],
)
@pytest.mark.whole(every=3)
async def test_each_condition_refuses_what_breaks_it(
    worker: Worker, edits: list[tuple[str, str]], condition: str
) -> None:
    edited = STALE
    for old, new in edits:
        edited = edited.replace(old, new)

    verdict = await judged(worker, STALE, edited)

    assert isinstance(verdict, Failed), verdict
    assert verdict.condition == condition, verdict


STEPS = """\
import torch
a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([3.0], requires_grad=True)
first, second = torch.optim.SGD([a], lr=0.25), torch.optim.SGD([b], lr=0.25)
h = a * a
one, other = h.sum(), (h * b).sum()
one.backward(retain_graph=True)
first.step()
second.zero_grad()
other.backward()
second.step()
"""
"""Line 8 writes what line 10 needs."""

OTHER_FIRST = (
    STEPS[: STEPS.index("one.back")]
    + """\
other.backward(retain_graph=True)
second.step()
a.grad = None
one.backward()
first.step()
"""
)

AT_A_STEP = "at a step that had one"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("other", "other", None),
        ("b).sum()", "b.detach()).sum()", "no gradient any more"),
        ("second.step()", "", AT_A_STEP),
        ("second.step()", "second.zero_grad()\nsecond.step()", AT_A_STEP),
        ("second.step()", "b.grad.zero_()\nsecond.step()", AT_A_STEP),
        ("first.step()", "first.param_groups[0]['lr'] = 0\nfirst.step()", "not updated"),
    ],
)
@pytest.mark.parametrize("flag", ["usual", "own_truth"])
@pytest.mark.whole(every=4)
async def test_what_was_stepped_by_a_gradient_still_is(
    worker: Worker, old: str, new: str, reason: str | None, flag: str
) -> None:
    """Whatever else a fix may compute: it is asked of the fixed run itself."""
    verdict = await judged(worker, STEPS, OTHER_FIRST.replace(old, new), **{flag: True})

    if reason is None:
        assert isinstance(verdict, Passed), verdict
    else:
        assert isinstance(verdict, Failed), verdict
        assert reason in verdict.reason


async def test_a_backward_whose_gradients_are_cleared_before_the_step_is_no_fix(
    worker: Worker,
) -> None:
    """The very gradients are delivered, in the order of the original, and one is never used."""
    edited = STEPS.replace("other.backward()\n", "")
    edited = edited.replace("first.step()\n", "other.backward()\nfirst.step()\n")

    verdict = await judged(worker, STEPS, edited)

    assert isinstance(verdict, Failed), verdict
    assert AT_A_STEP in verdict.reason


async def test_an_optimizer_that_is_left_without_its_parameters_is_no_fix(worker: Worker) -> None:
    """The original never comes to its step: the fixed program has to show that it is one."""
    source = REFUSED.replace("w += 1\n", "sgd = torch.optim.SGD([w], lr=0.5)\nw += 1\n")
    source += "sgd.step()\n"
    new = source.replace("w += 1", "w = (w + 1).detach().requires_grad_()")

    verdict = await judged(worker, source, new)

    assert isinstance(verdict, Failed), verdict
    assert "any of its steps" in verdict.reason, verdict


@pytest.mark.whole
async def test_leaving_the_write_out_is_no_fix(worker: Worker) -> None:
    """The gradient would be another one; where there is none, the value is missing."""
    saved = "import torch\nw = torch.ones(2, requires_grad=True)\nb = torch.tensor([3.0, 4.0])\n"
    source = f"{saved}loss = (w * b).sum()\nb.add_(1)\nloss.backward()\n"

    assert isinstance(await judged(worker, STALE, STALE.replace("y.mul_(2)\n", "")), Failed)
    verdict = await judged(worker, source, source.replace("b.add_(1)\n", ""))
    assert isinstance(verdict, Failed)
    assert verdict.condition == "d"


async def test_a_value_that_another_tensor_happens_to_hold_is_not_the_write(worker: Worker) -> None:
    saved = "import torch\nw = torch.ones(2, requires_grad=True)\nb = torch.tensor([3.0, 4.0])\n"
    source = f"{saved}same = b + 1\nloss = (w * b).sum()\nb.add_(1)\nloss.backward()\n"

    verdict = await judged(worker, source, source.replace("b.add_(1)", "b.add(0)"))

    assert isinstance(verdict, Failed)
    assert verdict.condition == "d"


async def test_a_leaf_that_becomes_a_result_has_lost_its_gradient(worker: Worker) -> None:
    verdict = await judged(worker, REFUSED, REFUSED.replace("w += 1", "w = w + 1"))

    assert verdict == Failed("b", "w is no longer a leaf")


async def test_a_refused_write_must_write_what_it_would_have_written(worker: Worker) -> None:
    block = "with torch.no_grad():\n    w += {}"

    good = await judged(worker, REFUSED, REFUSED.replace("w += 1", block.format(1)))
    bad = await judged(worker, REFUSED, REFUSED.replace("w += 1", block.format(2)))

    assert isinstance(good, Passed)
    assert isinstance(bad, Failed)
    assert bad.condition == "d"


async def test_the_gradients_before_the_failure_are_held_against_the_original(
    worker: Worker,
) -> None:
    kept = FREED.replace("loss.backward()", "loss.backward(retain_graph=True)", 1)

    assert isinstance(await judged(worker, FREED, kept), Passed)
    verdict = await judged(worker, FREED, kept.replace("y * y", "2 * y"))
    assert verdict == Failed("b", "the gradient of y is not that of the original")


@pytest.mark.whole
async def test_memory_that_nobody_filled_does_not_count(worker: Worker) -> None:
    """It holds other numbers in every run."""
    source = STALE.replace(
        "base = ",
        "junk = torch.frombuffer(__import__('os').urandom(8), dtype=torch.int32)\nbase = ",
    )

    assert await fixes(worker, source) != []


async def test_memory_that_torch_left_as_it_was_is_the_same_in_every_run(worker: Worker) -> None:
    """What a run of a program left there, another run doesn't: a fix looked like the cause."""
    source = STALE.replace(
        "base = ",
        """\
import os
junk = [torch.frombuffer(bytearray(os.urandom(64 * i)), dtype=torch.uint8) for i in range(1, 40)]
junk = [each.clone() for each in junk]
del junk
rows = torch.empty_like(x, requires_grad=False)
rows[0] = 1.0
spare = x.new_empty(40)
spare[:5] = 1.0
flags = torch.empty(9, dtype=torch.bool)
flags[2] = True
places = torch.empty_strided((4, 2), (2, 1), dtype=torch.int64)
places[0] = 1
kept = torch.zeros(1).resize_(200)
base = """,
    )
    program = Program(source=source, origin=Origin.OWN)
    one, two = [value_histories(await record(worker, program, LIMITS)) for _ in range(2)]

    for name in ("rows", "spare", "flags", "places", "kept"):
        assert [each.content for each in one[name]] == [each.content for each in two[name]]


@pytest.mark.parametrize(
    ("held", "changes"),
    [("z", None), ("state.z", "`state.z` is 2.7183 7.3891 where the original had 5.4366 14.7781")],
)
@pytest.mark.whole(every=3)
async def test_that_the_overwritten_variable_keeps_its_values_is_no_change(
    worker: Worker, held: str, changes: str | None
) -> None:
    """An object outlives the line, and may be read by whoever comes next."""
    source = f"""\
import torch
class State: pass
state = State()
w = torch.tensor([1.0, 2.0], requires_grad=True)
{held} = w.exp()
y = {held}.mul_(2)
(y * y).sum().backward()
"""
    title = f"Compute it out of place and leave `{held}` as it is"
    (found,) = [fix for fix in await fixes(worker, source) if fix.title.en == title]

    assert (found.forward_changes and found.forward_changes.en) == changes


@pytest.mark.whole
async def test_a_copy_of_what_is_returned_costs_what_was_written(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inplace_tui.diagnosis.drive.fixes.MAX_FIXES", 9)
    source = """\
import torch
def exponential(x):
    return x.exp()
y = exponential(torch.zeros(3, 5, requires_grad=True))
y.add_(1)
y.sum().backward()
"""
    by_title = {fix.title.en: fix for fix in await fixes(worker, source)}

    copied = by_title["Take a copy of the result `x.exp()`: the op keeps what it saved"]
    assert copied.cost_bytes == 3 * 5 * 4


async def test_a_fix_tells_what_it_costs_and_what_it_changes(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inplace_tui.diagnosis.drive.fixes.MAX_FIXES", 9)
    source = """\
import torch
x = torch.zeros(3, 5, requires_grad=True)
y = x.exp()
loss = y.sum()
shown = y.detach()
shown.add_(1)
loss.backward()
"""
    found = await fixes(worker, source)
    by_title = {fix.title.en: fix for fix in found}

    copied = by_title["Take a copy of the result `y`: the op keeps what it saved"]
    alone = by_title["Make `shown` a copy that shares no memory"]
    assert copied.cost_bytes == alone.cost_bytes == 3 * 5 * 4
    assert copied.keeps_gradient
    assert copied.forward_changes is None
    assert alone.forward_changes is not None
    assert alone.forward_changes.en.startswith("`y` is [1. 1. 1. 1. 1.]")
    assert "+shown = y.detach().clone()" in alone.diff.splitlines()
    assert alone.line == 5


async def test_what_backward_starts_from_is_said_where_it_differs(worker: Worker) -> None:
    source = """\
import torch
x = torch.zeros(1, requires_grad=True)
y = x.exp()
y.data.add_(1)
y.sum().backward()
"""
    found = await fixes(worker, source)

    moved = next(fix for fix in found if "before the write" in fix.title.en)
    assert moved.forward_changes is not None
    assert moved.forward_changes.en == "backward starts from `y` = 1. where the original had 2."
    assert found.index(moved) > 0


@pytest.mark.parametrize(
    ("source", "title", "keeps"),
    [
        (REFUSED, "no_grad", True),
        (
            "w = torch.ones(2, requires_grad=True)\n"
            "b = w * 2\nb.requires_grad_(False)\n(b + w).sum().backward()\n",
            "Detach",
            False,
        ),
    ],
)
@pytest.mark.whole(every=3)
async def test_a_gradient_is_cut_where_there_was_one(
    worker: Worker, source: str, title: str, keeps: bool
) -> None:
    source = source if source.startswith("import") else f"import torch\n{source}"
    found = await fixes(worker, source)

    assert {fix.keeps_gradient for fix in found if title in fix.title.en} == {keeps}


UPDATED = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    y = w.exp()
    loss = y.sum()
    opt.zero_grad()
    y.data.mul_(2)
    loss.backward()
    opt.step()
"""

TWO_BLOCKS = """\
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(2, 2)
    def forward(self, x):
        h = torch.sigmoid(self.one(x))
        out = h * 1
        h.data.mul_(0.5)
        return out
first, second = Block(), Block()
opt = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.1)
for _ in range(2):
    loss = second(first(torch.ones(1, 2))).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize(
    "source", [UPDATED, TWO_BLOCKS, UPDATED.replace("opt.step()", "w.data -= 0.1 * w.grad")]
)
@pytest.mark.whole(every=3)
async def test_what_follows_from_an_update_by_the_right_gradient_is_no_side_effect(
    worker: Worker, source: str
) -> None:
    found = await fixes(worker, source)

    copied = next(fix for fix in found if "copy of the result" in fix.title.en)
    assert copied.forward_changes is None


@pytest.mark.whole
async def test_what_differs_before_the_update_is_told_though_the_gradient_is_another(
    worker: Worker,
) -> None:
    source = UPDATED.replace("y.data.mul_(2)", "shown = y.detach()\n    shown.mul_(2)")
    source = source.replace("_ in range(2)", "_ in range(1)")
    found = await fixes(worker, source)

    alone = next(fix for fix in found if fix.title.en.startswith("Make `shown` a copy"))
    assert alone.forward_changes is not None
    assert alone.forward_changes.en.startswith("`y` is 2.7183 7.3891 where the original had 5.4366")


async def test_a_program_that_is_fine_or_no_program_gets_no_fix(worker: Worker) -> None:
    assert await fixes(worker, "import torch\nx = torch.ones(1)\n") == []
    assert await fixes(worker, "import torch\nx = (\n") == []


async def test_no_time_no_fix(worker: Worker) -> None:
    assert await fixes(worker, STALE, seconds=0.0) == []


async def test_progress_counts_what_was_tried(worker: Worker) -> None:
    told: list[tuple[int, int | None]] = []

    await fixes(worker, STALE, on_progress=lambda search: told.append((search.tried, search.total)))

    assert told == [(count, len(told) - 1) for count in range(len(told))]
    assert len(told) > 2


@pytest.mark.whole
async def test_when_patience_is_over_one_good_fix_is_enough(worker: Worker) -> None:
    timeline, truth, found = await known(worker, STALE)
    program, deadline = Program(source=STALE, origin=Origin.OWN), monotonic() + 240
    hasty = FixTrials(worker, program, LIMITS, deadline, None, patience=0.0)
    patient = FixTrials(worker, program, LIMITS, deadline, None, patience=240.0)

    few = await hasty.all(found, timeline, truth)
    many = await patient.all(found, timeline, truth)

    good = [isinstance(each.verdict, Passed) and each.verdict.keeps_loss for each in few]
    assert good.count(True) == 1
    assert good[-1]
    assert few == many[: len(few)]
    assert len(few) < len(many)
    assert (hasty.left_out, patient.left_out) == (True, False)


@pytest.mark.whole
async def test_a_right_gradient_that_is_printed_changes_no_forward(worker: Worker) -> None:
    source = """\
import torch
x = torch.zeros(2, requires_grad=True)
y = x.exp()
loss = y.sum()
y.data.mul_(3)
loss.backward()
print(x.grad)
"""
    found = await fixes(worker, source)

    copied = next(fix for fix in found if "a copy of the result" in fix.title.en)
    assert copied.forward_changes is None


async def test_a_copy_that_need_not_be_made_is_left_out(worker: Worker) -> None:
    """What is read twice is saved once: a sum keeps nothing of what it adds up."""
    source = """\
import torch
def refill(buffer, row):
    buffer.copy_(row)
w = torch.ones(2, requires_grad=True)
buffer, total = torch.zeros(2), torch.zeros(())
for i in range(2):
    refill(buffer, torch.full((2,), i + 1.0))
    total = total + (buffer + 1).mean() + (w * buffer).sum() + buffer.sum()
total.backward()
"""
    best = (await fixes(worker, source))[0]

    assert best.source == source.replace("w * buffer", "w * buffer.clone()")
    assert best.cost_bytes == 2 * 4


@pytest.mark.whole
async def test_a_leaf_that_has_another_name_keeps_its_gradient_there(worker: Worker) -> None:
    """`w = w * 2` leaves the leaf to `w0`: an edit after which `w0.grad` is None is no fix."""
    found = await fixes(worker, LEFT_TO_ANOTHER_NAME)

    assert [fix.diff.split("+")[-1].splitlines()[0] for fix in found] == ["w.retain_grad()"]
    assert found[0].keeps_gradient


LEFT_TO_ANOTHER_NAME = """\
import torch
w = torch.tensor(2., requires_grad=True)
w0 = w
w = w * 2
w.backward()
g = w.grad
"""


async def test_a_changed_value_is_told_of_the_round_in_which_it_changes(worker: Worker) -> None:
    source = """\
import torch
w = torch.zeros(4, requires_grad=True)
for i in range(3):
    h = torch.exp(w * i)
    h += 1
    loss = h.sum()
    loss.backward()
"""
    told = {fix.title.en: fix.forward_changes for fix in await fixes(worker, source)}
    later = told.pop("Write after the backward of line 7, which still needs the old values")

    assert later is not None
    assert later.en == "`loss` is 4. where the original had 8."
    assert set(told.values()) == {None}


async def test_an_argument_that_has_its_name_a_line_earlier_is_no_change(worker: Worker) -> None:
    """A new frame's names are seen after its first line, which an edit may have put there."""
    source = """\
import torch
class Shift(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
    def forward(self, x):
        x.add_(self.fc.bias)
        return self.fc(x)
class Squash(Shift):
    def forward(self, x):
        return torch.tanh(self.fc(x))
first, second = Squash(), Shift()
opt = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
for _ in range(2):
    opt.zero_grad()
    second(first(torch.ones(1, 2))).pow(2).sum().backward()
    opt.step()
"""
    told = {fix.title.en: fix.forward_changes for fix in await fixes(worker, source)}

    assert told["Write into a copy of `x`"] is None
    assert told["Compute a new `x` instead of writing the old one in place"] is None


BATCHES = """\
import torch
trunk = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4))
head, critic = torch.nn.Linear(4, 2), torch.nn.Linear(4, 1)
first = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.1)
second = torch.optim.SGD([*trunk.parameters(), *critic.parameters()], lr=0.1)
h = trunk({batch}).tanh()
one = head(h).pow(2).mean()
other = (critic(h) - 1).pow(2).mean()
one.backward(retain_graph=True)
first.step()
second.zero_grad()
other.backward()
second.step()
"""


@pytest.mark.parametrize("batch", ["torch.randn(6, 3)", "torch.ones(6, 3)"])
@pytest.mark.whole
async def test_a_batch_that_is_drawn_anew_is_said_to_be_another(worker: Worker, batch: str) -> None:
    found = await fixes(worker, BATCHES.replace("{batch}", batch))

    [again] = [fix for fix in found if "again after the step" in fix.title.en]
    assert again.computes is not None
    assert "updated parameters" in again.computes.en
    assert ("newly drawn" in again.computes.en) == ("randn" in batch)
