"""Textual's name of a key that types a character: its table of them is not public."""

from __future__ import annotations

from textual.keys import _character_to_key


def key_name(character: str) -> str:
    """Return the name, as bindings have it.

    >>> key_name("?"), key_name("n")
    ('question_mark', 'n')
    """
    return _character_to_key(character)
