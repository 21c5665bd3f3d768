"""The contents as rows: chapters, lessons and challenges with their marks, unusable files.

Pure: a course and the learner's marks in, rows out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from inplace_tui.common.cells import clip_spans, hanging, pad, width, wrapped
from inplace_tui.common.enums import StrEnum
from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.common.texts.concepts import concept_name, concept_words
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.quiz import QuizScreenTexts, QuizTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.activity.quiz.names import is_known, unseen
from inplace_tui.tutorial.activity.quiz.review import NOTHING_DUE, DueReview
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.course.course import Course, LoadedChapter, next_lesson
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.course.paths import LearningPath, learning_path, reference
from inplace_tui.tutorial.progress import (
    ChallengeProgress,
    CheckpointProgress,
    LessonProgress,
    Progress,
)

if TYPE_CHECKING:
    from inplace_tui.tutorial.present import code, narration
else:  # drawn beside the list, later than that
    code = LazyModule("inplace_tui.tutorial.present.code")
    narration = LazyModule("inplace_tui.tutorial.present.narration")

SHORT_WORD = 3
"""Letters of a word whose final s is not taken for that of a plural."""


class Mark(StrEnum):
    """How far the learner is with a lesson."""

    NEW = "new"
    NEXT = "next"
    """New, and the one to go on with."""

    BEGUN = "begun"
    OPEN = "open"
    """Begun, with a question that was left for later."""

    KNOWN = "known"
    """Tested out, without its end having been seen."""

    DONE = "done"


PASSED = (Mark.DONE, Mark.KNOWN)

MARK_GLYPHS = {
    Mark.NEW: (" ", Style.PLAIN),
    Mark.NEXT: ("▸", Style.CURRENT),
    Mark.BEGUN: ("~", Style.CHANGED),
    Mark.OPEN: ("?", Style.MASKED),
    Mark.KNOWN: ("»", Style.RIGHT),
    Mark.DONE: ("✓", Style.RIGHT),
}


MARKS = {
    Mark.NEW: ScreenTexts.mark_new,
    Mark.NEXT: ScreenTexts.mark_next,
    Mark.BEGUN: ScreenTexts.mark_begun,
    Mark.OPEN: ScreenTexts.mark_open,
    Mark.KNOWN: ScreenTexts.mark_known,
    Mark.DONE: ScreenTexts.mark_done,
}

CHALLENGE_MARKS = {
    Mark.NEW: ChallengeTexts.mark_new,
    Mark.BEGUN: ChallengeTexts.mark_begun,
    Mark.DONE: ChallengeTexts.mark_solved,
}


def marked(mark: Mark, language: str) -> Span:
    return _marked(mark, say(MARKS[mark], language))


def _marked(mark: Mark, word: str) -> Span:
    glyph, look = MARK_GLYPHS[mark]
    return Span(f"{glyph} {word}".strip(), look)


def how_far(kept: LessonProgress) -> Mark:
    if kept.finished:
        return Mark.DONE
    if kept.known:
        return Mark.KNOWN
    done = (QuestionStatus.RIGHT, QuestionStatus.WRONG, QuestionStatus.SHOWN)
    if any(answer.left and answer.status not in done for answer in kept.answers.values()):
        return Mark.OPEN
    begun = kept.cursor >= 0 or any(answer.tried for answer in kept.answers.values())
    return Mark.BEGUN if begun else Mark.NEW


@dataclass(frozen=True)
class Catalogue:
    """A course as one learner sees it."""

    course: Course
    marks: Mapping[str, Mark]
    """Lesson id to mark; a missing one is new."""

    attempts: Mapping[str, ChallengeProgress] = field(default_factory=dict)
    """Challenge id to how far it is; a missing one is new."""

    checkpoints: Mapping[str, CheckpointProgress] = field(default_factory=dict)
    """Slug of a chapter to how far its checkpoint is."""

    due: DueReview = NOTHING_DUE
    """Which questions come back."""

    path: LearningPath | None = None
    """The path that the learner is on; None is the whole course."""

    def mark(self, lesson: str) -> Mark:
        return self.marks.get(lesson, Mark.NEW)

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """By lesson: its number and how many there are, for `Lesson 4/22`."""
        ids = [each.lesson.id for each in self.course.lessons]
        return {each: (number, len(ids)) for number, each in enumerate(ids, 1)}

    def is_passed(self, lesson: str) -> bool:
        return self.mark(lesson) in PASSED

    @property
    def listed(self) -> tuple[LoadedLesson, ...]:
        """The lessons of the learner's path."""
        return self.course.lessons if self.path is None else self.path.lessons

    @cached_property
    def reference(self) -> set[str]:
        return reference(self.course)

    def place_of(self, lesson: str) -> tuple[int, int]:
        """Return its number on the path and how many are there; in the course, if it is on none."""
        if self.path is None or lesson not in self.path.ids:
            return self.places[lesson]
        return self.path.ids.index(lesson) + 1, len(self.path.ids)

    def beside(self, lesson: str, step: int) -> LoadedLesson | None:
        """Return the lesson `step` places further; None at the ends."""
        on_path = self.path is not None and lesson in self.path.ids
        listed = self.listed if on_path else self.course.lessons
        place = self.place_of(lesson)[0] - 1 + step
        return listed[place] if 0 <= place < len(listed) else None

    def ends_path(self, lesson: str) -> LoadedChallenge | None:
        """Return the challenge of the path, after its last lesson."""
        ends = self.path is not None and self.path.ids[-1:] == (lesson,)
        return self.path.challenge if self.path is not None and ends else None

    def bridged(self, loaded: LoadedLesson) -> LoadedLesson:
        """Return a lesson with what its path has to say before it."""
        bridges = () if self.path is None else self.path.bridges(loaded.id)
        return replace(loaded, bridges=bridges) if bridges else loaded

    def first_open(self, chapter: LoadedChapter) -> str:
        """Return the first lesson of a chapter that is not done; the first, if all are."""
        ids = [each.lesson.id for each in chapter.lessons]
        return next((each for each in ids if not self.is_passed(each)), ids[0])

    def attempt(self, challenge: str) -> ChallengeProgress:
        return self.attempts.get(challenge, ChallengeProgress())

    def place_of_challenge(self, challenge: str) -> tuple[int, int]:
        ids = [each.challenge.id for each in self.course.challenges]
        return ids.index(challenge) + 1, len(ids)

    def after_challenge(self, challenge: str | None = None) -> LoadedChallenge | None:
        """Return the next challenge that is not solved, of all or after one; None at the end."""
        first = 0 if challenge is None else self.place_of_challenge(challenge)[0]
        rest = self.course.challenges[first:]
        return next((each for each in rest if not self.attempt(each.challenge.id).solved), None)

    def chapter_after(self, challenge: str) -> LoadedChapter | None:
        for each in self.course.checkpoints:
            checkpoint = each.chapter.checkpoint
            if checkpoint is not None and checkpoint.challenge == challenge:
                return self.course.chapter_after(each)
        return None

    @cached_property
    def suggested(self) -> LoadedLesson | None:
        """The first lesson that is not done and whose needs are; None when all are done."""
        done = {key for key, mark in self.marks.items() if mark in PASSED}
        return next_lesson(self.listed, done)

    @property
    def done(self) -> list[bool]:
        """Of each lesson whether it is done; of an assignment, of all that is in it."""
        course = self.course
        done = [self.mark(each.lesson.id) is Mark.DONE for each in course.lessons]
        if course.part_of is not None:
            done += [self.attempt(each.challenge.id).solved for each in course.challenges]
            begun = [self.checkpoints.get(each.slug) for each in course.checkpoints]
            done += [each is not None and each.best is not None for each in begun]
        return done


