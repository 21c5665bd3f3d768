"""Checks lessons and challenges by running them: for authors, tests and releases.

What was chosen may lie in packs, which are to be trusted before any of them runs.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from inplace_tui.common.problems import LessonError, Problem, problem
from inplace_tui.common.run.outcome import Completed, Truth, Unverified
from inplace_tui.common.run.program import Limits, Origin
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import verdict_of_run
from inplace_tui.diagnosis.drive.runs import record, verify
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.challenges import grading
from inplace_tui.tutorial.activity.quiz.questions import four_questions
from inplace_tui.tutorial.course.course import FOLDER, Course, LoadedChapter, unmet
from inplace_tui.tutorial.course.lesson import Chapter
from inplace_tui.tutorial.course.lessons.check import Job, Verified, jobs, judge
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.lesson_rules import unwritten
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.course.lessons.uses import Needed, uses, uses_of_runs
from inplace_tui.tutorial.drive.attacks import attacked
from inplace_tui.tutorial.drive.lessons import origin_of, read_course
from inplace_tui.tutorial.drive.packs import Pack, read_file, read_pack, taken_ids


@dataclass(frozen=True)
class Selection:
    """Lessons and challenges that were chosen, and what is wrong with what was chosen."""

    lessons: tuple[LoadedLesson, ...]
    problems: tuple[Problem, ...]
    challenges: tuple[LoadedChallenge, ...] = ()
    packs: tuple[Pack, ...] = ()
    """What must be trusted before any of them runs."""

    checkpoints: tuple[LoadedLesson, ...] = ()
    """The four questions that chapters end with."""

    around: tuple[LoadedLesson, ...] = ()
    """All lessons of the courses that they are part of, or may require something of."""


def select(chosen: Iterable[Path], *, beside: Sequence[Path] = ()) -> Selection:
    """Return the lessons in files and folders, each once.

    A file in a chapter's folder is looked at as a part of its course, so that
    what it requires can be found. One that lies anywhere else stands for itself.

    Args:
        chosen: lesson files, chapters' folders, or folders of chapters; files of
            challenges and their folder.
        beside: folders of courses; what they teach may be required by what is no part
            of them.
    """
    lessons: dict[str, LoadedLesson] = {}
    challenges: dict[str, LoadedChallenge] = {}
    problems: dict[Problem, None] = {}
    packs: dict[str, Pack] = {}
    checkpoints: dict[str, LoadedLesson] = {}
    around: dict[str, LoadedLesson] = {}
    for path in chosen:
        here = Path(os.path.realpath(path))
        apart = (each for each in beside if not here.is_relative_to(os.path.realpath(each)))
        others = [_course(folder, ())[0] for folder in apart]
        taught = set[str]().union(*(other.taught for other in others))
        found = _select(path, taught)
        entries: list[LoadedLesson | LoadedChallenge] = [*found.lessons, *found.challenges]
        for other in others if found.packs else ():
            problems |= dict.fromkeys(taken_ids(entries, other).values())
        lessons |= {each.path: each for each in found.lessons}
        challenges |= {each.path: each for each in found.challenges}
        checkpoints |= {each.path: each for each in found.checkpoints}
        courses = (*(other.lessons for other in others), found.around)
        around |= {each.path: each for lessons_there in courses for each in lessons_there}
        problems |= dict.fromkeys(found.problems)
        if found.lessons or found.challenges or found.checkpoints:
            packs |= {each.digest: each for each in found.packs}
    return Selection(
        tuple(lessons.values()),
        tuple(problems),
        tuple(challenges.values()),
        tuple(packs.values()),
        tuple(checkpoints.values()),
        tuple(around.values()),
    )


def _select(path: Path, taught: set[str]) -> Selection:
    if not path.is_dir():
        folder = path.absolute().parent
        if (folder / "chapter.yaml").is_file() or folder.name == FOLDER:
            return _part_of(path.parent.parent, path, taught)
        return _alone(path, taught)
    if (path / "chapter.yaml").is_file() or path.absolute().name == FOLDER:
        return _part_of(path.parent, path, taught)
    course, packs = _course(path, taught)
    return _selection(course, packs)


def _selection(course: Course, packs: tuple[Pack, ...]) -> Selection:
    lessons, asked = course.lessons, [four_questions(course, each) for each in course.checkpoints]
    checkpoints = tuple(each for each in asked if each is not None)
    return Selection(lessons, course.problems, course.challenges, packs, checkpoints, lessons)


def _course(folder: Path, taught: Iterable[str]) -> tuple[Course, tuple[Pack, ...]]:
    packs: tuple[Pack, ...] = ()
    if origin_of(folder) is Origin.BUILT_IN:
        course = read_course(folder, origin=Origin.BUILT_IN, taught=taught)
    else:
        packs = (read_pack(folder, taught=taught),)
        course = packs[0].course
    missed = [each for found in course.chapters for each in _missed(found)]
    return replace(course, problems=(*course.problems, *missed)), packs


def _missed(chapter: LoadedChapter) -> Iterator[Problem]:
    """Yield what a chapter has not said yet, and lessons not in the languages of its title."""
    yield from unwritten(Chapter, chapter.text, chapter.path)
    for each in chapter.lessons:
        for language in chapter.chapter.title.languages:
            if language not in each.lesson.title.languages:
                at = each.where("title")
                yield problem(each.path, AuthoringTexts.missing_language, at, key=language)


def _part_of(root: Path, part: Path, taught: set[str]) -> Selection:
    """Return what of a course lies in one folder or file."""
    whole, name = _selection(*_course(root, taught)), part.as_posix()

    def inside(entries: Iterable[Located]) -> tuple[Located, ...]:
        return tuple(each for each in entries if f"{each.path}/".startswith(f"{name}/"))

    found = replace(
        whole,
        lessons=inside(whole.lessons),
        problems=inside(whole.problems),
        challenges=inside(whole.challenges),
        checkpoints=inside(whole.checkpoints),
    )
    if any((*found.lessons, *found.challenges, *found.problems)):
        return found
    # Of a pack that can't be read there is nothing, for a reason that may lie elsewhere.
    return replace(found, problems=whole.problems)


def _alone(path: Path, taught: set[str]) -> Selection:
    try:
        loaded, pack = read_file(path)
    except OSError as error:
        why = error.strerror or str(error)
        return Selection((), (problem(path, AuthoringTexts.unreadable, why=why),))
    except LessonError as error:
        return Selection((), error.problems)
    found = tuple(unmet([loaded], taught))
    packs = () if pack is None else (pack,)
    return Selection((loaded,), found, packs=packs, around=(loaded,))


AT_ONCE = 2
"""Lessons that run at the same time; with more, a run may time out on a small machine."""

Located = TypeVar("Located", LoadedLesson, LoadedChallenge, Problem)
Loaded = TypeVar("Loaded", LoadedLesson, LoadedChallenge)
Item = TypeVar("Item")
Done = TypeVar("Done")


@dataclass(frozen=True)
class Checked(Generic[Loaded]):
    """A lesson or a challenge, and its result."""

    loaded: Loaded
    verified: Verified
    verdicts: frozenset[Verdict] = frozenset()
    """Those that its programs were given."""

    uses: tuple[Needed, ...] = ()
    """What has to be known for it."""


CheckedLesson = Checked[LoadedLesson]
CheckedChallenge = Checked[LoadedChallenge]


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
) -> AsyncIterator[CheckedLesson]:
    """Run every program of every lesson; yield the lessons in their order."""
    return in_order(lessons, lambda each: _checked(each, worker, limits or Limits()))


def check_checkpoints(
    asked: Sequence[LoadedLesson], worker: Worker
) -> AsyncIterator[CheckedLesson]:
    """Run the program of every checkpoint, and hold its four questions against the run."""

    async def checked(loaded: LoadedLesson) -> CheckedLesson:
        done = await _checked(loaded, worker, Limits())
        at, found = loaded.where("checkpoint", "code"), done.verified
        problems = tuple(replace(each, line=at.line, column=at.column) for each in found.problems)
        uses = tuple(replace(each, at=at) for each in done.uses)
        return replace(done, verified=replace(found, problems=problems), uses=uses)

    return in_order(asked, checked)


async def _checked(loaded: LoadedLesson, worker: Worker, limits: Limits) -> CheckedLesson:
    runs = {job.ran: await _run(job, worker, limits) for job in jobs(loaded)}
    given = {verdict_of_run(run.timeline, run.truth) for run in runs.values()}
    found = judge(loaded, runs)
    count, false = len(loaded.lesson.attacks), await attacked(loaded, worker)
    found = replace(
        found,
        problems=(*found.problems, *false),
        programs=found.programs + count,
        claims=found.claims + count,
    )
    if loaded.mending is not None and not found.problems:
        tried = await _tried(loaded.mending, worker)
        programs = found.programs + tried.programs
        found = replace(found, problems=tried.problems, programs=programs)
    verdicts = frozenset(each for each in given if each)
    return Checked(loaded, found, verdicts, (*uses(loaded), *uses_of_runs(loaded, runs)))


async def _run(job: Job, worker: Worker, limits: Limits) -> FinishedRun:
    timeline = await record(worker, job.program, limits)
    truth: Truth = Unverified()
    if job.with_truth and isinstance(timeline.outcome, Completed):
        truth = await verify(worker, job.program, limits)
    return FinishedRun(timeline, truth, job.anchors, job.program.source)


async def references(worker: Worker, loaded: LoadedChallenge) -> grading.References:
    """Record the program as it was, and the solution."""
    sources = (loaded.code, loaded.solved_code)
    runs = [await record(worker, loaded.program(source), Limits()) for source in sources]
    return grading.References(*runs)


def check_challenges(
    challenges: Sequence[LoadedChallenge], worker: Worker
) -> AsyncIterator[CheckedChallenge]:
    """Run every program of every challenge; yield the challenges in their order."""

    async def checked(loaded: LoadedChallenge) -> CheckedChallenge:
        return Checked(loaded, await _tried(loaded, worker), uses=tuple(uses(loaded)))

    return in_order(challenges, checked)


async def _tried(loaded: LoadedChallenge, worker: Worker) -> Verified:
    sources = dict(grading.attempts(loaded))
    runs = {source: await run_attempt(worker, loaded, source) for source in sources}
    return grading.judge(loaded, runs)


async def run_attempt(
    worker: Worker, loaded: LoadedChallenge, source: str, limits: Limits | None = None
) -> FinishedRun:
    """Run an edited program as far as its grade needs it."""
    limits, program = limits or Limits(), loaded.program(source)
    done = FinishedRun(await record(worker, program, limits), Unverified(), {}, source)
    if isinstance(done.timeline.outcome, Completed) and grading.verified_by(loaded, done):
        done = replace(done, truth=await verify(worker, program, limits))
    return done
