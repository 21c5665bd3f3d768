"""The line of keys at the bottom, made from the bindings that work right now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from inplace_tui.ui.keys import PINNED, Action, find

GAP = "  "


@dataclass(frozen=True)
class Key:
    """One key in the bar: what to press, what it does, what a click runs."""

    key: str
    label: str
    call: str

    @property
    def content(self) -> Content:
        """The key, then its label."""
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


class KeyBar(Widget):
    """Shows the live keys of its screen, help and quit always among them."""

    DEFAULT_CSS = """
    KeyBar { height: 1; width: 1fr; padding: 0 1; background: $panel; }
    """

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._updated)

    @property
    def text(self) -> str:
        """What it shows."""
        return GAP.join(key.content.plain for key in self._keys())

    def render(self) -> Content:
        """Draw what fits."""
        return Content(GAP).join(key.content for key in self._keys())

    async def on_click(self, event: events.Click) -> None:
        """Do what the key under the pointer does."""
        place = event.get_content_offset(self)
        if place is None:
            return
        column = place.x
        for key in self._keys():
            if 0 <= column < key.content.cell_length:
                event.stop()
                await self.screen.run_action(key.call)
                return
            column -= key.content.cell_length + len(GAP)

    def _keys(self) -> list[Key]:
        language = getattr(self.app, "language", "en")
        live = live_actions(self.screen)
        first: tuple[str, ...] = getattr(self.screen, "promoted", ())
        ranked = sorted(
            (action for action in live if action.rank and action.id not in PINNED),
            key=lambda a: first.index(a.id) - len(first) if a.id in first else a.rank,
        )
        pinned = [action for name in PINNED if (action := find(name)) is not None]
        return fit(
            [_key(action, language) for action in ranked],
            [_key(action, language) for action in pinned],
            self.content_size.width,
        )

    def _updated(self, _: Screen[object]) -> None:
        self.refresh()


def live_actions(screen: Screen[object]) -> list[Action]:
    """Return the actions whose keys work now, in the order of the table of actions."""
    live = {active.binding.id for active in screen.active_bindings.values() if active.enabled}
    return [action for identity in live if (action := find(identity)) is not None]


def _key(action: Action, language: str) -> Key:
    call = action.call if action.id not in PINNED else f"app.{action.call}"
    return Key(action.key, action.label(language), call)
