"""What a learner has done, kept in one JSON file that a person can read.

Two instances may run at once: a save takes a lock, reads the file again, and
changes only what changed here. A file that can't be understood is set aside,
never overwritten. Where nothing can be written, the program works all the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec.structs import replace

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import (
    MAX_USER_FILE,
    PATIENCE,
    free_name,
    lock,
    read_whole,
    replace_file,
    stamp,
)
from inplace_tui.common.decodable import FromZero, decodable
from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.paths import HOME, NOWHERE
from inplace_tui.common.problems import ToldError, fill
from inplace_tui.common.texts.progress import ProgressTexts
from inplace_tui.tutorial.activity.drill.record import DrillRecord
from inplace_tui.tutorial.activity.quiz import review
from inplace_tui.tutorial.activity.quiz.names import DRILL
from inplace_tui.tutorial.activity.quiz.review import DueReview, ReviewRecord
from inplace_tui.tutorial.activity.session.saved import SavedAnswer, SaveProgress

if TYPE_CHECKING:
    from inplace_tui.tutorial.activity.drill import learning
else:  # it knows how to make drills, too
    learning = LazyModule("inplace_tui.tutorial.activity.drill.learning")

SCHEMA = 1


def today() -> int:
    """Return the day here, as `date.toordinal()` counts."""
    return date.today().toordinal()


IMPATIENCE = 0.05
"""Seconds that a lock is waited for which was not to be had the last time."""


class LessonProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far one lesson is."""

    cursor: Annotated[int, msgspec.Meta(ge=-1)] = -1
    """The step that was shown last; -1 is the start."""

    finished: bool = False
    """The end was reached with no question open, at least once since the last reset."""

    known: bool = False
    """It was tested out: a checkpoint or five questions showed that the learner knows it."""

    answers: dict[str, SavedAnswer] = {}
    """By the id of the question."""

    @property
    def passed(self) -> bool:
        return self.finished or self.known

    def with_merged(self, other: LessonProgress) -> LessonProgress:
        """Return it with what is kept of a lesson that was merged into this one."""
        return LessonProgress(
            cursor=self.cursor,
            finished=self.finished or other.finished,
            known=self.known or other.known,
            answers={**other.answers, **self.answers},
        )


class ChallengeProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far one challenge is."""

    draft: str | None = None
    """The program as it was edited last; None is as it was given."""

    lines: FromZero | None = None
    """The fewest lines with which it was solved; None until it is."""

    hints: FromZero = 0
    """How many hints were shown."""

    shown: bool = False
    """The solution was looked at before it was solved."""

    @property
    def solved(self) -> bool:
        """Whether it was solved, in however many lines."""
        return self.lines is not None


class CheckpointProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far one chapter's checkpoint is."""

    drawn: FromZero = 0
    """How many were finished: each is drawn anew."""

    answers: dict[str, SavedAnswer] = {}
    """Of the one that was begun, by the name of the question."""

    last: dict[str, SavedAnswer] = {}
    """Of the one that was finished last."""

    best: FromZero | None = None
    """The most that were right at the first try; None until one is finished."""

    total: FromZero = 0
    """Of how many that was."""

    def with_answers(
        self, answers: dict[str, SavedAnswer], score: tuple[int, int], *, is_over: bool
    ) -> CheckpointProgress:
        """Return it with the answers of the one that was begun; with the last, that one is over."""
        if not is_over:
            return replace(self, answers=dict(answers))
        right, total = score
        better = self.best is None or right * max(1, self.total) >= self.best * total
        best, of = (right, total) if better else (self.best, self.total)
        finished = dict(answers)
        return CheckpointProgress(drawn=self.drawn + 1, last=finished, best=best, total=of)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file."""

    schema: int = SCHEMA
    learner: int | None = None
    """Drawn at random once; choices are shuffled by it. 0 leaves them as they are in the file."""

    language: str | None = None
    theme: str | None = None
    path: str | None = None
    """The path that the contents open on; None until one is chosen."""

    introduced: bool = False
    """The welcome was shown; it is not opened by itself again."""

    words: tuple[str, ...] = ()
    """Words of the glossary that were explained; none is explained again by itself."""

    panels: tuple[str, ...] = ()
    """Panels that were asked for before a lesson needed them."""

    lessons: dict[str, LessonProgress] = {}
    challenges: dict[str, ChallengeProgress] = {}
    checkpoints: dict[str, CheckpointProgress] = {}
    """By the slug of the chapter."""

    review: ReviewRecord = ReviewRecord()
    drill: DrillRecord = DrillRecord()


Change = Callable[[Record], Record]


class ProgressError(ToldError):
    """A progress file can't be used or written, or there is something else to report."""


