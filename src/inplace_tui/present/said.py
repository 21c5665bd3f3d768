"""Short phrases for how a run ended, as title bars and tables have them."""

from __future__ import annotations

import signal

from inplace_tui.engine.session.view import View
from inplace_tui.model.outcome import (
    Cancelled,
    Completed,
    Crashed,
    NotReproducible,
    Outcome,
    Raised,
    Right,
    Stopped,
    TimedOut,
    Truth,
    Wrong,
)
from inplace_tui.present.cells import clean
from inplace_tui.texts import say
from inplace_tui.texts.limits import LIMITS
from inplace_tui.texts.screen import TEXTS


def outcome_said(view: View, language: str) -> str:
    """Return how the run in view ended, as short as a title wants it.

    Nothing while that is hidden or unknown.
    """
    if view.outcome is None:
        return ""
    if view.verifying and isinstance(view.outcome, Completed):
        return say(TEXTS, "verifying", language)
    if isinstance(view.outcome, Completed) and isinstance(view.truth, Wrong):
        return say(TEXTS, "brief-wrong", language)
    if isinstance(view.outcome, Completed) and isinstance(view.truth, Right):
        return say(TEXTS, "brief-right" if view.truth.asked else "brief-unasked", language)
    if isinstance(view.outcome, Raised):  # its line is marked in the code
        key = "brief-in-backward" if view.outcome.in_backward else "raised-nowhere"
        return say(TEXTS, key, language, exception=_class(view.outcome))
    return ending(view.outcome, view.truth, language)


def ending(outcome: Outcome, truth: Truth, language: str) -> str:
    """Return how a run ended, in a few words."""
    match outcome:
        case Completed():
            said = _completed(truth, language)
        case Raised(line=line, in_backward=in_backward):
            key = "raised-in-backward" if in_backward else "raised"
            key = key if line is not None else "raised-nowhere"
            said = say(TEXTS, key, language, exception=_class(outcome), line=line)
        case TimedOut(seconds=seconds, line=line):
            said = say(TEXTS, "timed-out", language, seconds=seconds, line=line or "?")
        case Stopped(limit=limit, value=value):
            said = say(TEXTS, "stopped", language, limit=LIMITS[limit][language], value=value)
        case Crashed():
            said = _crashed(outcome, language)
        case Cancelled():
            said = say(TEXTS, "cancelled", language)
    return said


def _class(outcome: Raised) -> str:
    """Return the name of an exception's class, without what comes before its last dot."""
    return clean(outcome.exception.rpartition(".")[2])


def _completed(truth: Truth, language: str) -> str:
    if isinstance(truth, Wrong):
        return say(TEXTS, "ended-wrong", language)
    if isinstance(truth, Right):
        return say(TEXTS, "ended-right" if truth.asked else "ended-unasked", language)
    if isinstance(truth, NotReproducible):
        return say(TEXTS, "ended-unknown", language)
    return say(TEXTS, "ended", language)


def _crashed(outcome: Crashed, language: str) -> str:
    if outcome.worker_died:
        return say(TEXTS, "worker-took-it", language)
    line = outcome.line or "?"
    if outcome.exit_code < 0:
        return say(TEXTS, "crashed-signal", language, signal=_named(-outcome.exit_code), line=line)
    return say(TEXTS, "crashed-exit", language, code=outcome.exit_code, line=line)


def _named(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
