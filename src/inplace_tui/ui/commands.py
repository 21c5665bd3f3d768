"""The command palette: every action that works now, and every lesson."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from inplace_tui.engine.problems import fill
from inplace_tui.texts import LANGUAGES
from inplace_tui.texts.challenges import TASK
from inplace_tui.texts.looks import THEME, THEME_NAMES
from inplace_tui.texts.screen import TEXTS
from inplace_tui.ui.keys import ACTIONS, Action, Where
from inplace_tui.ui.screens.arrangement import SHORT
from inplace_tui.ui.screens.page import HEIGHTS, WIDTHS
from inplace_tui.ui.screens.standing import Standing
from inplace_tui.ui.theme import THEMES
from inplace_tui.ui.widgets.key_bar import live_keys

if TYPE_CHECKING:
    from inplace_tui.ui.app import InplaceApp


Entry = tuple[str, Callable[[], None], list[str]]
"""What is offered: its text, what it does, and all that it can be found by."""

BY_HELP = 0.1
"""The score of an action whose name does not match, but whose description has the words."""


class Palette(Standing, CommandPalette):
    """The palette, from which one can quit as from everywhere."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "app.quit", "quit", show=False, id="quit")
    ]


class _Commands(Provider):
    @property
    def program(self) -> InplaceApp:
        """The app, as what it is."""
        from inplace_tui.ui.app import InplaceApp  # noqa: PLC0415  # it imports this module

        assert isinstance(self.app, InplaceApp)
        return self.app


class ActionCommands(_Commands):
    """Actions by what they are called and by what they do, in every language."""

    async def discover(self) -> Hits:
        """Offer all of them before anything is typed."""
        for action in self._actions():
            yield DiscoveryHit(
                self._shown(action),
                partial(self._perform, action),
                text=action.label(self.program.language),
                help=self._help(action),
            )

    async def search(self, query: str) -> Hits:
        """Offer those that match."""
        matcher = self.matcher(query)
        for action in self._actions():
            names = [action.id, *(action.label(language) for language in LANGUAGES)]
            score = max(map(matcher.match, names))
            if score == 0 and any(query.lower() in action.help(each).lower() for each in LANGUAGES):
                score = BY_HELP
            if score > 0:
                yield Hit(
                    score,
                    self._shown(action),
                    partial(self._perform, action),
                    text=action.label(self.program.language),
                    help=self._help(action),
                )

    def _actions(self) -> list[Action]:
        """Return what works on the screen below; what has no key counts by its place."""
        screen = self.screen
        live = live_keys(screen)
        places = {action.where for action in live}
        keyless = [each for each in ACTIONS if not each.keys and each.where in places]
        return [
            each
            for each in [*live, *keyless]
            if each.argument is None and each.where is not Where.PANEL and each.id != "commands"
        ]

    def _help(self, action: Action) -> str | None:
        """Return the line below, where one line each leaves room for a choice."""
        return action.help(self.program.language) if self.app.size.height >= SHORT else None

    def _shown(self, action: Action) -> Content:
        label = action.label(self.program.language)
        key = live_keys(self.screen).get(action)
        if key is None:
            return Content(label)
        return Content.assemble(label, "  ", (key, "$foreground 70%"))

    async def _perform(self, action: Action) -> None:
        place = "app." if action.where is Where.EVERYWHERE else "screen."
        await self.app.run_action(place + action.call)


class _NamedCommands(_Commands):
    """Things that can be found by their names."""

    async def discover(self) -> Hits:
        """Offer all of them before anything is typed."""
        for text, command, _ in self._entries():
            yield DiscoveryHit(Content(text), command, text=text)

    async def search(self, query: str) -> Hits:
        """Offer those that match."""
        matcher = self.matcher(query)
        for text, command, names in self._entries():
            score = max(map(matcher.match, names))
            if score > 0:
                yield Hit(score, Content(text), command, text=text)

    @abstractmethod
    def _entries(self) -> list[Entry]:
        """Return all of them, in the order in which they are offered."""


class LessonCommands(_NamedCommands):
    """Lessons and challenges by their titles and ids, in every language."""

    def _entries(self) -> list[Entry]:
        """Return those that are in order."""
        course, program = self.program.course, self.program
        found: list[Entry] = []
        if course is None:
            return found
        for lesson in course.lessons:
            about = lesson.lesson
            said = fill(TEXTS, "go-to", title=about.title)
            command = partial(program.open_lesson, about.id)
            found.append((said[program.language], command, [about.id, said.en, said.zh]))
        for challenge in course.challenges:
            task = challenge.challenge
            said = fill(TASK, "go-to", title=task.title)
            command = partial(program.open_challenge, task.id)
            found.append((said[program.language], command, [task.id, said.en, said.zh]))
        return found


class ThemeCommands(_NamedCommands):
    """Themes by their names, in every language."""

    def _entries(self) -> list[Entry]:
        """Return each as something to wear."""
        found: list[Entry] = []
        for theme in THEMES:
            said = fill(THEME, "wear", name=THEME_NAMES[theme.name])
            command = partial(self.program.wear, theme.name)
            found.append((said[self.program.language], command, [said.en, said.zh]))
        return found


class Commands(_Commands):
    """All of them, in one order: Textual keeps providers in a set, which has none."""

    KINDS = (ActionCommands, LessonCommands, ThemeCommands)

    async def discover(self) -> Hits:
        """Offer what can be done here first, then where one can go."""
        for kind in self.KINDS:
            async for hit in kind(self.screen, self.match_style).discover():
                yield hit

    async def search(self, query: str) -> Hits:
        """Offer what matches of each."""
        for kind in self.KINDS:
            async for hit in kind(self.screen, self.match_style).search(query):
                yield hit
