"""Foreign text without terminal controls: escapes, cursor moves, text direction.

Where text is laid out, `common/cells.clean` is used, line by line. This is the last
check, where text of any origin leaves the program: no control character gets through,
whatever made the text.
"""

from __future__ import annotations

import re
import unicodedata

MAX_MARKS = 6
"""Combining characters in a row; no script needs more, and a flood of them has no width."""

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Controls of both kinds, all but line end and tab, and what turns or hides text."""

_LINE_END = re.compile("\r+\n?")


def sanitize(text: str) -> str:
    """Return text of one line or many that is safe to write to a terminal.

    A control character shows as its picture, a carriage return begins a new line.
    """
    if text.isascii() and text.isprintable():
        return text
    return _OBEYED.sub(_replaced, _LINE_END.sub("\n", text))


def _replaced(found: re.Match[str]) -> str:
    character = found.group()
    return visible(character) if ord(character) < 0xA0 else ""


def visible(character: str) -> str:
    """Return a character, or the picture of one that has no shape."""
    code = ord(character)
    if code < 32:
        return chr(0x2400 + code)
    if code == 127:
        return "␡"
    if unicodedata.category(character) in ("Cc", "Cn", "Cs", "Zl", "Zp"):
        return "�"
    return character


def without_controls(text: str) -> str:
    """Return drawn text without what moves the cursor; as wide as a terminal drew it.

    Such characters were measured as having no width, so nothing replaces them.
    """
    if text.isascii() and text.isprintable():
        return text
    return _MOVING.sub("", text)


_MOVING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]")
