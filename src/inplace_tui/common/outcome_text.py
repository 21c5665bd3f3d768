"""Short phrases for how a run ended, as title bars and tables have them."""

from __future__ import annotations

import signal

from inplace_tui.common.cells import clean
from inplace_tui.common.rows import Style
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.outcome import (
    Cancelled,
    Completed,
    Crashed,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
    Truth,
    last_line,
)
from inplace_tui.common.texts import say
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.common.texts.screen import LIMITS, ScreenTexts


def ending_text(outcome: Outcome, truth: Truth, language: str, source: str = "") -> str:
    """Return how a run ended; the source, where it has several files, says of which a line is."""
    line = last_line(outcome)
    where = "?" if line is None else line_name(source, line)
    match outcome:
        case Completed():
            unasked = truth == Right(asked=False)
            text = ScreenTexts.ended_unasked if unasked else ENDINGS[ending_of(outcome, truth)]
            phrase = say(text, language)
        case Raised(in_backward=in_backward):
            key = ScreenTexts.raised_in_backward if in_backward else ScreenTexts.raised
            key = key if line is not None else ScreenTexts.raised_nowhere
            phrase = say(key, language, exception=class_name(outcome), line=where)
        case TimedOut(seconds=seconds):
            phrase = say(ScreenTexts.timed_out, language, seconds=seconds, line=where)
        case Stopped(value=value):
            limit = say(LIMITS[outcome.limit], language)
            phrase = say(ScreenTexts.stopped, language, limit=limit, value=value)
        case Crashed(worker_died=True):
            phrase = say(ScreenTexts.worker_took_it, language)
        case Crashed(exit_code=code) if code < 0:
            name = signal_name(-code)
            phrase = say(ScreenTexts.crashed_signal, language, signal=name, line=where)
        case Crashed(exit_code=code):
            phrase = say(ScreenTexts.crashed_exit, language, code=code, line=where)
        case Cancelled():
            phrase = say(ENDINGS[Ending.CANCELLED], language)
    return phrase


def mark_of(ending: Ending) -> tuple[str, Style]:
    """Return the sign that stands before how a run ended."""
    if ending is Ending.WRONG:
        return "≠", Style.ERROR
    if not ending.is_complete:
        return "✗", Style.ERROR
    return ("✓" if ending is Ending.RIGHT else "·"), Style.RIGHT


def class_name(outcome: Raised) -> str:
    """Return the name of an exception's class, without what comes before its last dot."""
    return clean(outcome.exception.rpartition(".")[2])


_REAL_TIME = 34
"""The first of Linux's signals that have no names; other systems report none of them."""


def signal_name(number: int) -> str:
    """Return a signal's name, as `kill -l` has it.

    >>> signal_name(11), signal_name(36)
    ('SIGSEGV', 'SIGRTMIN+2')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - _REAL_TIME}"
