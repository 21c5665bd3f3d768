"""How a checkpoint or the review went, in words."""

from __future__ import annotations

from inplace_tui.common.cells import hanging, wrapped
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts import say
from inplace_tui.common.texts.quiz import QuizScreenTexts
from inplace_tui.tutorial.activity.quiz.names import CHECKPOINT, DRILL
from inplace_tui.tutorial.activity.quiz.result import QuizResult
from inplace_tui.tutorial.activity.quiz.review import A_DAY
from inplace_tui.tutorial.course.course import Course


def rows(result: QuizResult, course: Course | None, room: int, language: str) -> list[Row]:
    """Return the result, what was missed, and the ways on as numbered choices."""
    listed = [*summary(result, course, room, language), Row()]
    titles = {
        "challenge": None if result.challenge is None else result.challenge.challenge.title,
        "chapter": None if result.chapter is None else result.chapter.chapter.title,
    }
    for place, (key, way) in enumerate(result.ways):
        about = titles.get(key)
        named = say(way, language, title="" if about is None else about[language])
        lead = Span(f" {place + 1} ", Style.NAME)
        listed += hanging(lead, [Span(named)], room, Target(choice=place))
    return listed


def summary(result: QuizResult, course: Course | None, room: int, language: str) -> list[Row]:
    """Return the result, and what was missed."""
    counted = {"right": result.right, "total": result.total}
    style = Style.RIGHT if result.right == result.total else Style.STRONG
    listed = _text(say(QuizScreenTexts.right_of, language, **counted), room, style)
    if result.best is not None and result.best != (result.right, result.total):
        right, total = result.best
        text = say(QuizScreenTexts.best, language, right=right, total=total)
        listed += _text(text, room, Style.DIM)
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


def _text(text: str, room: int, style: Style = Style.PLAIN) -> list[Row]:
    return wrapped([Span(text, style)], room)