def catalogue_of(course: Course, learner: Progress) -> Catalogue:
    record = learner.record
    return Catalogue(
        course,
        {each.id: how_far(learner.lesson(each.id)) for each in course.lessons},
        record.challenges,
        record.checkpoints,
        path=learning_path(course, record.path),
        due=learner.due(lambda name: is_known(name, course), unseen(course, learner.finished)),
    )


def rows(catalogue: Catalogue, room: int, language: str, *, query: str = "") -> list[Row]:
    """Return the contents in `room` cells; a row has its place as `choice`.

    The places of challenges follow those of the lessons. With a query, only what answers it.
    """
    if query.strip():
        return _answering(catalogue, query, room, language)
    listed: list[Row] = []
    for number, chapter in enumerate(catalogue.course.chapters, 1):
        if listed:
            listed.append(Row())
        heading = Span(f"{number}  {chapter.chapter.title[language]}", Style.HEADING)
        listed.append(Row(clip_spans((heading,), room)))
        listed += [lesson_row(catalogue, each, room, language) for each in chapter.lessons]
        listed += _end_of_chapter(catalogue, chapter, room, language)
    listed += _challenges(catalogue, room, language)
    if catalogue.course.problems:
        listed += [Row(), Row((Span(say(ScreenTexts.problems, language), Style.ERROR),))]
        for problem in catalogue.course.problems:
            listed += wrapped([Span(f"  {problem}", Style.WARNING)], room)
    return listed


