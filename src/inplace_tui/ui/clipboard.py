"""The clipboard of the terminal, by OSC 52: through tmux and screen too, as far as they let it.

tmux takes the sequence for itself under `set-clipboard on`, and hands it to the
terminal around it only when it is wrapped, under `allow-passthrough on`. screen
knows nothing of it, but hands on what is wrapped. Both drop what they don't
want, so each gets all it may understand.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

MOST_BYTES = 55_000
"""More, and the 74 KB that some terminals take are full: base64 is a third longer."""

MOST_SENT = 1_000_000
"""Bytes that no terminal takes at once: nothing of such a text is sent."""

SCREEN_CHUNK = 700
"""screen cuts a wrapped sequence at 768 bytes."""


def fits(text: str) -> bool:
    """Whether every terminal that can take a copy has room for it."""
    return len(_bytes(text)) <= MOST_BYTES


def sequences(text: str, environment: Mapping[str, str]) -> str:
    """Return what copies `text`; wrapped, too, for what stands between us and the terminal."""
    sent = _bytes(text)
    if len(sent) > MOST_SENT:
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(sent).decode('ascii')}\x07"
    if environment.get("TMUX"):
        return sequence + "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if environment.get("STY"):
        pieces = range(0, len(sequence), SCREEN_CHUNK)
        wrapped = (f"\x1bP{sequence[at : at + SCREEN_CHUNK]}\x1b\\" for at in pieces)
        return sequence + "".join(wrapped)
    return sequence


def _bytes(text: str) -> bytes:
    """Return a text as it is sent; half of a character that has two halves is a `?`."""
    return text.encode("utf-8", "replace")
