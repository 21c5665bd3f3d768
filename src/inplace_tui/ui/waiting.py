"""What the screen says of the worker: what it waits for, or why it can't serve."""

from __future__ import annotations

from textual.content import Content

from inplace_tui.runner.states import Closed, Loading, Ready, Refused, Starting, State
from inplace_tui.texts import say
from inplace_tui.texts.screen import TEXTS


def trouble(state: State, language: str) -> Content | None:
    """Return what has to be said while programs can't run; None when they can."""
    match state:
        case Starting():
            return Content.styled(say(TEXTS, "starting", language), "$warning")
        case Loading(what=what):
            return Content.styled(say(TEXTS, f"loading-{what}", language), "$warning")
        case Refused(reason=reason):
            last = reason.strip().splitlines()[-1] if reason.strip() else "?"
            return Content.styled(say(TEXTS, "refused", language, reason=last), "$error")
        case Ready() | Closed():
            return None


def rest(state: State, language: str) -> Content:
    """Return which torch is there, once it is."""
    if isinstance(state, Ready):
        return Content.styled(say(TEXTS, "ready", language, torch=state.torch), "$text-muted")
    return Content("")