def _end_of_chapter(
    catalogue: Catalogue, chapter: LoadedChapter, room: int, language: str
) -> list[Row]:
    course, checkpoint = catalogue.course, chapter.chapter.checkpoint
    if checkpoint is None:
        return []
    before = len(course.lessons) + len(course.challenges)
    place = before + course.checkpoints.index(chapter)
    kept = catalogue.checkpoints.get(chapter.slug, CheckpointProgress())
    mark, word = checkpoint_mark(kept), ""
    if kept.best is not None:
        word = say(QuizScreenTexts.row_best, language, right=kept.best, total=kept.total)
    title = Span(f"    {say(QuizScreenTexts.row, language)}")
    row = _entry(place, MARK_GLYPHS[mark], title, Span(word, MARK_GLYPHS[mark][1]), room)
    last = (each for each in course.challenges if each.challenge.id == checkpoint.challenge)
    return [row, *(challenge_row(catalogue, each, room, language, "") for each in last)]


def checkpoint_mark(kept: CheckpointProgress) -> Mark:
    if kept.best is not None:
        return Mark.DONE
    return Mark.BEGUN if kept.answers else Mark.NEW


def checkpoint_summary(
    catalogue: Catalogue, chapter: LoadedChapter, room: int, language: str
) -> list[Row]:
    kept = catalogue.checkpoints.get(chapter.slug, CheckpointProgress())
    title = say(QuizTexts.of_chapter, language, title=chapter.chapter.title[language])
    best = []
    if kept.best is not None:
        best = [say(QuizScreenTexts.best, language, right=kept.best, total=kept.total)]
    about = [Span(say(QuizScreenTexts.about, language))]
    state = marked(checkpoint_mark(kept), language)
    return [*_head(title, state, best, room), Row(), *wrapped(about, room)]


def challenge_mark(kept: ChallengeProgress) -> Mark:
    if kept.solved:
        return Mark.DONE
    return Mark.NEW if kept == ChallengeProgress() else Mark.BEGUN


def challenge_summary(
    catalogue: Catalogue, loaded: LoadedChallenge, room: int, language: str
) -> list[Row]:
    about, kept = loaded.challenge, catalogue.attempt(loaded.challenge.id)
    mark = challenge_mark(kept)
    word = say(CHALLENGE_MARKS[mark], language)
    if kept.solved:
        word = say(ChallengeTexts.is_solved, language, lines=kept.lines)
    facts = [
        _difficulty(about.difficulty, language),
        say(ChallengeTexts.par, language, par=about.par),
    ]
    if kept.shown:
        facts.append(say(ChallengeTexts.was_shown, language))
    listed = _head(about.title[language], _marked(mark, word), facts, room)
    if about.needs:
        names = list_of((concept_name(each, language) for each in about.needs), language)
        needs = [Span(say(ChallengeTexts.needs, language), Style.DIM), Span(names, Style.NAME)]
        listed += wrapped(needs, room)
    task = narration.wrapped_paragraphs(about.task[language], room)
    return [*listed, Row(), *task, Row(), *code.quoted(loaded.code, room)]


