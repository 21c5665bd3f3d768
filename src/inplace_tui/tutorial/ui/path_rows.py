"""The contents on a path as rows: what is next, its lessons, and the keys that lead elsewhere.

Pure: a catalogue in, rows out.
"""

from __future__ import annotations

from collections.abc import Mapping

from inplace_tui.common.cells import clip_spans, hanging, pad, width
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts import say
from inplace_tui.common.texts.paths import PathTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.course.paths import LearningPath, learning_path
from inplace_tui.tutorial.ui import course_rows
from inplace_tui.tutorial.ui.course_rows import Catalogue

_WAYS = (
    ("ask.contents", PathTexts.ask),
    ("sandbox", PathTexts.play),
    ("drill", PathTexts.drill),
    ("paths", PathTexts.another),
    ("filter", PathTexts.search),
    ("library", PathTexts.library),
)
"""What else there is, by the action that leads there."""

_COLUMN = 24


def rows(
    catalogue: Catalogue, path: LearningPath, room: int, language: str, keys: Mapping[str, str]
) -> list[Row]:
    """Return the contents on a path; lessons and the challenge have the places of the course."""
    listed = [*_next(catalogue, path, room, language, keys), Row()]
    for number, each in enumerate(path.lessons, 1):
        listed.append(course_rows.lesson_row(catalogue, each, room, language, number))
    if path.challenge is not None:
        last = str(len(path.lessons) + 1)
        listed.append(course_rows.challenge_row(catalogue, path.challenge, room, language, last))
    return [*listed, Row(), *_ways(room, language, keys)]


def _next(
    catalogue: Catalogue, path: LearningPath, room: int, language: str, keys: Mapping[str, str]
) -> list[Row]:
    """Return what to go on with, and what comes back today."""
    after, challenge, action = catalogue.suggested, path.challenge, "resume"
    if after is not None:
        title = after.lesson.title[language]
    elif challenge is not None and not catalogue.attempt(challenge.id).solved:
        title = challenge.challenge.title[language]
    else:
        title, action = say(PathTexts.done, language), "paths"
    lead = Span("  ▸ ", Style.CURRENT), say(PathTexts.go_on, language)
    found = [_offer(lead, title, keys[action], action, room)]
    if (due := catalogue.due).now:
        text = PathTexts.and_new if due.has_new else PathTexts.comes_back
        told = say(text if due.back else PathTexts.is_new, language, back=due.back)
        lead = Span("    "), say(PathTexts.today, language)
        found.append(_offer(lead, told, keys["review"], "review", room))
    return found


def _offer(lead: tuple[Span, str], title: str, key: str, action: str, room: int) -> Row:
    mark, word = lead
    text = pad(f"{pad(word, 8)}{title}", max(4, room - 6 - width(key)))
    return Row((mark, Span(text), Span(f" {key}", Style.NAME)), Target(action=action))


def _ways(room: int, language: str, keys: Mapping[str, str]) -> list[Row]:
    shown = [(keys[action], say(text, language)) for action, text in _WAYS]
    across = max(1, (room - 2) // _COLUMN)
    found = []
    for start in range(0, len(shown), across):
        spans = [Span("  ")]
        for key, text in shown[start : start + across]:
            told = pad(f"  {text}", _COLUMN - width(key))
            spans += [Span(key, Style.NAME), Span(told, Style.DIM)]
        found.append(Row(clip_spans(spans, room)))
    return found


def how_far(catalogue: Catalogue, path: LearningPath, language: str) -> str:
    """Return how many lessons of a path are passed, and how long the others take."""
    left = [each for each in path.lessons if not catalogue.is_passed(each.id)]
    values = {"done": len(path.lessons) - len(left), "total": len(path.lessons)}
    if not left:
        return say(ScreenTexts.done_of, language, **values)
    minutes = sum(each.lesson.minutes for each in left)
    return say(PathTexts.far, language, **values, minutes=minutes)


def choices(catalogue: Catalogue, room: int, language: str) -> list[Row]:
    """Return the paths to choose from, numbered, each with what it is for; then the placement."""
    offered: list[tuple[LocalText, LocalText, list[Span]]] = []
    for about in catalogue.course.paths:
        path = learning_path(catalogue.course, about.id)
        assert path is not None, "it is one of the course"
        told = Span(f"  {how_far(catalogue, path, language)}", Style.DIM)
        offered.append((about.title, about.summary, [told]))
    offered.append((PathTexts.everything, PathTexts.everything_summary, []))
    offered.append((PathTexts.place_me, PathTexts.place_me_summary, []))
    listed: list[Row] = []
    for place, (title, summary, far) in enumerate(offered):
        lead, named = Span(f" {place + 1} ", Style.NAME), Span(title[language], Style.STRONG)
        listed += hanging(lead, [named, *far], room, Target(choice=place))
        listed += hanging(Span("   "), [Span(summary[language], Style.DIM)], room, Target())
        listed += [Row()] if far else []
    return listed
