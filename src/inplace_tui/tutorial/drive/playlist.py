"""Playlists: programs one after the other, each asked about, and what is kept of the answers.

A checkpoint and the review of a day are here; the drill makes up its programs (`drill.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.quiz import QuizTexts
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill
from inplace_tui.tutorial.activity.quiz import questions
from inplace_tui.tutorial.activity.quiz.names import is_known, lesson_of, unseen
from inplace_tui.tutorial.activity.quiz.review import is_judged, is_missed
from inplace_tui.tutorial.activity.session.saved import SavedAnswer, SaveProgress
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson
from inplace_tui.tutorial.course.paths import LearningPath, needed_for
from inplace_tui.tutorial.present.playlist import QuizResult
from inplace_tui.tutorial.progress import Progress

MISSES_ALLOWED = 1
"""Questions of a checkpoint that may be missed where it shows that the chapter is known."""

FAR = 10**9
"""A step that no run has: a session that is restored there goes on to the first open question."""


@dataclass(frozen=True)
class PlaylistItem:
    """A program of a playlist: what asks about it, and what it was made of."""

    session: Session
    drill: RecordedDrill | None = None
    lesson: LoadedLesson | None = None
    """It has the questions, where it is not of the drill."""


class Playlist(ABC):
    """Programs one after the other, each asked about before anything of its run is seen."""

    title: LocalText
    name: str
    """Files that are taken out of it begin so."""

    chapter: LoadedChapter | None = None
    """Whose checkpoint it is."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether there is no other program to ask about."""

    @abstractmethod
    async def next(self) -> PlaylistItem:
        """Return the next program, once there is one; call it only before it is over.

        Raises:
            DrillError: no program gave the same result in all its runs.
        """

    @property
    @abstractmethod
    def score(self) -> tuple[int, int]:
        """How many were right, of how many that were answered and could be judged."""

    @abstractmethod
    def save(self, saved: SaveProgress) -> None:
        """Save the answers to the program that came last.

        Raises:
            ProgressError: they are in memory only.
        """

    async def close(self) -> None:  # noqa: B027  # only what runs ahead has something to stop
        """Stop what runs for programs that nobody will ask for."""


@dataclass
class Quiz(Playlist):
    """A checkpoint, or the review: each question counts at its first try."""

    items: tuple[LoadedLesson, ...]
    progress: Progress
    chapter: LoadedChapter | None = None
    answers: dict[str, SavedAnswer] = field(default_factory=dict)
    """By the name of the question."""

    is_kept: bool = True
    """Whether answers become the learner's progress."""

    def __post_init__(self) -> None:
        self.title, self.name = QuizTexts.review, "review"
        if self.chapter is not None:
            self.title = fill(QuizTexts.of_chapter, title=self.chapter.chapter.title)
            self.name = "checkpoint"

    @property
    def first_open(self) -> int:
        """The place of the first lesson with an open question; after the last, there is none."""
        done = (all(name in self.final_answers for name in names_of(each)) for each in self.items)
        return next((place for place, is_done in enumerate(done) if not is_done), len(self.items))

    @property
    def final_answers(self) -> dict[str, SavedAnswer]:
        return {name: each for name, each in self.answers.items() if each.status.is_done}

    @property
    def names(self) -> list[str]:
        return [name for each in self.items for name in names_of(each)]

    @property
    def score(self) -> tuple[int, int]:
        judged = [each for each in self.final_answers.values() if is_judged(each)]
        return sum(not is_missed(each) for each in judged), len(judged)

    @property
    def missed(self) -> list[str]:
        known = self.answers
        return [name for name in self.names if name in known and is_missed(known[name])]

    @property
    def is_over(self) -> bool:
        return self.first_open == len(self.items)

    async def next(self) -> PlaylistItem:
        """Return the next program, as far as the first question that is open."""
        loaded = self.items[self.first_open]
        session = Session(loaded, learner=self.progress.number, asks_only=True)
        names = (name for name in names_of(loaded) if name in self.answers)
        session.restore(FAR, [self.answers[name] for name in names])
        return PlaylistItem(session, lesson=loaded)

    def number(self, loaded: LoadedLesson, asked: str | None) -> int:
        """Return which question is asked, counted from 1: by its id, else what is open of these."""
        here = names_of(loaded)
        name = next((name for name in here if name not in self.final_answers), here[-1])
        name = name if asked is None else f"{loaded.lesson.id}/{asked}"
        return self.names.index(name) + 1

    def result(self, course: Course) -> QuizResult:
        right, total = self.score
        if self.chapter is None:
            later = self.progress.due(lambda name: is_known(name, course)).later
            return QuizResult(right, total, tuple(self.missed), later=later)
        kept = self.progress.checkpoint(self.chapter.slug)
        checkpoint = self.chapter.chapter.checkpoint
        leads_to = None if checkpoint is None else course.find_challenge(checkpoint.challenge or "")
        return QuizResult(
            right,
            total,
            tuple(self.missed),
            best=None if kept.best is None else (kept.best, kept.total),
            challenge=leads_to,
            chapter=course.chapter_after(self.chapter),
            may_repeat=True,
        )

    @property
    def _unfinished(self) -> list[str]:
        """The lessons of the chapter that are not passed."""
        lessons = () if self.chapter is None else self.chapter.lessons
        return [each.id for each in lessons if each.id not in self.progress.passed]

    def save(self, saved: SaveProgress) -> None:
        before = self.final_answers
        for answer in saved.answers:
            self.answers[f"{saved.lesson}/{answer.question}"] = answer
        if not self.is_kept:
            return
        new = {name: each for name, each in self.final_answers.items() if name not in before}
        if self.chapter is None:
            self.progress.save_review(new)
            return
        if self.is_over and not new:
            return
        right, total = self.score
        if self.is_over and total - right <= MISSES_ALLOWED:
            self.progress.save_known(self._unfinished)
        kept = self.progress.checkpoint(self.chapter.slug)
        self.progress.save_checkpoint(
            self.chapter.slug,
            kept.with_answers(self.answers, self.score, is_over=self.is_over),
            new,
        )


