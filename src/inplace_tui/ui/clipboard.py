"""The clipboard of the terminal, by OSC 52: through tmux and screen too, as far as they let it.

tmux takes the sequence for itself under `set-clipboard on`, and hands it to the
terminal around it only when it is wrapped, under `allow-passthrough on`. screen
knows nothing of it, but hands on what is wrapped. Both drop what they don't
want, so each gets all it may understand.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import TypeVar

from textual.app import App

Result = TypeVar("Result")

MOST_BYTES = 55_000
"""More, and the 74 KB that some terminals take are full: base64 is a third longer."""

SCREEN_CHUNK = 700
"""screen cuts a wrapped sequence at 768 bytes."""


def copy(app: App[Result], text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Send `text` to the clipboard; return whether every terminal that can take it has room."""
    app.copy_to_clipboard(text)
    wrapped = through_multiplexer(text, environment)
    if wrapped and app._driver is not None:
        app._driver.write(wrapped)
    return len(text.encode("utf-8", "replace")) <= MOST_BYTES


def through_multiplexer(text: str, environment: Mapping[str, str]) -> str:
    """Return the sequence wrapped for what stands between us and the terminal, if anything does."""
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    sequence = f"\x1b]52;c;{encoded}\x07"
    if environment.get("TMUX"):
        return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if environment.get("STY"):
        pieces = range(0, len(sequence), SCREEN_CHUNK)
        return "".join(f"\x1bP{sequence[at : at + SCREEN_CHUNK]}\x1b\\" for at in pieces)
    return ""
