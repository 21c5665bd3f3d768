"""What somebody types, or a pipe sends, line by line."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator

from inplace_tui.commands.parser import CommandError
from inplace_tui.texts.command import ErrorTexts

MOST_LINE = 65_536
"""Bytes of a line; the rest of a longer one is dropped."""

ENDLESS = 2**22
"""Bytes after which a line is taken to have no end: whoever sends it types nothing."""

AHEAD = 16
"""Pieces that are read before anybody wants them."""

_PIECE = 4096


def prompt() -> None:
    """Show that an answer is awaited, if somebody looks."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write("> ")
        sys.stderr.flush()


async def read_lines() -> AsyncGenerator[str, None]:
    """Yield the lines of standard input, without keeping the event loop waiting.

    The thread reads the descriptor itself: one that hangs in `sys.stdin` holds a
    lock that Python wants when it exits.

    Raises:
        CommandError: a line has no end.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[bytes] = asyncio.Queue()
    room = threading.Semaphore(AHEAD)

    def read() -> None:
        while room.acquire():
            try:
                some = os.read(0, _PIECE)
            except OSError:
                some = b""
            try:
                loop.call_soon_threadsafe(arrived.put_nowait, some)
            except RuntimeError:  # nobody listens any more
                return
            if not some:
                return

    threading.Thread(target=read, daemon=True).start()
    held, length = b"", 0
    while some := await arrived.get():
        room.release()
        *whole, held = (held + some).split(b"\n")
        held = held[:MOST_LINE]
        length = len(some) if whole else length + len(some)
        if length > ENDLESS:
            raise CommandError(ErrorTexts.endless_line, limit=ENDLESS)
        for line in whole:
            yield line[:MOST_LINE].decode(errors="replace")
    if held:
        yield held.decode(errors="replace")
