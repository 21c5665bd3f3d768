"""What the program raised and is: read without a call of what its own classes define.

Imports what Python has loaded at its start anyway.
"""

from __future__ import annotations

import builtins
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep

MAX_FILE = 32 * 2**20
"""Bytes of a program's file."""

STDIN: list[str] = []
"""The lines of a program that Python reads from there, and keeps nowhere."""

PYTHON_HOOK: list[Any] = []
"""Python's own `sys.excepthook`, where we watch a whole program."""


def message_of(error: BaseException) -> str:
    """Return what torch says in an error; "" where the class or the message are the program's.

    torch raises this very class. No code of the program's is called to see that.
    """
    said = error.args if type(error) is RuntimeError else ()
    return said[0] if len(said) == 1 and type(said[0]) is str else ""


def chain(error: Any) -> Iterator[BaseException]:
    """Yield an error and those behind or in it, each once, without asking its own class."""
    base: Any = BaseException
    group: Any = getattr(builtins, "BaseExceptionGroup", ())  # from Python 3.11
    seen: dict[int, BaseException] = {}
    pending = [error]
    while pending:
        each = pending.pop()
        if issubclass(type(each), BaseException) and id(each) not in seen:
            seen[id(each)] = each
            yield each
            pending += [base.__cause__.__get__(each), base.__context__.__get__(each)]
            if issubclass(type(each), group):
                pending += group.exceptions.__get__(each)


def found_in(error: BaseException) -> dict[str, Any] | None:
    """Return what was found about an error: torch raises this very class."""
    found = dict.get(error.__dict__, "blame") if type(error) is RuntimeError else None
    return found if type(found) is dict else None


def without_ours(error: BaseException) -> Any:
    """Take this package's frames out of a traceback; return its innermost entry."""
    entries = []
    entry = error.__traceback__
    while entry is not None:
        if not entry.tb_frame.f_code.co_filename.startswith(OWN):
            entries.append(entry)
        entry = entry.tb_next
    for outer, inner in zip(entries, [*entries[1:], None]):
        outer.tb_next = inner
    error.__traceback__ = entries[0] if entries else None
    return entries[-1] if entries else None


def hide_frame() -> None:
    """An error is about to pass a frame of ours: have Python print it without, if it comes to it.

    Until then, and unless the program has a hook of its own, this is the hook.
    """
    if PYTHON_HOOK and getattr(sys, "excepthook", None) is PYTHON_HOOK[0]:
        sys.excepthook = print_without_ours


def print_without_ours(*raised: Any) -> None:
    sys.excepthook = PYTHON_HOOK[0]
    try:
        for each in chain(raised[1]):
            without_ours(each)
    finally:
        PYTHON_HOOK[0](*raised)


def say(text: str) -> None:
    """Write to where Python writes its tracebacks; to nowhere if that is gone."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except BaseException:
        return
