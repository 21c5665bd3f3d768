"""The bars: one line at the top, and at the bottom the keys that work right now."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from inplace_tui.common.local_text import LocalText
from inplace_tui.tutorial.ui.keymap import live_keys
from inplace_tui.tutorial.ui.keys import BY_ID, PINNED, Action, Where
from inplace_tui.tutorial.ui.textual_private.compositor import SingleLine

GAP = "  "
NOTHING = Content("")

NEXT_OF = {"choice": "next_choice", "panel": "cycle(1)", "take": "take_chosen"}
"""What a click on the digits of an action runs: each of them leads to one of several things."""


@dataclass(frozen=True)
class Key:
    """One key in the bar: what to press, what it does, what a click runs."""

    key: str
    label: str
    call: str

    @property
    def content(self) -> Content:
        return Content.assemble((self.key, "bold $primary"), " ", self.label)


def fit(keys: Sequence[Key], pinned: Sequence[Key], room: int) -> list[Key]:
    """Return as many of `keys` as fit beside the pinned ones, which always stay.

    The first that does not fit ends the list: a footer whose order changes with
    the width would have to be read anew at every size.
    """
    used = sum(key.content.cell_length for key in pinned) + len(GAP) * (len(pinned) - 1)
    fitting = []
    for key in keys:
        used += key.content.cell_length + len(GAP)
        if used > room:
            break
        fitting.append(key)
    return [*fitting, *pinned]


class KeyBar(SingleLine):
    """Shows the live keys of its screen, help and quit always among them."""

    DEFAULT_CSS = """
    KeyBar { height: 1; width: 1fr; padding: 0 1; background: $panel; }
    """

    _drawn: Sequence[Key] = ()
    _pressed: Sequence[Key] = ()
    """What was drawn when the mouse was pressed."""

    _instead = Content("")

    def on_mount(self) -> None:
        # Textual says so after every step, whether or not another key works now.
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.follow())

    def show_instead(self, text: Content) -> None:
        """Show this instead of the keys; with nothing in it, the keys."""
        if text != self._instead:
            self._instead = text
            self.redraw()

    def follow(self) -> None:
        """Show the keys that work now, and what they are called, where that is something else."""
        if self._keys() != self._drawn:
            self.redraw()

    @property
    def text(self) -> str:
        return GAP.join(key.content.plain for key in self._keys())

    def render(self) -> Content:
        if self._instead:
            self._drawn = ()
            return self._instead.truncate(self.size.width, ellipsis=True)
        self._drawn = self._keys()
        return Content(GAP).join(key.content for key in self._drawn)

    def on_mouse_down(self) -> None:
        """Keep what is seen: a key that stood back does nothing."""
        self._pressed = self._drawn

    async def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        column = place.x
        for key in self._pressed:
            if 0 <= column < key.content.cell_length:
                event.stop()
                await self.screen.run_action(key.call)
                return
            column -= key.content.cell_length + len(GAP)

    def _keys(self) -> list[Key]:
        first: tuple[str, ...] = getattr(self.screen, "promoted", ())
        idle: tuple[str, ...] = getattr(self.screen, "idle", ())
        live = live_keys(self.screen)
        # The keys of panels are on the help page.
        shown_below = (a for a in live if a.rank and a.where is not Where.PANEL)
        ranked = sorted(
            (a for a in shown_below if a.name not in (*idle, *PINNED)),
            key=lambda a: first.index(a.name) - len(first) if a.name in first else a.rank,
        )
        pinned = [BY_ID[name] for name in PINNED]
        return fit(self._keyed(ranked, live), self._keyed(pinned, live), self.size.width)

    def _keyed(self, actions: Sequence[Action], live: Mapping[Action, str]) -> list[Key]:
        """Return the keys of these actions; digits that do the same kind of thing are one."""
        language = getattr(self.app, "language", "en")
        labels: Mapping[str, LocalText] = getattr(self.screen, "label_overrides", {})
        keys = []
        for name, group in groupby(actions, key=lambda action: action.name):
            same = list(group)
            each = [live.get(action, action.key) for action in same]
            usual = len(each) > 1 and each == [action.key for action in same]
            key = f"{each[0]}-{each[-1]}" if usual else "/".join(each)
            call = same[0].call if len(same) == 1 else NEXT_OF[same[0].name]
            call = f"app.{call}" if same[0].where is Where.EVERYWHERE else call
            label = labels[name][language] if name in labels else same[0].label(language)
            keys.append(Key(key, label, call))
        return keys


NAMED = {"Enter": "enter", "Esc": "escape", "Tab": "tab", "Alt-A": "alt+a", "↑": "up", "↓": "down"}
"""How texts name keys, and how Textual does."""

_NAMES = re.compile("|".join(NAMED))
_ENDS = re.compile("[·,.，。]")


def key_named(text: str, place: int) -> str | None:
    """Return the key that the text is about at a place.

    >>> key_named("Enter accepts, Esc goes back. ~ is home.", 8)
    'enter'
    >>> key_named("Enter accepts, Esc goes back. ~ is home.", 35)
    """
    before = [found for found in _NAMES.finditer(text) if found.start() <= place]
    if not before or _ENDS.search(text, before[-1].end(), place + 1):
        return None
    return NAMED[before[-1][0]]


class ClickableKeys(Static):
    """Shows which keys there are; the focus stays where it was."""

    def on_click(self, event: events.Click) -> None:
        """Press the key that the words under the mouse are about."""
        line = self.render_lines(Region(0, event.y, self.outer_size.width, 1))[0]
        key = key_named(line.text, len(line.crop(0, event.x).text))
        if key is not None:
            event.stop()
            self.app.simulate_key(key)


class Bar(SingleLine):
    """Shows two texts; the left one gives way where there is no room for both."""

    DEFAULT_CSS = """
    Bar { height: 1; width: 1fr; padding: 0 1; }
    """

    left = NOTHING
    right = NOTHING

    def show(self, left: Content, right: Content = NOTHING) -> None:
        if (left, right) != (self.left, self.right):
            self.left, self.right = left, right
            self.redraw()

    @property
    def text(self) -> str:
        """What it shows, for tests and for copying."""
        return f"{self.left.plain}  {self.right.plain}".strip()

    def render(self) -> Content:
        room = self.size.width
        beside = self.right.cell_length + 2 if self.right else 0
        left = _clipped(self.left, max(0, room - beside))
        if self.right.cell_length > room:
            return _clipped(self.left, room)
        gap = " " * (room - left.cell_length - self.right.cell_length)
        return Content.assemble(left, gap, self.right)


def _clipped(text: Content, room: int) -> Content:
    """Return a text in at most `room` cells, with no gap before the mark of a cut."""
    if text.cell_length <= room:
        return text
    return text.truncate(max(0, room - 1)).rstrip() + ("…" if room else "")
