"""The runner: instructions performed, reports passed on. Replayed reports, then real ones."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.outcome import Completed, Crashed, Raised, TimedOut, Wrong
from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.common.run.step import Step
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.protocol.messages import (
    LineRecorded,
    ProgramEnded,
    ProgramStarted,
    Report,
)
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    Move,
    Moved,
    Restarted,
    VariantChosen,
)
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from support.course import COURSE
from support.patience import PATIENCE
from support.running import AGAIN

pytestmark = pytest.mark.asyncio(loop_scope="session")

LESSON = load_lesson(
    Path(__file__).with_name("saved_output.yaml").read_text(encoding="utf-8"),
    "saved-output.yaml",
    origin=Origin.BUILT_IN,
)


class Replayed(Worker):
    """A worker that plays back the reports of a run; `gate` holds back what follows it."""

    def __init__(self, reports: list[Report]) -> None:
        super().__init__()
        self.reports = reports
        self.gate = asyncio.Event()
        self.runs: list[tuple[str, Mode]] = []
        self.closed = 0

    async def run(
        self,
        program: Program,
        mode: Mode,
        limits: Limits,
        detail: Detail = PLAIN,  # noqa: ARG002
    ) -> AsyncGenerator[Report, None]:
        """Yield the reports; the last one when the gate is open."""
        is_own = program.origin is Origin.OWN
        assert limits == Limits(in_view=is_own and mode is not Mode.RECORD)
        self.runs.append((program.source, mode))
        try:
            if mode is Mode.RECORD:
                for report in self.reports:
                    if isinstance(report, ProgramEnded):
                        await self.gate.wait()
                    yield report
            else:
                yield ProgramEnded(outcome=Completed())
        finally:
            self.closed += 1


def loop_of(count: int) -> list[Report]:
    steps = [
        LineRecorded(step=Step(index=i, line=1, end_line=1, visit=i + 1, began=i, then=1))
        for i in range(count)
    ]
    return [ProgramStarted(line=1), *steps, ProgramEnded(outcome=Completed())]


async def until(happened: Callable[[], bool], changed: asyncio.Event) -> None:
    """Wait for the runner to say that something changed, until it is the right thing."""
    async with asyncio.timeout(PATIENCE):
        while not happened():
            changed.clear()
            await changed.wait()


@pytest.mark.whole
async def test_a_loop_of_100000_lines_costs_few_refreshes() -> None:
    changed = asyncio.Event()
    changes = 0

    def count() -> None:
        nonlocal changes
        changes += 1
        changed.set()

    worker = Replayed(loop_of(100_000))
    worker.gate.set()
    runner = SessionRunner(
        Session(Program(source="loop", origin=Origin.OWN)), worker, on_change=count
    )
    await play(runner, changed)
    await runner.close()

    assert len(runner.session.view().timeline) == 100_000
    assert changes < 100


async def test_steps_are_heard_of_while_the_run_goes_on() -> None:
    changed = asyncio.Event()
    runner = SessionRunner(
        Session(Program(source="loop", origin=Origin.OWN)),
        Replayed(loop_of(3)),
        on_change=changed.set,
    )
    runner.start()

    await until(lambda: len(runner.session.view().timeline) == 3, changed)

    assert runner.session.view().running
    await runner.close()


async def test_running_again_closes_the_run_before() -> None:
    changed = asyncio.Event()
    worker = Replayed(loop_of(3))
    runner = SessionRunner(
        Session(Program(source="old", origin=Origin.OWN)), worker, on_change=changed.set
    )
    runner.start()
    await until(lambda: len(runner.session.view().timeline) == 3, changed)

    runner.send(Restarted(Program(source="new", origin=Origin.OWN)))
    worker.gate.set()
    await until(lambda: not runner.session.view().running, changed)
    await runner.close()

    assert [source for source, mode in worker.runs if mode is Mode.RECORD] == ["old", "new"]
    assert worker.closed == len(worker.runs)


async def test_progress_is_saved_once_for_a_held_key_and_always_at_the_end() -> None:
    kept: list[SaveProgress] = []
    changed = asyncio.Event()
    lesson = load_lesson(
        Path(__file__).with_name("saved_output.yaml").read_text(encoding="utf-8"),
        "saved-output.yaml",
        origin=Origin.BUILT_IN,
    )
    runner = SessionRunner(
        Session(lesson), Replayed(loop_of(50)), on_change=changed.set, on_progress=kept.append
    )
    runner.start()
    await until(lambda: len(runner.session.view().timeline) == 50, changed)
    for _ in range(20):
        runner.send(Moved(Move.NEXT))
    held = len(kept)

    await runner.close()

    assert held <= 1
    assert kept[-1].cursor == runner.session.view().cursor == 19


# From here on with real processes.


async def play(runner: SessionRunner, changed: asyncio.Event) -> None:
    """Start, and wait until the run is over and its truth is known."""
    runner.start()
    await until_verified(runner, changed)


async def until_verified(runner: SessionRunner, changed: asyncio.Event) -> None:
    view = runner.session.view
    await until(lambda: not view().running and not view().verifying, changed)


async def test_a_lesson_is_played_from_start_to_end(worker: Worker) -> None:
    changed = asyncio.Event()
    runner = SessionRunner(Session(LESSON), worker, on_change=changed.set)
    await play(runner, changed)

    runner.send(Moved(Move.CONTINUE))
    at_question = runner.session.view()
    runner.send(AnswerGiven("right"))
    runner.send(AnswerGiven("raises"))
    answered = runner.session.view()
    await runner.close()

    assert at_question.question is not None
    assert at_question.outcome is None
    assert answered.question is not None
    assert answered.question.status is QuestionStatus.RIGHT
    assert isinstance(answered.outcome, Raised)
    assert answered.blame is not None
    assert answered.blame.verdict is Verdict.SAVED_TENSOR_MODIFIED


async def test_the_outcome_beside_an_answer_tells_nothing_of_later_lines(worker: Worker) -> None:
    changed = asyncio.Event()
    loaded = next(each for each in COURSE.lessons if each.lesson.id == "leaf-lost")
    runner = SessionRunner(Session(loaded), worker, on_change=changed.set)
    await play(runner, changed)

    runner.send(Moved(Move.CONTINUE))
    runner.send(AnswerGiven("leaf"))
    answered = runner.session.view()
    runner.send(Moved(Move.END))
    at_the_end = runner.session.view()
    await runner.close()

    assert answered.ran is not None
    assert (answered.ran.line, answered.blame) == (5, None)
    assert isinstance(answered.outcome, Completed)
    assert at_the_end.blame is not None
    assert at_the_end.blame.reader == 6


async def test_an_answer_is_kept_before_anybody_sees_what_became_of_it(worker: Worker) -> None:
    """Whoever kills the program a moment later has seen it confirmed."""
    kept: list[SaveProgress] = []
    shown: list[tuple[QuestionStatus, QuestionStatus]] = []
    changed = asyncio.Event()

    def draw() -> None:
        changed.set()
        asked = runner.session.view().question
        if asked is not None and asked.status in (QuestionStatus.AGAIN, QuestionStatus.RIGHT):
            (answer,) = kept[-1].answers
            shown.append((asked.status, answer.status))

    runner = SessionRunner(Session(LESSON), worker, on_change=draw, on_progress=kept.append)
    await play(runner, changed)
    runner.send(Moved(Move.CONTINUE))
    runner.send(AnswerGiven("right"))
    runner.send(AnswerGiven("raises"))
    await runner.close()

    assert shown == [
        (QuestionStatus.AGAIN, QuestionStatus.AGAIN),
        (QuestionStatus.RIGHT, QuestionStatus.RIGHT),
    ]


async def test_a_variant_shows_what_would_be_silently_wrong(worker: Worker) -> None:
    changed = asyncio.Event()
    runner = SessionRunner(Session(LESSON), worker, on_change=changed.set)
    await play(runner, changed)
    runner.send(Moved(Move.CONTINUE))
    runner.send(AnswerGiven("right"))
    runner.send(AnswerGiven("raises"))

    runner.send(VariantChosen("data"))
    runner.send(AnswerGiven(Ending.WRONG.value))
    await until_verified(runner, changed)
    runner.send(Moved(Move.END))
    view = runner.session.view()
    await runner.close()

    assert isinstance(view.truth, Wrong)
    assert view.blame is not None
    assert view.blame.writes[0].line == 4


@pytest.mark.whole
async def test_an_endless_loop_keeps_the_history_before_it(worker: Worker) -> None:
    changed = asyncio.Event()
    program = Program(source="a = 1\nb = 2\nwhile True: pass\n", origin=Origin.OWN)
    for seconds in AGAIN:
        limits = Limits(seconds=seconds)
        runner = SessionRunner(Session(program), worker, on_change=changed.set, limits=limits)
        await play(runner, changed)
        runner.send(Moved(Move.END))
        view = runner.session.view()
        await runner.close()
        if len(view.timeline) > 1:
            break

    assert isinstance(view.outcome, TimedOut)
    assert [step.line for step in view.timeline.steps[:2]] == [1, 2]


@pytest.mark.whole
async def test_when_the_worker_is_killed_another_program_can_be_run() -> None:
    changed = asyncio.Event()
    worker = Worker()
    await worker.start()
    source = "import signal\na = 1\nsignal.pause()\n"
    runner = SessionRunner(
        Session(Program(source=source, origin=Origin.OWN)), worker, on_change=changed.set
    )
    runner.start()
    while len(runner.session.view().timeline) < 2:
        changed.clear()
        await changed.wait()
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    await until_verified(runner, changed)
    runner.send(Moved(Move.END))
    died = runner.session.view()

    runner.send(Restarted(Program(source="a = 1\n", origin=Origin.OWN)))
    await until_verified(runner, changed)
    view = runner.session.view()
    await runner.close()
    await worker.close()

    assert isinstance(died.outcome, Crashed)
    assert died.outcome.worker_died
    assert len(view.timeline) == 1


@pytest.mark.parametrize("restarts", [1, 3])
async def test_restarting_at_once_and_often_ends_in_one_run(worker: Worker, restarts: int) -> None:
    changed = asyncio.Event()
    runner = SessionRunner(Session(LESSON), worker, on_change=changed.set)
    runner.start()
    for _ in range(restarts):
        runner.send(Restarted())

    await until_verified(runner, changed)
    view = runner.session.view()
    await runner.close()

    assert len(view.timeline) == view.reachable + 1 == 4
