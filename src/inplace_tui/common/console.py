"""What the console can draw: its encoding, and how wide it draws a text."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TextIO

from inplace_tui.common import glyphs
from inplace_tui.common.system import PORTABLE

AMBIGUOUS = "─"
"""Drawn one cell wide nearly everywhere, and two by terminals that are set up so."""

PATIENCE = 0.1
"""Seconds for a terminal to say where its cursor is. Some never do."""

Answer = Callable[[], int | None]
"""Waits for how wide something was drawn: cells, or None if the terminal does not say."""

_typed = bytearray()


def replace_closed() -> None:
    """Put nothing in the place of standard streams that were closed before we began.

    Python has None there, and the next file or socket would get the number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def prepare(stream: TextIO, environment: Mapping[str, str] = os.environ) -> None:
    """Let a stream write everything: glyphs that its encoding lacks as their ASCII twins."""
    glyphs.register()
    if not isinstance(stream, io.TextIOWrapper):
        return
    with contextlib.suppress(io.UnsupportedOperation):
        if stream.isatty() and asks_for_ascii(environment):
            stream.reconfigure(encoding="ascii", errors=glyphs.ERRORS)
        else:
            stream.reconfigure(errors=glyphs.ERRORS)


def asks_for_ascii(environment: Mapping[str, str]) -> bool:
    """Return whether the environment says that the console knows ASCII only.

    Under `LC_ALL=C` Python still writes UTF-8, unless an encoding is set.
    """
    is_given = bool(environment.get("PYTHONIOENCODING")) or environment.get("PYTHONUTF8") == "1"
    return environment.get("LC_ALL") in ("C", "POSIX") and not is_given


@contextlib.contextmanager
def width_asked(text: str, patience: float) -> Iterator[Answer]:
    """Ask the terminal in how many cells it draws `text`; what is yielded reads the answer.

    The text is drawn at the beginning of the line, and then removed. What is typed meanwhile is
    kept for whoever reads the keyboard next.
    """
    question = None if PORTABLE else _question(text)
    if question is None:
        yield lambda: None
        return
    from inplace_tui.common import cursor  # noqa: PLC0415  # not every system has what it needs

    with cursor.asked(question, patience, _typed) as answer:
        yield answer


def _question(text: str) -> bytes | None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        drawn = text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return None
    return b"\r" + drawn + b"\x1b[6n\r\x1b[K"


def take_typed() -> bytes:
    """Return what was typed while the terminal was asked, once."""
    typed = bytes(_typed)
    _typed.clear()
    return typed
