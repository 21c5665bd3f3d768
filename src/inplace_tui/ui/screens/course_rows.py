"""The contents as rows: chapters, lessons with their marks, files that can't be used.

Pure: a course and the learner's marks in, rows out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from inplace_tui.engine.loader import Course, LoadedLesson
from inplace_tui.engine.view import Try
from inplace_tui.present.cells import clip, clip_spans, pad, width, wrap
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.progress import LessonProgress
from inplace_tui.texts import say
from inplace_tui.texts.screen import TEXTS


class Mark(StrEnum):
    """How far the learner is with a lesson."""

    NEW = "new"
    BEGUN = "begun"
    OPEN = "open"
    """Begun, with a question that was left for later."""

    DONE = "done"


LOOKS = {
    Mark.NEW: (" ", Style.PLAIN),
    Mark.BEGUN: ("~", Style.CHANGED),
    Mark.OPEN: ("?", Style.MASKED),
    Mark.DONE: ("✓", Style.RIGHT),
}


def how_far(kept: LessonProgress) -> Mark:
    """Return the mark of a lesson of which this is kept."""
    if kept.finished:
        return Mark.DONE
    done = (Try.RIGHT, Try.WRONG, Try.SHOWN)
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

    def mark(self, lesson: str) -> Mark:
        """How far the learner is with this one."""
        return self.marks.get(lesson, Mark.NEW)

    def place_of(self, lesson: str) -> tuple[int, int]:
        """Return the number of a lesson and how many there are, for `Lesson 4/22`."""
        ids = [each.lesson.id for each in self.course.lessons]
        return ids.index(lesson) + 1, len(ids)

    def beside(self, lesson: str, step: int) -> str | None:
        """Return the lesson `step` places further; None at the ends."""
        ids = [each.lesson.id for each in self.course.lessons]
        place = ids.index(lesson) + step
        return ids[place] if 0 <= place < len(ids) else None

    @property
    def suggested(self) -> LoadedLesson | None:
        """The first lesson that is not done; None when all are."""
        return next(
            (each for each in self.course.lessons if self.mark(each.lesson.id) is not Mark.DONE),
            None,
        )

    @property
    def done(self) -> int:
        """How many lessons are done."""
        return sum(self.mark(each.lesson.id) is Mark.DONE for each in self.course.lessons)


def rows(catalogue: Catalogue, room: int, language: str) -> list[Row]:
    """Return the contents in `room` cells; a lesson's row has its place as `choice`."""
    listed: list[Row] = []
    place = 0
    for number, chapter in enumerate(catalogue.course.chapters, 1):
        if listed:
            listed.append(Row())
        listed.append(_chapter(number, chapter.chapter.title[language], room))
        for lesson in chapter.lessons:
            listed.append(_lesson(catalogue, lesson, place=place, room=room, language=language))
            place += 1
    if catalogue.course.problems:
        listed += [Row(), Row((Span(say(TEXTS, "problems", language), Style.ERROR),))]
        for problem in catalogue.course.problems:
            lines = wrap([Span(f"  {problem}", Style.WARNING)], room)
            listed += [Row(line) for line in lines]
    return listed


def row_of(listed: list[Row], place: int) -> int | None:
    """Return the index of the row of the lesson at this place in the course."""
    found = (index for index, row in enumerate(listed) if row.target.choice == place)
    return next(found, None)


def summary(catalogue: Catalogue, lesson: LoadedLesson, room: int, language: str) -> list[Row]:
    """Return what there is to know of one lesson before it is opened."""
    about = lesson.lesson
    mark = catalogue.mark(about.id)
    glyph, look = LOOKS[mark]
    questions = sum(step.ask is not None for step in about.steps)
    facts = [
        say(TEXTS, "minutes", language, minutes=about.minutes),
        f"{say(TEXTS, 'difficulty', language)} {'●' * about.difficulty}"
        f"{'○' * (5 - about.difficulty)}",
        say(TEXTS, "questions-count", language, count=questions),
        say(TEXTS, "variants-count", language, count=len(about.variants)),
    ]
    listed = [Row(line) for line in wrap([Span(about.title[language], Style.STRONG)], room)]
    state = Span(f"{glyph} {say(TEXTS, f'mark-{mark}', language)}".strip(), look)
    listed += [Row(), Row((state,))]
    listed += [Row(line) for line in wrap([Span(" · ".join(facts), Style.DIM)], room)]
    for key, concepts in (("teaches", about.teaches), ("requires", about.requires)):
        if concepts:
            spans = [
                Span(f"{say(TEXTS, key, language)}: ", Style.DIM),
                Span(", ".join(concepts), Style.NAME),
            ]
            listed += [Row(line) for line in wrap(spans, room)]
    listed.append(Row())
    listed += [
        Row((Span(clip(line, room), Style.CODE),)) for line in lesson.code.rstrip().splitlines()
    ]
    return listed


def _chapter(number: int, title: str, room: int) -> Row:
    return Row(clip_spans((Span(f"{number}  {title}", Style.HEADING),), room))


def _lesson(
    catalogue: Catalogue, lesson: LoadedLesson, *, place: int, room: int, language: str
) -> Row:
    mark = catalogue.mark(lesson.lesson.id)
    glyph, look = LOOKS[mark]
    word = "" if mark is Mark.NEW else say(TEXTS, f"mark-{mark}", language)
    if lesson is catalogue.suggested:
        glyph = "▸" if mark is Mark.NEW else glyph
        look = Style.CURRENT if mark is Mark.NEW else look
        word = say(TEXTS, "mark-next", language) if mark is Mark.NEW else word
    minutes = say(TEXTS, "minutes", language, minutes=lesson.lesson.minutes)
    right = f"{word}  {minutes:>{8 - (width(minutes) - len(minutes))}}" if room >= 44 else word
    left = max(4, room - 5 - width(right))
    title = f"{place + 1:>2}  {lesson.lesson.title[language]}"
    spans = (
        Span(f"  {glyph} ", Style.STRONG if look is Style.CURRENT else look),
        Span(pad(title, left), Style.STRONG if lesson is catalogue.suggested else Style.PLAIN),
        Span(" "),
        Span(right, Style.DIM if mark is Mark.NEW else look),
    )
    return Row(clip_spans(spans, room), Target(choice=place))
