"""Checks lessons by running them: the author's tool, the tests and the release gate."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from inplace_tui.drive.runs import record, verify
from inplace_tui.engine.blame.classify import verdict_of_run
from inplace_tui.engine.blame.verdicts import Verdict
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


def check(
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
    async for checked in check([loaded], worker):
        problems += checked.verified.problems
    return loaded, tuple(problems)
