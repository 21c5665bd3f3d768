"""What is said of programs of which everything is known: tests/programs."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from inplace_tui.common.blame import Blame
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.lookup import step_of
from inplace_tui.common.run.outcome import Completed, Raised, Unverified, Wrong
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from support.catalogue import PROGRAMS, Known

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMITS = Limits(seconds=60)
NOT_KNOWN = {
    "seed000-stale-grad-after-error": "it lives on after a backward that raised",
    "seed001-zhihu-pow": "a use comes after a write that autograd does not record",
    "func-grad-inplace-inside-ok": "torch.func refuses the hooks of the replay",
}
"""Right, and there is no proof of it."""


def named(programs: list[Known]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("known", programs, ids=lambda known: known.id)


async def test_the_programs_are_many_and_each_has_a_name_of_its_own() -> None:
    counted = Counter(known.id for known in PROGRAMS)

    assert max(counted.values()) == 1
    assert len(counted) >= 290


@named([known for known in PROGRAMS if known.numpy])
@pytest.mark.whole(every=24)
async def test_outcome_category_culprit_and_victim_are_those_that_are_known(
    worker: Worker, known: Known
) -> None:
    await _is_known(worker, known)


@named([known for known in PROGRAMS if not known.numpy])
@pytest.mark.whole
async def test_a_program_that_lacks_numpy_is_told_so(
    known: Known, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text(
        "raise ModuleNotFoundError(name='numpy')\n", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    worker = Worker()
    await worker.start()
    try:
        await _is_known(worker, known)
    finally:
        await worker.close()


async def _is_known(worker: Worker, known: Known) -> None:
    program = Program(source=known.source, origin=Origin.OWN)
    timeline = await record(worker, program, LIMITS)
    assert timeline.outcome is not None
    done = isinstance(timeline.outcome, Completed)
    truth = await verify(worker, program, LIMITS) if done else Unverified()
    found = find_blame(timeline, truth, source=known.source)

    ending = Ending.NOT_JUDGED if known.id in NOT_KNOWN else known.ending
    assert ending_of(timeline.outcome, truth) is ending, (timeline.outcome, truth)
    assert (None if found is None else found.verdict) is known.category
    if isinstance(timeline.outcome, Raised):
        assert timeline.outcome.line == known.raises
    if known.ending is Ending.RIGHT:
        return
    assert found is not None
    if known.culprit is not None:
        assert _culprit(found, known.ending) == known.culprit
    assert (None if found.saver is None else found.saver.line) == known.victim
    if isinstance(truth, Wrong):
        assert found.tensor
        assert all(each.tensor for each in truth.differences)
        assert found.writes or found.switch is not None
        assert all(step_of(timeline, write) is not None for write in found.writes)


def _culprit(found: Blame, ending: Ending) -> int | None:
    if found.writes:
        return found.writes[0].line
    if found.cut is not None:
        return found.cut
    return found.reader if ending is Ending.RAISES_BEFORE else None


async def test_every_verdict_has_a_program_or_is_provoked_elsewhere() -> None:
    """`tests/support/provoking.yaml` has all of them; here most are met again."""
    met = {known.category for known in PROGRAMS} - {None}

    assert len(met) >= 40
    assert Verdict.NUMPY_MISSING in met
