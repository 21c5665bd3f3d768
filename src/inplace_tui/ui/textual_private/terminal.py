"""Keys as a terminal sends them: Textual's parser of them is not public."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator

from textual.events import Key

from inplace_tui.ui.textual_private.terminal_input import InputParser

PATIENCE = 0.1
"""Seconds after which an escape that nothing followed was the Esc key."""


def read_keys(keyboard: int) -> Iterator[tuple[Key | None, bytes]]:
    """Yield each key and the bytes that made it; None for what is no key, as a mouse or a paste."""
    parser = InputParser()
    sent = b""
    while True:
        if sent and not select.select([keyboard], [], [], PATIENCE)[0]:
            found = list(parser.tick())
            keys = [each for each in found if isinstance(each, Key)]
            yield (keys[0] if keys else None), sent
            sent, parser = b"", InputParser()
            continue
        byte = os.read(keyboard, 1)
        if not byte:
            return
        sent += byte
        for message in parser.feed(byte):
            yield (message if isinstance(message, Key) else None), sent
            sent = b""