def _head(title: str, state: Span, facts: Sequence[str], room: int) -> list[Row]:
    """Return what a summary begins with."""
    named = wrapped([Span(title, Style.STRONG)], room)
    told = wrapped([Span(" · ".join(facts), Style.DIM)], room) if facts else []
    return [*named, Row(), Row((state,)), *told]


def _difficulty(stars: int, language: str) -> str:
    return f"{say(ScreenTexts.difficulty, language)} {'●' * stars}{'○' * (5 - stars)}"


def _answering(catalogue: Catalogue, query: str, room: int, language: str) -> list[Row]:
    """Return what has the number that is typed, or all its words in name, id, concepts or chapter.

    Lessons that have them in their title come first: Enter opens the first one.
    """
    course = catalogue.course
    titled, called, beside = list[Row](), list[Row](), list[Row]()
    chapters = [chapter.chapter.title for chapter in course.chapters for _ in chapter.lessons]
    for number, (each, chapter) in enumerate(zip(course.lessons, chapters, strict=True), 1):
        about = each.lesson
        taught = concept_words(about.teaches)
        for found, words in (
            (titled, ("", about.title, "")),
            (called, (about.id, about.title, taught)),
            (beside, (about.id, about.title, " ".join((taught, *chapter.spellings)))),
        ):
            if _has(query, number, *words):
                found.append(lesson_row(catalogue, each, room, language))
                break
    challenges = (
        challenge_row(catalogue, each, room, language, str(number))
        for number, each in enumerate(course.challenges, 1)
        if _has(query, number, each.challenge.id, each.challenge.title, "")
    )
    listed = [*titled, *called, *beside, *challenges]
    return listed or [Row((Span(say(ScreenTexts.palette_none, language), Style.DIM),))]


def _has(query: str, number: int, identity: str, title: LocalText, concepts: str) -> bool:
    words = query.lower().split()
    if len(words) == 1 and words[0].isdecimal():
        return str(number).startswith(words[0])
    text = " ".join((identity, *title.spellings, concepts)).lower()
    return all(
        word in text  # in the singular, too; a loss is no plural
        or (len(word) > SHORT_WORD and word[-2:] != "ss" and word.removesuffix("s") in text)
        for word in words
    )


def _challenges(catalogue: Catalogue, room: int, language: str) -> list[Row]:
    """Return the challenges that no chapter ends with."""
    checkpoints = (each.chapter.checkpoint for each in catalogue.course.chapters)
    placed = {each.challenge for each in checkpoints if each}
    others = [
        challenge_row(catalogue, each, room, language, str(number))
        for number, each in enumerate(catalogue.course.challenges, 1)
        if each.challenge.id not in placed
    ]
    title = Span(say(ChallengeTexts.challenges, language), Style.HEADING)
    return [Row(), Row(clip_spans((title,), room)), *others] if others else []


def challenge_row(
    catalogue: Catalogue, loaded: LoadedChallenge, room: int, language: str, number: str
) -> Row:
    """Return the row of a challenge; one at the end of its chapter has no number of its own.

    Their places follow those of the lessons.
    """
    about, course = loaded.challenge, catalogue.course
    place = len(course.lessons) + course.challenges.index(loaded)
    mark = challenge_mark(catalogue.attempt(about.id))
    word = "" if mark is Mark.NEW else say(CHALLENGE_MARKS[mark], language)
    title = Span(f"{number:>2}  {about.title[language]}")
    right = _beside(word, say(ChallengeTexts.par_of, language, par=about.par), room)
    state = Span(right, MARK_GLYPHS[mark][1] if word else Style.DIM)
    return _entry(place, MARK_GLYPHS[mark], title, state, room)


