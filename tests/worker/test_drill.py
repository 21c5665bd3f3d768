"""What the drill calls true is what torch does, told by an oracle of its own."""

from __future__ import annotations

import asyncio
import traceback
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks  # noqa: TID251  # an oracle, not a recorder

from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.run.outcome import Crashed, Outcome
from inplace_tui.common.run.program import Detail, Limits, Mode, Program
from inplace_tui.diagnosis.protocol.messages import ProgramEnded, Report
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from inplace_tui.tutorial.activity.drill.grammar import LEVELS, Drill, make
from inplace_tui.tutorial.activity.drill.learning import NextDrill
from inplace_tui.tutorial.activity.drill.record import DrillOptions, Sureness
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill
from inplace_tui.tutorial.activity.session.saved import SaveProgress
from inplace_tui.tutorial.activity.session.signals import AnswerGiven
from inplace_tui.tutorial.drive.drill import (
    ChosenDrills,
    DrillError,
    DrillQueue,
    DrillSupply,
    LearnerDrills,
    record_drill,
)
from inplace_tui.tutorial.progress import Progress
from support.stand_in import StandIn
from support.whole import sample

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEEDS = sample(range(200, 204), 2)


def oracle(source: str) -> Ending:
    """Run a program here, bare and with every saved tensor cloned."""
    bare, error = gradients(source)
    if error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        inside = any(frame.name == "backward" for frame in frames)
        return Ending.RAISES_IN_BACKWARD if inside else Ending.RAISES_BEFORE
    with saved_tensors_hooks(lambda tensor: tensor.clone(), lambda tensor: tensor):
        true, _ = gradients(source)
    alike = all(
        torch.allclose(got, wanted, equal_nan=True) for got, wanted in zip(bare, true, strict=True)
    )
    return Ending.RIGHT if alike else Ending.WRONG


def gradients(source: str) -> tuple[list[torch.Tensor], RuntimeError | None]:
    """Return what the leaves hold when it ends; the leaves are the first lines' tensors."""
    space: dict[str, object] = {}
    lines = source.splitlines()
    head = [n for n, line in enumerate(lines) if "requires_grad=True" in line][-1] + 1
    exec("\n".join(lines[:head]), space)
    made = [each for each in space.values() if isinstance(each, torch.Tensor)]
    leaves = [each for each in made if each.requires_grad]
    try:
        exec("\n".join(lines[head:]), space)
    except RuntimeError as error:
        return [], error
    return [torch.zeros(0) if leaf.grad is None else leaf.grad.clone() for leaf in leaves], None


async def recorded(worker: Worker, drills: list[Drill]) -> list[RecordedDrill | None]:
    """Record them two at a time: there are two cores."""
    room = asyncio.Semaphore(2)

    async def one(drill: Drill) -> RecordedDrill | None:
        async with room:
            return await record_drill(worker, drill, Limits())

    return await asyncio.gather(*map(one, drills))


async def test_every_truth_is_what_a_bare_run_shows(worker: Worker) -> None:
    drills = [make(seed, level) for level in range(1, LEVELS + 1) for seed in SEEDS]
    found = await recorded(worker, drills)

    for drill, each in zip(drills, found, strict=True):
        assert each is not None, drill.source
        assert each.ending is oracle(drill.source), drill.source
    endings = Counter(each.ending for each in found if each is not None)
    assert set(endings) == set(PREDICTED)


@pytest.mark.whole
async def test_the_sketch_guesses_well_enough_to_balance_by(worker: Worker) -> None:
    drills = [make(seed, level) for level in (1, 3, 5) for seed in range(200, 220)]

    hits = sum(drill.guess is oracle(drill.source) for drill in drills)

    assert hits >= 0.85 * len(drills)


async def test_what_comes_next_is_ready_before_it_is_asked_for(worker: Worker) -> None:
    supply = DrillSupply(worker)
    wanted = NextDrill(5, 2)
    supply.prepare(wanted, NextDrill(6, 1))
    first = await supply.get(wanted)

    assert (first.drill, first.repeat) == (make(5, 2), False)
    assert first.ending is oracle(first.drill.source)
    await supply.close()


async def handed_out(queue: DrillQueue) -> RecordedDrill:
    """Return the program of a drill that comes next."""
    recorded = (await queue.next()).drill
    assert recorded is not None
    return recorded


async def test_the_programs_of_a_chosen_seed_follow_each_other(
    worker: Worker, tmp_path: Path
) -> None:
    chosen = ChosenDrills(DrillOptions(seed=40, level=2), Progress(tmp_path / "progress.json"))
    queue = DrillQueue(worker, chosen)
    found = [(await handed_out(queue)).drill for _ in range(3)]
    await queue.close()

    assert [drill.seed for drill in found] == [40, 41, 42]
    assert {drill.level for drill in found} == {2}


async def test_a_confident_miss_is_shown_again_in_another_session(
    worker: Worker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("drill") / "progress.json"
    missed = await answer(worker, Progress(path), right=False, count=1)
    await answer(worker, Progress(path), right=True, count=5)
    queue = DrillQueue(worker, LearnerDrills(Progress(path)))
    again = await handed_out(queue)
    await queue.close()

    assert again.repeat
    assert again.drill == missed.drill


async def answer(worker: Worker, progress: Progress, *, right: bool, count: int) -> RecordedDrill:
    """Answer some drills, being sure; return the last."""
    queue = DrillQueue(worker, LearnerDrills(progress))
    for _ in range(count):
        shown = await handed_out(queue)
        ending = next(each for each in PREDICTED if (each is shown.ending) == right)
        session = shown.session()
        session.handle(AnswerGiven(ending))
        for done in session.handle(AnswerGiven(Sureness.SURE)):
            if isinstance(done, SaveProgress):
                queue.save(done)
    assert queue.score == (count if right else 0, count)
    await queue.close()
    return shown


async def test_where_nothing_can_be_determined_it_is_said_instead_of_searched_for_ever() -> None:
    died: Outcome = Crashed(exit_code=-9, worker_died=True)

    class Dying(StandIn):
        async def run(
            self,
            program: Program,  # noqa: ARG002
            mode: Mode,  # noqa: ARG002
            limits: Limits,  # noqa: ARG002
            detail: Detail = PLAIN,  # noqa: ARG002
        ) -> AsyncGenerator[Report, None]:
            yield ProgramEnded(outcome=died)

    supply = DrillSupply(Dying())
    with pytest.raises(DrillError):
        await supply.get(NextDrill(1, 1))
    await supply.close()
