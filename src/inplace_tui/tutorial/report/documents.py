"""What the commands print as JSON. The schemas in docs/schema are made from these types."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from inplace_tui.common.blame import Blame
from inplace_tui.common.decodable import decodable
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.ops.survey import Op
from inplace_tui.common.problems import Problem
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.files import place_of, split_files
from inplace_tui.common.run.outcome import Outcome, Truth
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.python import UsedPython
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import summary
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.blame.classify import verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lessons.check import Verified
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.state.diff import diff

SCHEMA = 1

VALUES_WIDTH = 120
"""Characters of a tensor's values in words."""


class LessonDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One lesson of `list --json`."""

    id: str
    path: str
    title: LocalText
    difficulty: int
    minutes: int
    teaches: list[str]
    requires: list[str]
    steps: int
    questions: list[str]
    """Their ids."""

    variants: list[str]
    """Their ids."""

    plays: list[str]
    """Cases of the source documents, those of the variants too."""


class ChapterDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One chapter of `list --json`."""

    slug: str
    title: LocalText
    summary: LocalText
    lessons: list[LessonDocument]


class ChallengeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One challenge of `list --json`."""

    id: str
    path: str
    title: LocalText
    task: LocalText
    difficulty: int
    needs: list[str]
    par: int
    forbid: list[str]


class ListDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`inplace-tui list --json`."""

    schema: int = SCHEMA
    chapters: list[ChapterDocument]
    challenges: list[ChallengeDocument]
    problems: list[Problem]
    """Of files that could not be used."""


class OpDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`inplace-tui op --json`."""

    schema: int = SCHEMA
    torch: str
    """The version that was surveyed."""

    ops: list[Op]


class CheckedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One lesson or challenge of `check --json`."""

    id: str
    path: str
    programs: int
    """How many were run: the lesson's own and its variants; a challenge's attempts."""

    claims: int
    problems: list[Problem]
    warnings: list[Problem]
    """What a pack uses that was not taught. It does not fail the check."""


class CheckDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`inplace-tui check --json`."""

    schema: int = SCHEMA
    ok: bool
    lessons: list[CheckedDocument]
    checkpoints: list[CheckedDocument]
    """The programs that chapters end with, and the four questions of each."""

    challenges: list[CheckedDocument]
    problems: list[Problem]
    """Of files that could not be loaded, and of the course as a whole."""


class FileDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a program. The lines of all of them are numbered through, as in its `source`."""

    name: str
    """Relative to the program's folder."""

    path: str
    before: int
    """Lines of the files before it: a line's number less this is that in the file."""


class StepDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One line that finished."""

    file: str
    """The `name` of its file."""

    line: int
    """Its number there."""

    step: Step
    values: dict[int, str]
    """The tensors that it made or changed, in words, by their ids. What `step`
    holds as bytes is complete, this is cut."""


class TimelineDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`inplace-tui run --format json`."""

    schema: int = 2
    lesson: str | None
    """Id of the lesson that was run."""

    variant: str | None
    python: UsedPython | None = None
    """Which one it ran with."""

    program: Program
    """Without what its standard input says."""

    files: list[FileDocument]
    """The main one first."""

    ending: Ending
    """As in `explain --json`."""

    outcome: Outcome
    truth: Truth
    verdict: Verdict | None
    blame: Blame | None
    off_at: int | None
    """The line at which recording was switched off, by the program or by a signal handler that
    raised while a line was being recorded: of what came after it there are no steps."""

    faults: list[str]
    """Tracebacks of what failed while it was recorded: the steps may lack something."""

    steps: list[StepDocument]


def list_document(course: Course) -> ListDocument:
    chapters = [
        _document(ChapterDocument, c.chapter, slug=c.slug, lessons=[*map(_lesson, c.lessons)])
        for c in course.chapters
    ]
    challenges = [_document(ChallengeDocument, c.challenge, path=c.path) for c in course.challenges]
    return ListDocument(chapters=chapters, challenges=challenges, problems=list(course.problems))


def _lesson(loaded: LoadedLesson) -> LessonDocument:
    lesson = loaded.lesson
    return _document(
        LessonDocument,
        lesson,
        path=loaded.path,
        steps=len(lesson.steps),
        questions=[step.ask.id for step in lesson.steps if step.ask is not None],
        variants=[variant.id for variant in lesson.variants],
        plays=[*lesson.plays, *(row for each in lesson.variants for row in each.plays)],
    )


Document = TypeVar("Document", bound=msgspec.Struct)


def _document(kind: type[Document], about: msgspec.Struct, **more: object) -> Document:
    """Return a document with those fields of a file that it has, too, and with others."""
    return msgspec.convert({**msgspec.structs.asdict(about), **more}, decodable(kind))


def checked_document(loaded: LoadedLesson | LoadedChallenge, verified: Verified) -> CheckedDocument:
    return CheckedDocument(
        id=loaded.id,
        path=loaded.path,
        programs=verified.programs,
        claims=verified.claims,
        problems=list(verified.problems),
        warnings=list(verified.warnings),
    )


def timeline_document(
    program: Program,
    timeline: Timeline,
    truth: Truth,
    *,
    lesson: str | None = None,
    variant: str | None = None,
    pointers: bool = False,
    python: UsedPython | None = None,
) -> TimelineDocument:
    assert timeline.outcome is not None
    return TimelineDocument(
        lesson=lesson,
        variant=variant,
        python=python,
        program=msgspec.structs.replace(program, stdin=b""),
        files=[
            FileDocument(name=part.name or _main_name(program), path=path, before=part.before)
            for path, part in zip(program.paths, split_files(program.source), strict=True)
        ],
        ending=ending_of(timeline.outcome, truth),
        outcome=timeline.outcome,
        truth=truth,
        verdict=verdict_of_run(timeline, truth),
        blame=find_blame(timeline, truth, source=program.source),
        off_at=timeline.off_at,
        faults=list(timeline.faults),
        steps=[_step(program, timeline, step, pointers=pointers) for step in timeline],
    )


def _main_name(program: Program) -> str:
    return program.filename.rpartition("/")[2]


def _step(program: Program, timeline: Timeline, step: Step, *, pointers: bool) -> StepDocument:
    now, replace = timeline.at(step.index), msgspec.structs.replace
    changes = diff(timeline.at(step.began - 1), now)
    touched = sorted({*changes.new, *changes.changed})
    values = {number: summary(now.tensors[number], now, VALUES_WIDTH) for number in touched}
    if not pointers:
        step = replace(step, tensors=tuple(replace(t, data_ptr=None) for t in step.tensors))
    file, line = place_of(program.source, step.line)
    return StepDocument(file=file or _main_name(program), line=line, step=step, values=values)
