"""What somebody types, or a pipe sends, line by line."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator


def people_wait() -> None:
    """Show that an answer is waited for, where somebody looks."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write("> ")
        sys.stderr.flush()


async def typed_lines() -> AsyncGenerator[str, None]:
    """Yield the lines of standard input, without keeping the event loop waiting.

    The thread reads the descriptor itself: one that hangs in `sys.stdin` holds a
    lock that Python wants when it exits.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        while True:
            try:
                some = os.read(0, 4096)
            except OSError:
                some = b""
            try:
                loop.call_soon_threadsafe(arrived.put_nowait, some)
            except RuntimeError:  # nobody listens any more
                return
            if not some:
                return

    threading.Thread(target=read, daemon=True).start()
    held = b""
    while some := await arrived.get():
        *whole, held = (held + some).split(b"\n")
        for line in whole:
            yield line.decode(errors="replace")
    if held:
        yield held.decode(errors="replace")
