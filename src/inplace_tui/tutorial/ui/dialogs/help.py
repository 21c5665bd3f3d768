"""What the keys do here: a page made from the bindings that work at this moment."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding
from textual.screen import Screen

from inplace_tui.common.cells import flow, spans_width, width, wrap, wrapped
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.rows import Row, Span, Style, Target, more, spans
from inplace_tui.common.texts import say
from inplace_tui.common.texts.actions import HELP
from inplace_tui.common.texts.glossary import HEADING, WORDS
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.common.texts.panels import PanelTitles
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.tutorial.present.lanes import legend_parts
from inplace_tui.tutorial.ui.dialogs.dialog import Dialog, RowsDialog, closed_by
from inplace_tui.tutorial.ui.keys import Where, find, shown
from inplace_tui.tutorial.ui.panels.panel import Panel, title_of
from inplace_tui.tutorial.ui.widgets.editor import Editor

ROOMY = 70
"""Cells of a screen whose help has a long last line."""

# What panels and dialogs bind for themselves, by the name of the bound action.
_THEIR_OWN = {
    "move": ScreenTexts.move_up,
    "page": ScreenTexts.page_up,
    "sideways": ScreenTexts.move_sideways,
    "cancel": ScreenTexts.go_back,
    "take_number": ScreenTexts.take_number,
    "complete": ScreenTexts.complete_path,
}


class HelpEntry(NamedTuple):
    """Keys that share one sentence."""

    keys: tuple[str, ...]
    """In Textual's names, those that people know first before the others."""

    text: str
    alike: bool
    """They all do one and the same; else each has its own place to go to."""


Group = tuple[str, list[HelpEntry]]
"""A heading, and what keys do."""


def live_help(screen: Screen[object], language: str) -> list[Group]:
    """Return what works on `screen` now: in the focused panel, on the screen, everywhere."""
    groups: dict[LocalText, dict[str, dict[str, str]]] = {
        ScreenTexts.help_panel: {},
        ScreenTexts.help_screen: {},
        ScreenTexts.help_everywhere: {},
    }
    for key, active in screen.active_bindings.items():
        entry = _help_text(active.binding, language)
        if entry is None or not active.enabled:
            continue
        action = find(active.binding.id)
        group = ScreenTexts.help_panel
        if action is not None and action.where is Where.EVERYWHERE:
            group = ScreenTexts.help_everywhere
        elif active.node is screen or isinstance(screen, Dialog):
            group = ScreenTexts.help_screen
        groups[group].setdefault(entry, {})[key] = active.binding.action
    focused = screen.focused
    title = say(
        ScreenTexts.editor if isinstance(focused, Editor) else ScreenTexts.contents, language
    )
    if isinstance(focused, Panel):
        title = title_of(focused, language)
    listed: list[Group] = []
    for group, told in groups.items():
        entries = []
        for text, calls in told.items():
            keys = tuple(sorted(calls, key=lambda key: "+" in key))
            entries.append(HelpEntry(keys, text, len({*calls.values()}) == 1))
        if entries:
            listed.append((say(group, language, panel=title), entries))
    return listed


def keys_of(groups: list[Group]) -> list[str]:
    return [key for _, found in groups for entry in found for key in entry.keys]


def rows(groups: list[Group], room: int, language: str) -> list[Row]:
    widths = (width(" ".join(map(shown, entry.keys))) for _, found in groups for entry in found)
    column = min(22, room // 3, max(widths, default=0))
    page: list[Row] = []
    first = 0
    for heading, found in groups:
        page += [Row(), Row((Span(heading, Style.HEADING),))]
        for entry in found:
            page += _entry(entry, first, column=column, room=room)
            first += len(entry.keys)
    page += [Row(), Row((Span(say(ScreenTexts.help_marks, language), Style.HEADING),))]
    lanes = say(LaneTexts.help, language, lanes=say(PanelTitles.lanes, language))
    marks = ScreenTexts.mark_changed, ScreenTexts.mark_stale, ScreenTexts.mark_hidden
    for mark in (*marks, ScreenTexts.help_wide_keys):
        page += wrapped([Span(f" {say(mark, language)}")], room)
    page += [Row(), *(Row(line) for line in wrap([Span(" "), *spans(lanes)], room)), Row()]
    page += [Row((Span(f" {line}"),)) for line in flow(legend_parts(language), room - 1, "  ")]
    page += [Row(), Row((Span(say(HEADING, language), Style.HEADING),))]
    for word in WORDS:
        lines = wrap([Span(" "), *spans(say(word.text, language))], room)
        page += [Row(line) for line in lines]
    return page[1:]


def _entry(entry: HelpEntry, first: int, *, column: int, room: int) -> list[Row]:
    """Return the rows of some keys, of which `first` is the place of the first one."""
    target = Target(choice=first) if entry.alike else Target()
    keys: list[Span] = []
    for place, key in enumerate(entry.keys, first):
        itself = target if entry.alike else Target(choice=place)
        keys += [Span(" "), Span(shown(key), Style.NAME, itself)]
    used = spans_width(keys)
    lines = wrap([Span(entry.text)], max(10, room - column - 3))
    if used > column + 1:
        head, rest = Row(tuple(keys), target), lines
    else:
        head = Row((*keys, Span(" " * (column + 3 - used)), *lines[0]), target)
        rest = lines[1:]
    return [head, *(more((Span(" " * (column + 3)), *line), target) for line in rest)]


def _help_text(binding: Binding, language: str) -> str | None:
    name = binding.action.partition("(")[0]
    action = find(binding.id)
    if action is not None and name != "cancel":
        return action.help(language)
    if name in _THEIR_OWN:
        return say(_THEIR_OWN[name], language)
    if name in ("choose", "choose_row"):
        return say(HELP["choose_row"], language)
    return None


class HelpDialog(RowsDialog[str]):
    """What works on the screen behind it; the result is a key to press."""

    HEADING = ScreenTexts.help
    BINDINGS = closed_by("help")

    def __init__(self, behind: Screen[object]) -> None:
        super().__init__()
        self._behind = behind

    def footer(self) -> str:
        """Name what is below all the keys, where there is room for that."""
        roomy = self.app.size.width >= ROOMY
        return self.say(ScreenTexts.help_foot if roomy else ScreenTexts.help_lead)

    def rows(self, room: int) -> list[Row]:
        page = rows(self._groups, room, self.language)
        above = getattr(self._behind, "help_above", None)
        return page if above is None else [*above(room, self.language), Row(), *page]

    def results(self) -> list[str]:
        return keys_of(self._groups)

    def refuse_key(self, key: str) -> None:
        """Do not send to the help for a key that is pressed in it."""
        self.note(ScreenTexts.key_unused_in_help, key=shown(key))

    @property
    def _groups(self) -> list[Group]:
        return live_help(self._behind, self.language)
