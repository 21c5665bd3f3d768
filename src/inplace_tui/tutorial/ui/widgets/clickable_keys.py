"""A text that names keys; a click on one presses it."""

from __future__ import annotations

import re

from textual import events
from textual.geometry import Region
from textual.widgets import Static

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
