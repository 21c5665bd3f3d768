"""The command palette: every action that works now, every lesson, every theme; typing searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.fuzzy import Matcher
from textual.widgets import Input

from inplace_tui.common.cells import pad_spans, width, wrap
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.rows import Row, Span, Style, Target, marked, more
from inplace_tui.common.texts.actions import HELP, LABELS
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.common.texts.concepts import concept_words
from inplace_tui.common.texts.screen import THEME_NAMES, ScreenTexts
from inplace_tui.tutorial.ui.arrangement import SHORT
from inplace_tui.tutorial.ui.dialogs.dialog import FieldDialog
from inplace_tui.tutorial.ui.keymap import live_keys
from inplace_tui.tutorial.ui.keys import ACTIONS, Where
from inplace_tui.tutorial.ui.theme import THEMES
from inplace_tui.tutorial.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from inplace_tui.tutorial.ui.app import InplaceApp

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

    def score(self, query: str) -> float:
        """Return how well it answers, by what it is called in any language; 0 for not at all."""
        if self.number is not None and query == str(self.number):
            return BY_NUMBER
        matcher = Matcher(query)
        score = max(map(matcher.match, (self.id, *self.title.spellings)))
        spellings = [self.words, *(() if self.about is None else self.about.spellings)]
        if score == 0 and any(query.lower() in each.lower() for each in spellings):
            return BY_HELP
        return score


def commands(host: InplaceApp) -> list[PaletteCommand]:
    """Return what can be done on the page in front first, then where one can go."""
    live = live_keys(host.screen)
    places = {action.where for action in live}
    keyless = [  # counts by its place
        each
        for each in ACTIONS
        if not each.keys and each.where in places and host.screen.check_action(each.id, ())
    ]
    found: list[PaletteCommand] = []
    for action in (*live, *keyless):
        if action.argument is None and action.where is not Where.PANEL and action.id != "commands":
            place = "app" if action.where is Where.EVERYWHERE else "screen"
            do = partial(host.run_action, f"{place}.{action.call}")
            title, about = LABELS[action.name], HELP[action.name]
            found.append(PaletteCommand(action.id, title, do, live.get(action, ""), about))
    found += places_of(host)
    for name in (theme.name for theme in THEMES):
        title = fill(ScreenTexts.theme, name=THEME_NAMES[name])
        found.append(PaletteCommand(name, title, partial(host.use_theme, name)))
    return found


def places_of(host: InplaceApp) -> list[PaletteCommand]:
    """Return the lessons and challenges to go to; none while the course is being read."""
    found: list[PaletteCommand] = []
    lessons = () if host.course is None else host.course.lessons
    for number, about in enumerate((loaded.lesson for loaded in lessons), 1):
        title, words = fill(ScreenTexts.go_to, title=about.title), concept_words(about.teaches)
        do = partial(host.open_lesson, about.id)
        found.append(PaletteCommand(about.id, title, do, words=words, number=number))
    challenges = () if host.course is None else host.course.challenges
    for task in (loaded.challenge for loaded in challenges):
        title = fill(ChallengeTexts.go_to, title=task.title)
        found.append(PaletteCommand(task.id, title, partial(host.open_challenge, task.id)))
    return found


def answering(offered: Sequence[PaletteCommand], query: str) -> list[PaletteCommand]:
    """Return what answers a query, the best first; all of it where nothing is asked for."""
    if not query:
        return list(offered)
    scores = {command: command.score(query) for command in offered}
    return sorted((each for each in offered if scores[each]), key=lambda each: -scores[each])


class PaletteDialog(FieldDialog[PaletteCommand]):
    """Lists what can be done on the page below, and where one can go."""

    HEADING = ScreenTexts.palette
    FOOTER = ScreenTexts.help_lead
    PLACEHOLDER = ScreenTexts.palette_line
    first = 0
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+p", "cancel", "back", id="commands")]

    def __init__(self, offered: Sequence[PaletteCommand]) -> None:
        super().__init__()
        self._offered = offered
        self._found = list(offered)
        self._is_taken = False
        """Enter was pressed where nothing answers yet: the course is being read."""

    def add(self, offered: Sequence[PaletteCommand]) -> None:
        """Offer more: what has been read by now."""
        self._offered = [*self._offered, *offered]
        if not self.is_there:
            self._found = list(self._offered)
            return
        taken = self._is_taken
        self._search()
        if taken and self._found:
            self.take(0)

    def rows(self, room: int) -> Sequence[Row]:
        if not self._found:
            text = ScreenTexts.reading if self.host.course is None else ScreenTexts.palette_none
            return [Row((Span(f" {self.say(text)}", Style.DIM),))]
        long = self.app.size.height >= SHORT
        return [
            row for place in range(len(self._found)) for row in self._entry(place, room, long=long)
        ]

    def _entry(self, place: int, room: int, *, long: bool) -> list[Row]:
        command, language = self._found[place], self.language
        target, query = Target(choice=place), self.query_one(Input).value.strip()
        room -= 1
        left = room - width(command.key) - 1
        name, *rest = wrap([Span(command.title[language])], left - 1)
        title = Row(
            (*pad_spans([Span(" "), *name], left), Span(f" {command.key}", Style.NAME)), target
        )
        about = []
        if long and command.about is not None:
            about = wrap([Span(command.about[language], Style.DIM)], room - 3)
        return [
            marked(title, query),
            *(marked(more((Span(" "), *line), target), query) for line in rest),
            *(more((Span("   "), *line), target) for line in about),
        ]

    def results(self) -> Sequence[PaletteCommand]:
        return self._found

    @on(Input.Changed)
    def _typed(self) -> None:
        """List what answers, at once: the next key may be Enter."""
        self._search()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        lines = self.query_one(Lines)
        if lines.cursor is not None:
            lines.action_choose()
        elif self.host.course is None:
            self._is_taken = True
        else:
            self.note(ScreenTexts.palette_none)

    def _search(self) -> None:
        self._is_taken = False
        self._found = answering(self._offered, self.query_one(Input).value.strip())
        self.restart()

    def action_page(self, direction: int) -> None:
        """Turn a page, to the first one on it."""
        super().action_page(direction)
        self.action_move(1)
