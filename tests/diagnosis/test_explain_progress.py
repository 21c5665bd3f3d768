"""What `explain` tells while it is at work, and how far it lets the program itself go."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.command.settings import Leads
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.drive.explain import Activity, Options, Progress, explain
from inplace_tui.diagnosis.explain.explanation import Case, Untried, culprits, explanation
from inplace_tui.diagnosis.explain.report import ExplanationPage, rows
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

STALE = """\
import torch
w = torch.ones(3, requires_grad=True)
def loss():
    h = torch.sigmoid(w)
    h += 1
    return h.sum()
loss().backward()
"""
CAUGHT = STALE.replace(
    "loss().backward()", "try:\n    loss().backward()\nexcept RuntimeError:\n    pass"
)


def is_failure(told: Progress) -> bool:
    """Whether this is what is known when the first run has failed."""
    return isinstance(told, Case) and told.timeline is None


@pytest.mark.parametrize(("source", "reader"), [(STALE, 7), (CAUGHT, 8)])
async def test_who_did_it_is_told_before_anything_is_recorded(
    worker: Worker, source: str, reader: int
) -> None:
    told: list[Progress] = []

    program = Program(source=source, origin=Origin.OWN, filename="train.py")
    await explain(worker, program, Options(), told.append)

    (at,) = (index for index, each in enumerate(told) if is_failure(each))
    before = [each.stage for each in told[:at] if isinstance(each, Activity)]
    after = [each.stage for each in told[at:] if isinstance(each, Activity)]
    assert before[0] == "running"
    assert "recording" in after
    assert "recording" not in before
    case = told[at]
    assert isinstance(case, Case)
    _, *places, follows = ExplanationPage(case, "en", 100).first_run("train.py")
    assert [" ".join(each.text.split()) for each in places] == [
        "train.py:4 saved h at version 0 h = torch.sigmoid(w)",
        "train.py:5 the line at fault: wrote h: version 0 to 1 h += 1",
        f"train.py:{reader} needs h at version 0 loss().backward()",
    ]
    assert follows.text.startswith("This is what its own run showed")


async def test_while_fixes_are_tried_it_is_told_how_many_runs_and_fixes_there_were(
    worker: Worker,
) -> None:
    heard: list[Progress] = []

    program = Program(source=STALE, origin=Origin.OWN)
    case = await explain(worker, program, Options(budget=120), heard.append)

    told = [each for each in heard if isinstance(each, Activity)]
    tried = [each for each in told if each.total]
    assert [each.tried for each in tried] == sorted(each.tried for each in tried)
    assert 0 < tried[-1].tried <= tried[-1].total
    assert [each.runs for each in told] == sorted(each.runs for each in told)
    assert told[0].runs == 1
    assert told[-1].runs <= case.runs + 1


async def test_of_a_program_that_is_fine_nothing_is_told_at_once(worker: Worker) -> None:
    told: list[Progress] = []
    source = STALE.replace("h += 1", "h = h + 1")

    await explain(worker, Program(source=source, origin=Origin.OWN), Options(), told.append)

    assert not any(map(is_failure, told))


async def test_a_run_longer_than_the_budget_is_not_ended_and_what_was_left_out_is_said(
    worker: Worker,
) -> None:
    source = """
import time, torch
w = torch.ones(3, requires_grad=True)
time.sleep(0.5)
w.exp().sum().backward()
"""
    options = Options(budget=0.3)

    case = await explain(worker, Program(source=source, origin=Origin.OWN), options)

    assert case.outcome == Completed()
    assert (case.ending, case.not_tried) == (Ending.NOT_JUDGED, (Untried.GRADIENTS,))
    assert case.runs == 1
    run_count = rows(case, file="long.py", leads=Leads(), language="en", room=100)[-1].text
    assert (
        run_count == "Ran out of time before comparing its gradients. Use --budget to allow more."
    )


@pytest.mark.whole
async def test_a_longer_program_gets_a_longer_budget_unless_one_is_given(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inplace_tui.diagnosis.drive.explain.MIN_BUDGET", 0.01)
    program = Program(source=f"import time\ntime.sleep(1)\n{STALE}", origin=Origin.OWN)

    case = await explain(worker, program, Options())
    given = await explain(worker, program, Options(budget=0.01))

    assert case.fixes
    assert not given.fixes
    assert given.not_tried


@pytest.mark.whole
async def test_of_a_failure_after_more_than_the_budget_the_line_is_known(worker: Worker) -> None:
    """From its own run: a recording takes longer than that did."""
    source = STALE.replace("loss().backward()", "import time\ntime.sleep(2)\nloss().backward()")

    case = await explain(worker, Program(source=source, origin=Origin.OWN), Options(budget=0.3))

    assert case.ending is Ending.RAISES_IN_BACKWARD
    assert [each.line for each in culprits(case)] == [5]
    assert case.not_tried == (Untried.RECORDING, Untried.FIXES)


SECOND = """
import pathlib, torch
seen = pathlib.Path("seen")
w = torch.ones(3, requires_grad=True)
h = torch.sigmoid(w)
if seen.exists():
    h += 1
seen.touch()
h.sum().backward()
"""


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize(
    ("write", "ending"), [("h += 1", Ending.RIGHT), ("w += 1", Ending.NOT_JUDGED)]
)
async def test_an_error_of_a_second_run_alone_is_not_the_program_s_own(
    worker: Worker, tmp_path: Path, write: str, ending: Ending, *, in_place: bool
) -> None:
    """What the first run leaves behind makes the others fail; the first did not.

    `h += 1` harms no replay that clones what is saved: it delivers what the first run did.
    """
    source = SECOND.replace('"seen"', f'"{tmp_path / "seen"}"').replace("h += 1", write)
    program = Program(source=source, origin=Origin.OWN, folder=str(tmp_path))
    told: list[Progress] = []

    case = await explain(worker, program, Options(in_place=in_place), told.append)

    assert case.outcome == Completed()
    assert case.ending is (ending if case.runs > 1 else Ending.RUNS)
    assert (case.verdict, case.blame, case.fixes) == (None, None, ())
    assert not any(map(is_failure, told))
    document = explanation(case, file="second.py", lesson=None)
    assert (document.error, document.culprits, document.victim) == (None, [], None)


async def test_an_error_that_a_second_run_replaces_is_told_as_the_first_one_was(
    worker: Worker, tmp_path: Path
) -> None:
    source = SECOND.replace('"seen"', f'"{tmp_path / "seen"}"')
    source = source.replace("    h += 1", "    raise KeyError('the second')\nh += 1")
    program = Program(source=source, origin=Origin.OWN, folder=str(tmp_path))

    case = await explain(worker, program, Options(in_place=True))

    document = explanation(case, file="second.py", lesson=None)
    assert document.error is not None
    assert (document.error.type, document.error.line) == ("RuntimeError", 10)
    assert [each.line for each in document.culprits] == [8]
    assert document.fixes == []


async def test_runs_on_the_program_s_own_files_come_one_after_the_other(
    worker: Worker, tmp_path: Path
) -> None:
    source = f"""\
import time, torch
def note(mark):
    with open({str(tmp_path / "marks")!r}, "a") as marks:
        marks.write(mark)
note("(")
try:
    time.sleep(0.1)
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()
finally:
    note(")")
"""
    program = Program(source=source, origin=Origin.OWN, folder=str(tmp_path))

    case = await explain(worker, program, Options(in_place=True))

    assert case.fixes
    assert (tmp_path / "marks").read_text() == "()" * case.runs