def summary(catalogue: Catalogue, lesson: LoadedLesson, room: int, language: str) -> list[Row]:
    about = lesson.lesson
    questions = sum(step.ask is not None for step in about.steps)
    facts = [
        say(ScreenTexts.minutes, language, minutes=about.minutes),
        _difficulty(about.difficulty, language),
        say(ScreenTexts.questions_count, language, count=questions),
        say(ScreenTexts.variants_count, language, count=len(about.variants)),
    ]
    taught = (concept_name(concept, language) for concept in about.teaches)
    state = marked(catalogue.mark(about.id), language)
    listed = _head(about.title[language], state, facts, room)
    teaches = Span(f"{say(ScreenTexts.teaches, language)} ", Style.DIM)
    listed += wrapped([teaches, Span(list_of(taught, language))], room)
    lessons, needed, given = catalogue.course.lessons, {*about.requires}, {*about.teaches}
    before = [each for each in lessons if needed & {*each.lesson.teaches}]
    listed += _listed(catalogue, ScreenTexts.requires, before, room, language)
    listed += [Row(), *code.quoted(lesson.code, room)]
    after = [each for each in lessons if given & {*each.lesson.requires} and each is not lesson]
    listed += [Row()] if after else []
    return [*listed, *_listed(catalogue, ScreenTexts.leads_to, after, room, language)]


def _listed(
    catalogue: Catalogue, text: LocalText, lessons: Sequence[LoadedLesson], room: int, language: str
) -> list[Row]:
    """Return a heading and these lessons, as they are numbered; nothing without any."""
    listed = [Row((Span(say(text, language), Style.DIM),))] if lessons else []
    for each in lessons:
        number, _ = catalogue.places[each.lesson.id]
        title = [Span(each.lesson.title[language], Style.NAME)]
        listed += hanging(Span(f"  {_number(number)}", Style.DIM), title, room, Target())
    return listed


def _number(number: int) -> str:
    """Return the number of a lesson in four cells, so that titles begin below each other."""
    return f"{number:>2}".ljust(4)


def lesson_row(
    catalogue: Catalogue, lesson: LoadedLesson, room: int, language: str, number: int | None = None
) -> Row:
    """Return the row of a lesson; its place is that in the course, whatever its number is."""
    here, _ = catalogue.places[lesson.id]
    mark = catalogue.mark(lesson.id)
    if mark is Mark.NEW and lesson is catalogue.suggested:
        mark = Mark.NEXT
    glyph, look = MARK_GLYPHS[mark]
    word = "" if mark is Mark.NEW else say(MARKS[mark], language)
    if mark is Mark.NEW and lesson.id in catalogue.reference:
        word = say(PathTexts.reference, language)
    minutes = say(ScreenTexts.minutes, language, minutes=lesson.lesson.minutes)
    style = Style.STRONG if lesson is catalogue.suggested else Style.PLAIN
    title = Span(f"{_number(number or here)}{lesson.lesson.title[language]}", style)
    state = Style.DIM if mark in (Mark.NEW, Mark.NEXT) else look
    glyph_style = Style.STRONG if look is Style.CURRENT else look
    right = Span(_beside(word, minutes, room), state)
    return _entry(here - 1, (glyph, glyph_style), title, right, room)


def _beside(word: str, more: str, room: int) -> str:
    """Return what stands at the right of a row: how far it is and, in a column, what it takes."""
    return f"{word}  {more:>{8 - (width(more) - len(more))}}" if room >= 44 else word


def _entry(place: int, mark: tuple[str, Style], title: Span, right: Span, room: int) -> Row:
    """Return the row of what can be opened."""
    glyph, look = mark
    named = Span(pad(title.text, max(4, room - 5 - width(right.text))), title.style)
    spans = (Span(f"  {glyph} ", look), named, Span(" "), right)
    return Row(clip_spans(spans, room), Target(choice=place))


def today(due: DueReview) -> LocalText:
    """Return how to say what the review asks today, with {back} for how many come back."""
    if not due.has_new:
        return QuizScreenTexts.today
    return QuizScreenTexts.today_and_new if due.back else QuizScreenTexts.today_new
