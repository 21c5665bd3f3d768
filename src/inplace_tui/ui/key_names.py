"""Keys as people write them, in Textual's names."""

from __future__ import annotations

import re

from textual.keys import key_to_character

from inplace_tui.ui.keys import ascii_twin
from inplace_tui.ui.textual_private.keys import key_name

_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
}
_MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "alt": "alt", "meta": "alt", "shift": "shift"}

_NAMED = """
    up down left right home end pageup pagedown insert delete backspace tab enter escape space
"""

NAMES = frozenset(
    (
        *_NAMED.split(),
        *_ALIASES,
        *(f"f{number}" for number in range(1, 25)),
        *(key_name(chr(code)) for code in range(0x21, 0x7F)),
    )
)
"""Every key by itself. An input method's full-width forms are taken for their twins."""

_ODD = {"ctrl+at": "ctrl+@"}
"""Keys with another name in Textual: what a terminal sends for Ctrl-Space."""

SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+left_square_bracket": "escape"}
"""Keys that a terminal sends like another key."""


def parse_key(text: str) -> str | None:
    """Return Textual's name of a key: `Ctrl-R`, `ctrl+r`, `?`, `Shift-Tab`; None if it is none.

    >>> parse_key("Ctrl-R"), parse_key("?"), parse_key("Shift+n"), parse_key("Hyper-x")
    ('ctrl+r', 'question_mark', 'N', None)
    """
    if len(text) == 1:
        return _single(text)
    *written, last = re.split(r"[-+](?=.)", text.strip())
    modifiers = {_MODIFIERS.get(each.lower()) for each in written}
    name = _single(last) if len(last) == 1 else _named(last)
    if name is None or None in modifiers:
        return None
    if name.isalpha() and len(name) == 1 and modifiers:
        name = name.upper() if modifiers == {"shift"} else name.lower()
        if modifiers == {"shift"}:
            return name
        if "shift" in modifiers:
            return None  # a terminal sends the same without it
    key = "+".join([*(each for each in ("alt", "ctrl", "shift") if each in modifiers), name])
    return _ODD.get(key, key)


def types_text(key: str) -> bool:
    if key_to_character(key) is not None and "+" not in key:
        return True
    return key in NAMES and not re.fullmatch(r"f\d+", key)


def _single(character: str) -> str | None:
    twin = ascii_twin(character)
    if len(twin) != 1 or not twin.isascii() or not twin.isprintable():
        return None
    return "space" if twin == " " else key_name(twin)


def _named(name: str) -> str | None:
    lower = name.lower()
    return _ALIASES.get(lower, lower) if lower in NAMES else None
