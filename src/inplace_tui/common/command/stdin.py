"""What somebody types, or a pipe sends: commands line by line, or the input of a program."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import sys
import threading
from collections.abc import AsyncGenerator
from functools import cache

import msgspec

from inplace_tui.common.command.output import print_message
from inplace_tui.common.command.parser import CommandError
from inplace_tui.common.run.program import Program
from inplace_tui.common.texts import say
from inplace_tui.common.texts.command import CommandTexts, ErrorTexts

MAX_LINE = 65_536
"""Bytes of a line; the rest of a longer one is dropped."""

ENDLESS = 2**22
"""Bytes after which a line is taken to have no end: nobody types that much."""

AHEAD = 16
"""Pieces that are read before anybody wants them."""

_PIECE = 4096

MAX_INPUT = 16 * 2**20
"""Bytes of the input of a program: each of its runs is given a copy."""

_READS_INPUT = re.compile(r"\binput\s*\(|\bstdin\b|\bfileinput\b|\bopen\(\s*0\b|\bos\.read\(\s*0\b")


def with_input(program: Program, language: str) -> Program:
    """Return a program with what its standard input says in each of its runs.

    Ours is read once. A pipe is read only if the program's text mentions its input: whoever
    has the other end may never close it.
    """
    try:
        status = os.fstat(0)
    except OSError:
        return program
    if stat.S_ISREG(status.st_mode):
        # What is left of a file is left to whoever reads it next, too.
        place = os.lseek(0, 0, os.SEEK_CUR)
        content = os.read(0, MAX_INPUT + 1)
        os.lseek(0, place, os.SEEK_SET)
    elif stat.S_ISCHR(status.st_mode) or not _READS_INPUT.search(program.source):
        return program
    else:
        content = _to_its_end()
    if len(content) > MAX_INPUT:
        print_message(say(CommandTexts.input_cut, language, most=MAX_INPUT // 2**20))
    return msgspec.structs.replace(program, stdin=content[:MAX_INPUT])


@cache
def _to_its_end() -> bytes:
    return sys.stdin.buffer.read(MAX_INPUT + 1)


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
        held = held[:MAX_LINE]
        length = len(some) if whole else length + len(some)
        if length > ENDLESS:
            raise CommandError(ErrorTexts.endless_line, limit=ENDLESS)
        for line in whole:
            yield line[:MAX_LINE].decode(errors="replace")
    if held:
        yield held.decode(errors="replace")