@dataclass
class Placement(Quiz):
    """Questions about lessons of a path: a right answer marks its lesson, and what that needs."""

    course: Course = field(kw_only=True)

    def __post_init__(self) -> None:
        self.title, self.name = PathTexts.placement, "placement"
        self._known: set[str] = set()

    def save(self, saved: SaveProgress) -> None:
        for answer in saved.answers:
            self.answers[f"{saved.lesson}/{answer.question}"] = answer
        right, missed = set[str](), set[str]()
        for name, answer in self.final_answers.items():
            (missed if is_missed(answer) else right).add(name.partition("/")[0])
        taught = [self.course.find(each) for each in right - missed]
        concepts = [concept for each in taught if each for concept in each.lesson.teaches]
        known = needed_for(self.course, concepts) - missed - self.progress.passed
        if known and self.is_kept:
            self._known |= known
            self.progress.save_known(known)

    def result(self, course: Course) -> QuizResult:  # noqa: ARG002  (it has its own)
        right, total = self.score
        return QuizResult(right, total, (), known=len(self._known), places=True)


def names_of(loaded: LoadedLesson) -> list[str]:
    """Return the names of a lesson's questions, as the review has them."""
    return [f"{loaded.lesson.id}/{step.ask.id}" for step in loaded.lesson.steps if step.ask]


def checkpoint(course: Course, chapter: LoadedChapter, progress: Progress) -> Quiz:
    """Return a chapter's checkpoint: the one that was begun, or one that is drawn anew."""
    kept = progress.checkpoint(chapter.slug)
    items = questions.checkpoint(course, chapter, f"{progress.number}/{chapter.slug}/{kept.drawn}")
    quiz = Quiz(items, progress, chapter)
    names = set(quiz.names)
    quiz.answers = {name: each for name, each in kept.answers.items() if name in names}
    return quiz


def placement(course: Course, path: LearningPath | None, progress: Progress) -> Placement:
    """Return five questions about lessons of a path that are not passed yet."""
    listed = course.lessons if path is None else path.lessons
    left = [each for each in listed if each.id not in progress.passed]
    items = questions.placement(left, f"{progress.number}/{len(left)}")
    return Placement(items, progress, course=course)


def review(course: Course, progress: Progress, may_run: Callable[[LoadedLesson], bool]) -> Quiz:
    """Return what comes back today."""

    def is_asked(name: str) -> bool:
        source = lesson_of(name, course)
        return is_known(name, course) and (source is None or may_run(source))

    due = progress.due(is_asked, unseen(course, progress.finished))
    made = (questions.question(name, course) for name in due.now)
    return Quiz(tuple(each for each in made if each is not None), progress)
