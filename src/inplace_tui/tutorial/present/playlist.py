"""Playlists in words: a drill's question, reply and statistics; how a checkpoint went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inplace_tui.common.cells import hanging, wrap, wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.rows import Row, Span, Style, Target, spans
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.sentences import Sentence, SentenceBuilder
from inplace_tui.common.texts import say
from inplace_tui.common.texts.drill import (
    CONCEPTS,
    REASONS,
    DrillKeyTexts,
    DrillQuestionTexts,
    DrillReplyTexts,
    DrillSummaryTexts,
    DrillTexts,
)
from inplace_tui.common.texts.endings import ANSWERS
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.quiz import QuizScreenTexts
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.explain.rows import explanation
from inplace_tui.tutorial.activity.drill.record import DrillRecord, Sureness
from inplace_tui.tutorial.activity.drill.recorded import RecordedDrill, harmless_writes, sureness_of
from inplace_tui.tutorial.activity.quiz.names import CHECKPOINT, DRILL
from inplace_tui.tutorial.activity.quiz.review import A_DAY
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import QuestionView
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson
from inplace_tui.tutorial.present.question import answer_rows, count, letters, ways_rows

MAX_REASONS = 3

_TALLIES = {
    Sureness.SURE: DrillSummaryTexts.sure,
    Sureness.THINK: DrillSummaryTexts.think,
    Sureness.GUESS: DrillSummaryTexts.guess,
}
REPLIES = {
    (Sureness.SURE, True): DrillReplyTexts.sure_right,
    (Sureness.THINK, True): DrillReplyTexts.think_right,
    (Sureness.GUESS, True): DrillReplyTexts.guess_right,
    (Sureness.SURE, False): DrillReplyTexts.sure_wrong,
    (Sureness.THINK, False): DrillReplyTexts.think_wrong,
    (Sureness.GUESS, False): DrillReplyTexts.guess_wrong,
}
"""The reply to an answer: how sure it was, and whether it was right."""


def question(
    asked: QuestionView, room: int, language: str, pressed: Mapping[str, str] | None = None
) -> list[Row]:
    """Return the question that is open, with its choices and what to press for each."""
    rows = []
    prompt = asked.prompt
    if asked.draft:
        prediction = say(ANSWERS[Ending(asked.draft)], language)
        sentence = say(DrillQuestionTexts.you_said, language, prediction=prediction)
        rows += [*_text(sentence, room), Row()]
        prompt = DrillQuestionTexts.how_sure
    rows += _text(say(prompt, language), room, Style.STRONG)
    return [*rows, *answer_rows(asked, room, language, pressed)]


def keys(
    asked: QuestionView,
    room: int,
    language: str,
    pressed: Mapping[str, str],
    *,
    lesson: bool = False,
    stepped: bool = False,
) -> list[Row]:
    ways: list[tuple[LocalText, str | None]]
    if asked.status.is_done:
        text = DrillKeyTexts.next_stepped if stepped else DrillKeyTexts.next
        ways = [(text, "next_drill"), (DrillKeyTexts.step, "back")]
        ways += [(DrillKeyTexts.lesson, "taught")] if lesson else []
    else:
        ways = [(DrillKeyTexts.answer, None)]
        ways += [(DrillKeyTexts.back, "leave")] if asked.draft else []
    choices = letters(pressed, count(asked.answers))
    return ways_rows(ways, room, language, keys=pressed, choices=choices)


def reply_rows(
    recorded: RecordedDrill,
    asked: QuestionView,
    lesson: LoadedLesson | None,
    room: int,
    language: str,
    *,
    marks: bool = True,
) -> list[Row]:
    """Return the reply: whether the answer was right, what happened, and why.

    Without `marks`, code has its look and no backquotes.
    """
    right = asked.status is QuestionStatus.RIGHT
    text = REPLIES[sureness_of(asked.tried[-1]), right]
    style = Style.RIGHT if right else Style.WRONG
    rows = _text(say(text, language), room, style)
    rows += _text(say(ANSWERS[recorded.ending], language), room, Style.STRONG)
    for sentence in why(recorded, language, marks=marks):
        rows += [Row(line, Target(line=sentence.line)) for line in wrap(sentence.spans, room)]
    if lesson is not None:
        about = lesson.lesson
        offer = say(DrillReplyTexts.lesson, language, title=about.title[language], id=about.id)
        rows += _text(offer, room, Style.DIM)
    return rows


def why(recorded: RecordedDrill, language: str, *, marks: bool = True) -> list[Sentence]:
    """Return why it came out so: who saved, who changed, who needed; or why nothing was lost.

    Without `marks`, code has its look and no backquotes.
    """
    timeline, source = recorded.timeline, recorded.drill.source
    assert timeline.outcome is not None, "it ran"
    if recorded.ending is not Ending.RIGHT:
        found = find_blame(timeline, recorded.truth, source=source)
        return explanation(
            timeline.outcome, recorded.truth, found, source=source, language=language, marks=marks
        )
    build = SentenceBuilder(source, language, marks=marks)
    known = harmless_writes(timeline, source)[:MAX_REASONS]
    if not known:
        return [build(REASONS["nothing"])]
    # A reason that names no line that saved has no place for one.
    return [build(REASONS[each.key], line=each.line, saved=each.saved or 0) for each in known]


def _text(text: str, room: int, style: Style = Style.PLAIN) -> list[Row]:
    return wrapped(spans(text, style), room)


def summary(record: DrillRecord, language: str) -> list[str]:
    """Return what was counted so far, a line each; the weakest concept comes first."""
    if not record.total.answered:
        return [say(DrillSummaryTexts.none, language)]
    lines = [say(DrillSummaryTexts.total, language, **_counts(record))]
    lines += [
        _counted(say(_TALLIES[each], language), tally.right, tally.answered, language)
        for each in Sureness
        if (tally := record.sureness.get(each)) is not None
    ]
    sure = record.sureness.get(Sureness.SURE)
    if sure is not None:
        misses = sure.answered - sure.right
        lines.append(say(DrillSummaryTexts.confident_misses, language, count=misses))
    if record.repeats:
        lines.append(say(DrillSummaryTexts.waiting, language, count=len(record.repeats)))
    lines.append(say(DrillSummaryTexts.by_concept, language))
    weakest = sorted(
        record.concepts.items(), key=lambda pair: (pair[1].right / pair[1].answered, pair[0])
    )
    lines += [
        _counted(concept(key, language), tally.right, tally.answered, language)
        for key, tally in weakest
    ]
    return lines


def brief(record: DrillRecord, language: str, pressed: Mapping[str, str]) -> str:
    """Return a line about the drill, and the key that leads to it."""
    sure = record.sureness.get(Sureness.SURE)
    if not record.total.answered:
        return say(DrillTexts.never, language, keys=pressed)
    text = say(DrillTexts.brief, language, keys=pressed, **_counts(record))
    if sure is not None:
        text += say(DrillTexts.brief_missed, language, count=sure.answered - sure.right)
    return text


def _counts(record: DrillRecord) -> dict[str, int]:
    return {"level": record.level, "right": record.total.right, "answered": record.total.answered}


def session(score: tuple[int, int], language: str) -> str:
    """Return how many were right this time."""
    right, answered = score
    return say(DrillSummaryTexts.session, language, right=right, answered=answered)


def concept(key: str, language: str) -> str:
    return say(CONCEPTS[key], language) if key in CONCEPTS else key


def _counted(name: str, right: int, answered: int, language: str) -> str:
    return say(DrillSummaryTexts.line, language, name=name, right=right, answered=answered)


@dataclass(frozen=True)
class QuizResult:
    """How it went."""

    right: int
    total: int
    missed: tuple[str, ...]
    """Names of questions."""

    best: tuple[int, int] | None = None
    """How many were ever right at the first try, of how many."""

    challenge: LoadedChallenge | None = None
    """What the chapter ends with."""

    chapter: LoadedChapter | None = None
    """What comes after the chapter."""

    may_repeat: bool = False
    later: int = 0
    """How many more questions are due, but not today."""

    known: int = 0
    """How many lessons were tested out."""

    places: bool = False
    """It was asked to find that out; nothing comes back."""

    @property
    def ways(self) -> tuple[tuple[str, LocalText], ...]:
        found: list[tuple[str, LocalText]] = []
        if self.challenge is not None:
            title = self.challenge.challenge.title
            found.append(("challenge", fill(QuizScreenTexts.to_challenge, title=title)))
        if self.chapter is not None:
            title = self.chapter.chapter.title
            found.append(("chapter", fill(QuizScreenTexts.to_chapter, title=title)))
        if self.may_repeat:
            found.append(("again", QuizScreenTexts.again))
        return (*found, ("back", QuizScreenTexts.back))


def result_rows(result: QuizResult, course: Course | None, room: int, language: str) -> list[Row]:
    """Return the result, what was missed, and the ways on as numbered choices."""
    listed = [*result_summary(result, course, room, language), Row()]
    for place, (_, way) in enumerate(result.ways):
        lead = Span(f" {place + 1} ", Style.NAME)
        listed += hanging(lead, [Span(way[language])], room, Target(choice=place))
    return listed


def result_summary(
    result: QuizResult, course: Course | None, room: int, language: str
) -> list[Row]:
    """Return the result, and what was missed."""
    counted = {"right": result.right, "total": result.total}
    style = Style.RIGHT if result.right == result.total else Style.STRONG
    listed = _text(say(QuizScreenTexts.right_of, language, **counted), room, style)
    if result.best is not None and result.best != (result.right, result.total):
        right, total = result.best
        text = say(QuizScreenTexts.best, language, right=right, total=total)
        listed += _text(text, room, Style.DIM)
    if result.known:
        listed += _text(say(PathTexts.known, language, count=result.known), room)
    if result.places:
        return listed
    listed.append(Row())
    news = QuizScreenTexts.comes_back if result.missed else QuizScreenTexts.nothing_missed
    listed += _text(say(news, language), room)
    for title in dict.fromkeys(title_of(name, course, language) for name in result.missed):
        listed += _text(f"  · {title}", room, Style.WRONG)
    if result.later:
        text = say(QuizScreenTexts.later, language, most=A_DAY, later=result.later)
        listed += _text(text, room, Style.DIM)
    return listed


def title_of(name: str, course: Course | None, language: str) -> str:
    """Return what a question is called: its lesson, or where else it comes from."""
    place = name.partition("/")[0]
    if place == DRILL or course is None:
        return say(QuizScreenTexts.missed_made_up, language)
    if place.startswith(CHECKPOINT):
        chapter = course.find_chapter(place.removeprefix(CHECKPOINT))
        title = "" if chapter is None else chapter.chapter.title[language]
        return say(QuizScreenTexts.missed_four, language, title=title)
    found = next((each for each in course.whole.lessons if each.lesson.id == place), None)
    return place if found is None else found.lesson.title[language]