class Progress:
    """One learner's progress: always there in memory, on disk where that is possible.

    Whatever changes it raises ProgressError if the change is in memory only.
    """

    def __init__(self, path: Path, day: Callable[[], int] = today) -> None:
        """Read `path`. Look at `notice` afterwards."""
        self.path = path
        self._day = day
        self.notice: LocalText | None = None
        """Something for the learner to know: progress isn't kept, or was set aside."""

        self._writable = True
        self._unwritten: list[Change] = []
        self._patience = PATIENCE
        self._drawn = int.from_bytes(os.urandom(8), "big") % 10**9 + 1
        self.record = self._read_or_set_aside() or Record()

    @property
    def is_new(self) -> bool:
        """Whether this learner did nothing here yet, not even the welcome."""
        chosen = replace(self.record, language=None, theme=None, learner=None, path=None)
        return chosen == Record()

    @property
    def number(self) -> int:
        """The number that choices are shuffled by, the same for this learner every time."""
        chosen, kept = paths.learner_number(), self.record.learner
        if chosen is not None:
            return chosen
        return self._drawn if kept is None else kept

    def lesson(self, id: str) -> LessonProgress:  # noqa: A002  # as in lesson files
        return self.record.lessons.get(id, LessonProgress())

    def save(self, saved: SaveProgress) -> None:
        before, day = self.lesson(saved.lesson), self._day()
        known = before.answers
        answers = {
            answer.question: _dated(answer, known.get(answer.question), day)
            for answer in saved.answers
        }
        after = LessonProgress(
            cursor=saved.cursor,
            # Starting over forgets the answers, not that the lesson was done.
            finished=saved.finished or before.finished,
            known=before.known,
            answers=answers,
        )
        new = {
            f"{saved.lesson}/{key}": each
            for key, each in answers.items()
            if each.status.is_done and not (key in known and known[key].status.is_done)
        }
        self._change(
            lambda record: _reviewed(_with_lesson(record, saved.lesson, before, after), new, day)
        )

    def challenge(self, id: str) -> ChallengeProgress:  # noqa: A002
        return self.record.challenges.get(id, ChallengeProgress())

    def save_challenge(self, id: str, kept: ChallengeProgress) -> None:  # noqa: A002
        """Keep how far a challenge is; another instance may have done better."""

        def change(record: Record) -> Record:
            theirs = record.challenges.get(id, ChallengeProgress())
            lines = [each for each in (kept.lines, theirs.lines) if each is not None]
            merged = ChallengeProgress(
                draft=kept.draft,
                lines=min(lines, default=None),
                hints=max(kept.hints, theirs.hints),
                shown=kept.shown or theirs.shown,
            )
            return replace(record, challenges={**record.challenges, id: merged})

        self._change(change)

    def checkpoint(self, slug: str) -> CheckpointProgress:
        return self.record.checkpoints.get(slug, CheckpointProgress())

    def save_checkpoint(
        self, slug: str, kept: CheckpointProgress, new: dict[str, SavedAnswer]
    ) -> None:
        day = self._day()
        answers = {
            name: _dated(answer, None if name in new else answer, day)
            for name, answer in kept.answers.items()
        }
        dated = replace(kept, answers=answers)

        def change(record: Record) -> Record:
            checkpoints = {**record.checkpoints, slug: dated}
            return _reviewed(replace(record, checkpoints=checkpoints), new, day)

        self._change(change)

    def save_review(self, new: dict[str, SavedAnswer]) -> None:
        """Keep what was answered in the review, by the name of the question."""
        day = self._day()

        def change(record: Record) -> Record:
            answered = _reviewed(record, new, day)
            counted = review.after_review(record.review, new, day)
            kept = replace(answered.review, day=counted.day, done=counted.done, new=counted.new)
            return replace(answered, review=kept)

        if new:
            self._change(change)

    @property
    def finished(self) -> dict[str, dict[str, SavedAnswer]]:
        """The answers of each lesson that is finished, by its id."""
        kept = self.record.lessons
        return {name: each.answers for name, each in kept.items() if each.finished}

    def due(
        self, is_asked: Callable[[str], bool] = lambda _: True, unseen: Iterable[str] = ()
    ) -> DueReview:
        """Return what the review asks today, of what can be asked and of what is `unseen`."""
        kept, day = self.record.review, self._day()
        back = [name for name in review.due(kept, day) if is_asked(name)]
        return review.today(kept, day, back, filter(is_asked, unseen))

    def save_drill(self, answered: learning.DrillAnswer) -> None:
        """Keep an answer; what was wrong, unsure or lucky comes back in the review, too."""
        after, how = learning.record_after, learning.recall(answered)
        name = f"{DRILL}/{learning.drill_name(answered.drill.seed, answered.drill.level)}"

        def change(record: Record) -> Record:
            kept = review.after(record.review, name, how, day=answered.day)
            return replace(record, drill=after(record.drill, answered), review=kept)

        self._change(change)

    def reset_drill(self) -> None:
        self._change(lambda record: replace(record, drill=DrillRecord()))

    def remember(self, *, language: str | None = None, theme: str | None = None) -> None:
        """Keep the language and the look chosen; None leaves them."""
        self._change(
            lambda record: replace(
                record, language=language or record.language, theme=theme or record.theme
            )
        )

    def save_path(self, path: str) -> None:
        self._change(lambda record: replace(record, path=path))

    def save_known(self, lessons: Iterable[str]) -> None:
        """Mark lessons as known, without finishing them."""
        ids = [*lessons]

        def change(record: Record) -> Record:
            kept = {each: record.lessons.get(each, LessonProgress()) for each in ids}
            known = {key: replace(each, known=True) for key, each in kept.items()}
            return replace(record, lessons={**record.lessons, **known})

        self._change(change)

    @property
    def passed(self) -> set[str]:
        """The lessons that are finished or known."""
        return {name for name, kept in self.record.lessons.items() if kept.passed}

    def carry_over(self, replaced: Mapping[str, str]) -> None:
        """Let what is kept of lessons count for those that replace them, by the old ids."""
        if replaced.keys() & self.record.lessons.keys():
            self._change(lambda record: _carried_over(record, replaced))

    def save_introduced(self) -> None:
        self._change(lambda record: replace(record, introduced=True))

    def save_explained(self, word: str) -> None:
        self._change(lambda record: replace(record, words=_united(record.words, (word,))))

    def save_panel(self, name: str) -> None:
        """Keep that a panel was asked for, though no lesson had needed it yet."""
        self._change(lambda record: replace(record, panels=_united(record.panels, (name,))))

    def reset(self, id: str) -> None:  # noqa: A002

        def change(record: Record) -> Record:
            left = {
                kind: {key: each for key, each in getattr(record, kind).items() if key != id}
                for kind in ("lessons", "challenges", "checkpoints")
            }
            without = review.without(record.review, id)
            return replace(record, **left, review=without)

        self._change(change)

    def export(self) -> bytes:
        return _encoded(self.record)

    def take_in(self, content: bytes) -> int:
        """Import an exported record: its lessons and challenges replace those of the same id.

        Returns:
            How many lessons and challenges it has.

        Raises:
            ProgressError: it is no exported record, or it can't be kept.
        """
        other = record_in(content)

        def change(record: Record) -> Record:
            return replace(
                record,
                lessons=record.lessons | other.lessons,
                drill=learning.newer_record(record.drill, other.drill),
                checkpoints=record.checkpoints | other.checkpoints,
                review=max(record.review, other.review, key=lambda each: each.answered),
                challenges=record.challenges | other.challenges,
                learner=record.learner if other.learner is None else other.learner,
                language=other.language or record.language,
                words=_united(record.words, other.words),
                panels=_united(record.panels, other.panels),
                path=other.path or record.path,
            )

        self._change(change)
        return len(other.lessons) + len(other.challenges)

    def _change(self, change: Change) -> None:
        """Change the record here and on disk.

        What another instance wrote meanwhile is read first, so that a change
        takes nothing of it away.
        """
        if change(self.record) == self.record:
            return

        def numbered(record: Record) -> Record:
            known = record.learner is not None or paths.learner_number() is not None
            number = record.learner if known else self._drawn
            return change(replace(record, learner=number))

        self.record = numbered(self.record)
        if self._writable:
            self._unwritten.append(numbered)
            self._write()
        if not self._writable:
            raise ProgressError(self.notice or ProgressTexts.not_kept)

    def _write(self) -> None:
        """Make every change that is not on disk yet to what is there now."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with lock(self.path.with_suffix(".lock"), self._patience) as is_ours:
                if is_ours:
                    self._patience = PATIENCE
                # Whoever has the lock may be frozen in the middle, and so may we have been.
                while not self._is_written():
                    continue
        except OSError as error:
            why = error.strerror or str(error)
            self.notice = fill(ProgressTexts.unwritable, path=self.path, why=why)
            if self.path.is_relative_to(NOWHERE):
                self.notice = fill(ProgressTexts.no_home, variable=HOME)
            raise ProgressError(self.notice) from error
        self._unwritten.clear()
        if not is_ours and self._patience > IMPATIENCE and self._writable:
            self._patience = IMPATIENCE
            raise ProgressError(ProgressTexts.unlocked, path=self.path)

    def _is_written(self) -> bool:
        """Try it once; somebody else may have written between our reading and our writing."""
        found = stamp(self.path)
        latest = self._read_or_set_aside()
        if latest is not None:
            self.record = latest
            for change in self._unwritten:
                self.record = change(self.record)
        else:
            found = stamp(self.path)
        return not self._writable or replace_file(
            self.path, _encoded(self.record), is_due=lambda: stamp(self.path) == found
        )

    def _read_or_set_aside(self) -> Record | None:
        """Return what the file says, or None if it says nothing that can be used.

        One that says nothing sensible gets another name.
        """
        try:
            return record_in(read_whole(self.path, MAX_USER_FILE))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            why = error.strerror or str(error)
            self.notice = fill(ProgressTexts.unreadable, path=self.path, why=why)
            self._writable = False
        except _NewerError as error:
            # Somebody's later version wrote it; this one would lose what it does not know.
            self.notice = fill(ProgressTexts.newer, path=self.path, schema=error.schema)
            self._writable = False
        except ProgressError as error:
            self._set_aside(error)
        return None

    def _set_aside(self, error: ProgressError) -> None:
        aside = free_name(self.path)
        try:
            self.path.rename(aside)
        except OSError:
            self._writable = False
            self.notice = fill(ProgressTexts.broken, path=self.path, why=error.text)
        else:
            self.notice = fill(ProgressTexts.set_aside, path=self.path, aside=aside, why=error.text)


def _dated(answer: SavedAnswer, before: SavedAnswer | None, day: int) -> SavedAnswer:
    """Return an answer with its day: the one on which it was done."""
    if not answer.status.is_done:
        return answer
    if before is not None and before.status.is_done:
        return replace(answer, day=before.day)
    return replace(answer, day=day)


def _reviewed(record: Record, new: dict[str, SavedAnswer], day: int) -> Record:
    """Return the record with what follows from answers for the review."""
    kept = record.review
    for name, answer in new.items():
        if review.is_judged(answer):
            kept = review.after(kept, name, review.recall(answer), day=day)
    return replace(record, review=kept)


def _carried_over(record: Record, replaced: Mapping[str, str]) -> Record:
    lessons = {key: each for key, each in record.lessons.items() if key not in replaced}
    for old in replaced.keys() & record.lessons.keys():
        new = lessons.get(replaced[old], LessonProgress())
        lessons[replaced[old]] = new.with_merged(record.lessons[old])
    waiting = {}
    for name, item in record.review.waiting.items():
        lesson, slash, asked = name.partition("/")
        waiting[f"{replaced.get(lesson, lesson)}{slash}{asked}"] = item
    return replace(record, lessons=lessons, review=replace(record.review, waiting=waiting))


def _united(some: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*some, *others}))


def _with_lesson(
    record: Record, lesson: str, before: LessonProgress, after: LessonProgress
) -> Record:
    """Return the record with what changed from `before` to `after` changed in it."""
    theirs = record.lessons.get(lesson, LessonProgress())
    forgotten = before.answers.keys() - after.answers.keys()
    answers = {key: each for key, each in theirs.answers.items() if key not in forgotten}
    answers |= {k: each for k, each in after.answers.items() if each != before.answers.get(k)}
    finished = theirs.finished if after.finished == before.finished else after.finished
    merged = LessonProgress(
        cursor=after.cursor, finished=finished, known=theirs.known, answers=answers
    )
    return replace(record, lessons={**record.lessons, lesson: merged})


class _NewerError(ProgressError):
    def __init__(self, schema: int) -> None:
        self.schema = schema
        super().__init__(fill(ProgressTexts.newer_schema, schema=schema))


class _Header(msgspec.Struct):
    schema: int
    review: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def record_in(content: bytes) -> Record:
    """Return the record that was exported to a file.

    Raises:
        ProgressError: it is none, or one of a later version.
    """
    try:
        header = msgspec.json.decode(content, type=decodable(_Header))
        if header.schema > SCHEMA:
            raise _NewerError(header.schema)
        record = msgspec.json.decode(content, type=decodable(Record))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProgressError(ProgressTexts.no_record, why=error) from error
    if header.review is not msgspec.UNSET:
        return record
    # Of a time without review: what was answered wrong comes back.
    answers = {
        f"{lesson}/{key}": answer
        for lesson, kept in record.lessons.items()
        for key, answer in kept.answers.items()
    }
    return replace(record, review=review.missed_before(answers))


def _encoded(record: Record) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
