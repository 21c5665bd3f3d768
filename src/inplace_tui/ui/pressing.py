"""What to press for an action, where a text names a key: the learner may have moved it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.app import App

from inplace_tui.ui.keymap import USUAL, Keymap
from inplace_tui.ui.keys import shown


class Pressing(Mapping[str, str]):
    """By the id of an action, the first of its keys, as people write it.

    >>> Pressing()["end"], Pressing()["run"]
    ('G', 'Ctrl-R')
    """

    def __init__(self, keymap: Keymap | None = None) -> None:
        self._keys = {**USUAL, **(keymap.own if keymap else {})}

    def __getitem__(self, identity: str) -> str:
        return shown(self._keys[identity][0])

    def __iter__(self) -> Iterator[str]:
        return (identity for identity, keys in self._keys.items() if keys)

    def __len__(self) -> int:
        return sum(1 for keys in self._keys.values() if keys)


def pressing(app: App[object]) -> Pressing:
    """Return what is pressed in this app."""
    keymap = getattr(app, "keymap", None)
    return Pressing(keymap if isinstance(keymap, Keymap) else None)
