"""Keys as a terminal sends them: Textual's parser of them is not public."""

from __future__ import annotations

import codecs
import os
import select
from collections.abc import Iterator

from textual._xterm_parser import XTermParser
from textual.events import Key

PATIENCE = 0.1
"""Seconds after which an escape that nothing followed was the Esc key."""


def read_keys(keyboard: int) -> Iterator[tuple[Key | None, bytes]]:
    """Yield each key and the bytes that made it; None for what is no key, as a mouse or a paste."""
    parser = XTermParser()
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    sent = b""
    while True:
        if sent and not select.select([keyboard], [], [], PATIENCE)[0]:
            found = list(parser.tick())
            keys = [each for each in found if isinstance(each, Key)]
            yield (keys[0] if keys else None), sent
            sent, parser = b"", XTermParser()
            continue
        byte = os.read(keyboard, 1)
        if not byte:
            return
        sent += byte
        if not (text := decoder.decode(byte)):
            continue  # within a character; nothing fed is the parser's end of file
        for message in parser.feed(text):
            yield (message if isinstance(message, Key) else None), sent
            sent = b""
