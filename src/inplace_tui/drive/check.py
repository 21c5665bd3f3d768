"""Checks lessons and challenges by running them: for authors, tests and releases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from inplace_tui.drive.runs import record, verify
from inplace_tui.engine.blame.classify import verdict_of_run
from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.challenges import challenge_check
from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.challenges.grading import References
from inplace_tui.engine.course.course import LoadedChapter
from inplace_tui.engine.lessons import strict_yaml
from inplace_tui.engine.lessons.check import Job, Verified, jobs, judge
from inplace_tui.engine.lessons.claims import FinishedRun
from inplace_tui.engine.lessons.loader import LoadedLesson, load_lesson
from inplace_tui.engine.problems import LessonError, Problem
from inplace_tui.engine.quiz.questions import four_questions
from inplace_tui.model.outcome import Completed, Truth, Unverified
from inplace_tui.model.program import Limits, Origin
from inplace_tui.runner.worker import Worker

AT_ONCE = 2
"""Lessons that run at the same time; with more, a run may time out on a small machine."""

Item = TypeVar("Item")
Done = TypeVar("Done")


@dataclass(frozen=True)
class Checked:
    """A lesson, and its result."""

    loaded: LoadedLesson
    verified: Verified
    verdicts: frozenset[Verdict] = frozenset()
    """Those that its programs were given."""


async def in_order(
    items: Iterable[Item], work: Callable[[Item], Awaitable[Done]]
) -> AsyncIterator[Done]:
    """Work on `AT_ONCE` items at a time; yield the results in their order."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(item: Item) -> Done:
        async with room:
            return await work(item)

    tasks = [asyncio.create_task(one(item)) for item in items]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def check_lessons(
    lessons: Sequence[LoadedLesson], worker: Worker, *, limits: Limits | None = None
) -> AsyncIterator[Checked]:
    """Run every program of every lesson; yield the lessons in their order."""
    return in_order(lessons, lambda each: _checked(each, worker, limits or Limits()))


def check_checkpoints(chapters: Sequence[LoadedChapter], worker: Worker) -> AsyncIterator[Checked]:
    """Run the program of every checkpoint, and hold its four questions against the run."""

    async def checked(chapter: LoadedChapter) -> Checked:
        loaded = four_questions(chapter)
        assert loaded is not None, "the chapter has a checkpoint"
        done = await _checked(loaded, worker, Limits())
        at = strict_yaml.position_in(chapter.text, "checkpoint", "code")
        found = done.verified
        problems = tuple(replace(each, line=at.line, column=at.column) for each in found.problems)
        # Their choices are the lines and the versions, in order.
        asked = tuple(replace(each, place=None) for each in found.asked)
        return replace(done, verified=replace(found, problems=problems, asked=asked))

    return in_order(chapters, checked)


async def _checked(loaded: LoadedLesson, worker: Worker, limits: Limits) -> Checked:
    runs = {job.ran: await _run(job, worker, limits) for job in jobs(loaded)}
    given = {verdict_of_run(run.timeline, run.truth) for run in runs.values()}
    return Checked(loaded, judge(loaded, runs), frozenset(each for each in given if each))


async def _run(job: Job, worker: Worker, limits: Limits) -> FinishedRun:
    timeline = await record(worker, job.program, limits)
    truth: Truth = Unverified()
    if job.with_truth and isinstance(timeline.outcome, Completed):
        truth = await verify(worker, job.program, limits)
    return FinishedRun(timeline, truth, job.anchors, job.program.source)


async def check_text(
    worker: Worker, text: str, path: str
) -> tuple[LoadedLesson | None, tuple[Problem, ...]]:
    """Load a lesson file that is not written yet, and run every claim in it.

    Returns:
        The lesson, if it is one, and all that is wrong with it.
    """
    try:
        loaded = load_lesson(text, path, origin=Origin.PACK)
    except LessonError as refusal:
        return None, refusal.problems
    problems: list[Problem] = []
    async for checked in check_lessons([loaded], worker):
        problems += checked.verified.problems
    return loaded, tuple(problems)


@dataclass(frozen=True)
class CheckedChallenge:
    """A challenge, and its result."""

    loaded: LoadedChallenge
    verified: Verified


async def references(worker: Worker, loaded: LoadedChallenge) -> References:
    """Record the program as it was, and the solution."""
    start = await record(worker, loaded.program(), Limits())
    return References(start, await record(worker, loaded.program(loaded.solved_code), Limits()))


def check_challenges(
    challenges: Sequence[LoadedChallenge], worker: Worker
) -> AsyncIterator[CheckedChallenge]:
    """Run every program of every challenge; yield the challenges in their order."""

    async def checked(loaded: LoadedChallenge) -> CheckedChallenge:
        runs = {
            each.source: await run_attempt(worker, loaded, each.source)
            for each in challenge_check.attempts(loaded)
        }
        return CheckedChallenge(loaded, challenge_check.judge(loaded, runs))

    return in_order(challenges, checked)


async def run_attempt(
    worker: Worker, loaded: LoadedChallenge, source: str, limits: Limits | None = None
) -> FinishedRun:
    """Run an edited program as far as its grade needs it."""
    limits = limits or Limits()
    program = loaded.program(source)
    timeline = await record(worker, program, limits)
    done = FinishedRun(timeline, Unverified(), {}, source)
    truth: Truth = Unverified()
    if isinstance(timeline.outcome, Completed) and challenge_check.verified_by(loaded, done):
        truth = await verify(worker, program, limits)
    return FinishedRun(timeline, truth, {}, source)
