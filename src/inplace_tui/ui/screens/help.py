"""What the keys do here: a page made from the bindings that work at this moment."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from inplace_tui.present.cells import width, wrap
from inplace_tui.present.rows import Row, Span, Style
from inplace_tui.texts import say
from inplace_tui.texts.actions import HELP
from inplace_tui.texts.lanes import LANES
from inplace_tui.texts.panels import PANELS
from inplace_tui.texts.screen import TEXTS
from inplace_tui.ui.keys import find, shown
from inplace_tui.ui.panels.panel import Panel
from inplace_tui.ui.screens.dialog import Sheet
from inplace_tui.ui.widgets.editor import Editor
from inplace_tui.ui.widgets.titles import title_of

# What panels bind for themselves, by the name of the bound action.
_OF_PANELS = {
    "move": "move-up",
    "page": "page-up",
    "sideways": "move-sideways",
}


Group = tuple[str, list[tuple[str, str]]]
"""A heading, and what keys do: (keys, sentence)."""


def live_help(screen: Screen[object], language: str) -> list[Group]:
    """Return what works on `screen` now: in the focused panel, on the screen, everywhere."""
    groups: dict[str, dict[str, list[str]]] = {
        "help-panel": {},
        "help-screen": {},
        "help-everywhere": {},
    }
    for key, active in screen.active_bindings.items():
        told = _told(active.binding, language)
        if told is None or not active.enabled:
            continue
        group = "help-panel"
        if active.node is screen:
            group = "help-screen"
        elif active.node is screen.app:
            group = "help-everywhere"
        groups[group].setdefault(told, []).append(key)
    title = _panel_title(screen.focused, language)
    return [
        (
            say(TEXTS, group, language, panel=title),
            [(" ".join(map(shown, _ordered(keys))), told) for told, keys in found.items()],
        )
        for group, found in groups.items()
        if found
    ]


def _ordered(keys: list[str]) -> list[str]:
    """Put the keys that people know first: letters, then the rest."""
    return sorted(keys, key=lambda key: "+" in key)


def rows(groups: list[Group], room: int, language: str) -> list[Row]:
    """Return the help page in `room` cells."""
    column = min(22, max((width(keys) for _, found in groups for keys, _ in found), default=0))
    page: list[Row] = []
    for heading, found in groups:
        page += [Row(), Row((Span(heading, Style.HEADING),))]
        for keys, text in found:
            page += _entry(keys, text, column=column, room=room)
    page += [Row(), Row((Span(say(TEXTS, "help-marks", language), Style.HEADING),))]
    for key in ("mark-changed", "mark-stale", "mark-hidden", "help-wide-keys"):
        page += [Row(line) for line in wrap([Span(f" {say(TEXTS, key, language)}")], room)]
    lanes = say(LANES, "help", language, lanes=say(PANELS, "lanes", language))
    for text in (lanes, say(LANES, "legend", language)):
        page += [Row(), *(Row(line) for line in wrap([Span(f" {text}")], room))]
    return page[1:]


def _entry(keys: str, text: str, *, column: int, room: int) -> list[Row]:
    wide = width(keys) > column
    lines = wrap([Span(text)], max(10, room - column - 3))
    first = Span(f" {keys}" if wide else f" {keys}{' ' * (column - width(keys))}  ", Style.NAME)
    listed = [Row((first,))] if wide else [Row((first, *lines[0]))]
    rest = lines if wide else lines[1:]
    return listed + [Row((Span(" " * (column + 3)), *line)) for line in rest]


def _told(binding: Binding, language: str) -> str | None:
    action = find(binding.id)
    if action is not None:
        return action.help(language)
    name = binding.action.partition("(")[0]
    if name in _OF_PANELS:
        return say(TEXTS, _OF_PANELS[name], language)
    if name in ("choose", "choose_row"):
        return HELP["choose_row"][language]
    return None


def _panel_title(focused: Widget | None, language: str) -> str:
    if isinstance(focused, Panel):
        return title_of(focused, language)
    return say(TEXTS, "editor" if isinstance(focused, Editor) else "contents", language)


class HelpScreen(Sheet[None]):
    """The help page; what it tells was gathered when it was asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "cancel", "back", id="help"),
        Binding("q", "app.quit", "quit", id="quit"),
    ]

    def __init__(self, groups: list[Group]) -> None:
        super().__init__()
        self._groups = groups

    def heading(self) -> str:
        """Say what the page is."""
        return self.say("help")

    def foot(self) -> str:
        """Say how to go back."""
        return self.say("help-close")

    def rows(self, room: int) -> list[Row]:
        """What works, group by group."""
        return rows(self._groups, room, self.program.language)
