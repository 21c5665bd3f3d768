"""The clipboard of the terminal, by OSC 52: through tmux and screen too, as far as they let it.

tmux takes the sequence itself under `set-clipboard on`, and passes it to the
outer terminal only when it is wrapped, under `allow-passthrough on`. screen does
not know it, but passes on what is wrapped. Both drop what they don't know, so both
forms are sent.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

MAX_BYTES = 55_000
"""Some terminals take 74 KB at most, and base64 makes a text a third longer."""

MAX_SENT = 1_000_000
"""No terminal takes more bytes at once: of a longer text nothing is sent."""

SCREEN_CHUNK = 700
"""screen cuts a wrapped sequence at 768 bytes."""


def fits(text: str) -> bool:
    """Whether every terminal that can take a copy has room for it."""
    return len(_bytes(text)) <= MAX_BYTES


def sequences(text: str, environment: Mapping[str, str]) -> str:
    """Return the sequences that copy `text`, also wrapped if tmux or screen runs the terminal."""
    sent = _bytes(text)
    if len(sent) > MAX_SENT:
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
    """Return a text as it is sent; a lone surrogate becomes `?`."""
    return text.encode("utf-8", "replace")
