"""What the palette offers: every action that works now, every lesson, every theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.fuzzy import Matcher

from inplace_tui.engine.problems import fill
from inplace_tui.model.lesson import LocalText
from inplace_tui.texts.actions import HELP, LABELS
from inplace_tui.texts.challenges import ChallengeTexts
from inplace_tui.texts.concepts import concept_words
from inplace_tui.texts.screen import THEME_NAMES, ScreenTexts
from inplace_tui.ui.keys import ACTIONS, Action, Where
from inplace_tui.ui.theme import THEMES
from inplace_tui.ui.widgets.key_bar import live_keys

if TYPE_CHECKING:
    from inplace_tui.ui.host import Host

BY_NUMBER = 1e6
"""The score of what has the number that was typed: nothing comes before it."""

BY_HELP = 0.1
"""The score of what is not called like that, but whose description has the words."""


@dataclass(frozen=True)
class PaletteCommand:
    """One thing to do or to go to."""

    id: str
    title: LocalText
    do: Callable[[], object]
    key: str = ""
    """What to press for it instead, if a key works now."""

    about: LocalText | None = None
    """A sentence on what it does, where the name does not say it."""

    words: str = ""
    """What it is found by besides: a lesson's concepts, in all languages."""

    number: int | None = None
    """The number of a lesson."""

    def score(self, query: str) -> float:
        """Return how well it answers, by what it is called in any language; 0 for not at all."""
        if self.number is not None and query == str(self.number):
            return BY_NUMBER
        matcher = Matcher(query)
        score = max(map(matcher.match, (self.id, self.title.en, self.title.zh)))
        spellings = [self.words]
        spellings += [] if self.about is None else [self.about.en, self.about.zh]
        if score == 0 and any(query.lower() in each.lower() for each in spellings):
            return BY_HELP
        return score


def commands(host: Host) -> list[PaletteCommand]:
    """Return what can be done on the page in front first, then where one can go."""
    return [*_actions(host), *places_of(host), *_themes(host)]


def answering(offered: Sequence[PaletteCommand], query: str) -> list[PaletteCommand]:
    """Return what answers a query, the best first; all of it where nothing is asked for."""
    if not query:
        return list(offered)
    scores = {command: command.score(query) for command in offered}
    return sorted((each for each in offered if scores[each]), key=lambda each: -scores[each])


def _actions(host: Host) -> list[PaletteCommand]:
    """Return what works on the page; what has no key counts by its place."""
    live = live_keys(host.screen)
    places = {action.where for action in live}
    keyless = [each for each in ACTIONS if not each.keys and each.where in places]
    return [
        PaletteCommand(
            action.id,
            LABELS[action.name],
            partial(host.run_action, _call(action)),
            live.get(action, ""),
            HELP[action.name],
        )
        for action in [*live, *keyless]
        if action.argument is None and action.where is not Where.PANEL and action.id != "commands"
    ]


def _call(action: Action) -> str:
    place = "app" if action.where is Where.EVERYWHERE else "screen"
    return f"{place}.{action.call}"


def places_of(host: Host) -> list[PaletteCommand]:
    """Return the lessons and challenges to go to; none while the course is being read."""
    course = host.course
    if course is None:
        return []
    lessons = [
        PaletteCommand(
            about.id,
            fill(ScreenTexts.go_to, title=about.title),
            partial(host.open_lesson, about.id),
            words=concept_words(about.teaches),
            number=number,
        )
        for number, about in enumerate((loaded.lesson for loaded in course.lessons), 1)
    ]
    challenges = [
        PaletteCommand(
            task.id,
            fill(ChallengeTexts.go_to, title=task.title),
            partial(host.open_challenge, task.id),
        )
        for task in (loaded.challenge for loaded in course.challenges)
    ]
    return [*lessons, *challenges]


def _themes(host: Host) -> list[PaletteCommand]:
    return [
        PaletteCommand(
            theme.name,
            fill(ScreenTexts.theme, name=THEME_NAMES[theme.name]),
            partial(host.use_theme, theme.name),
        )
        for theme in THEMES
    ]
