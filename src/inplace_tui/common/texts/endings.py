"""How a program comes out, in words: as a phrase behind "it", and as an answer to choose."""

from __future__ import annotations

from inplace_tui.common.local_text import T
from inplace_tui.common.run.ending import Ending

ENDINGS = {
    Ending.RIGHT: T("runs, and every gradient is right"),
    Ending.WRONG: T("runs, and a gradient is silently wrong"),
    Ending.RUNS: T("runs to its end"),
    Ending.NOT_JUDGED: T("runs; whether its gradients are right can't be told"),
    Ending.RAISES_BEFORE: T("raises outside of backward"),
    Ending.RAISES_IN_BACKWARD: T("raises in backward"),
    Ending.TIMED_OUT: T("does not end in time"),
    Ending.STOPPED: T("runs into a limit"),
    Ending.CRASHED: T("crashes"),
    Ending.CANCELLED: T("is cancelled"),
}

ANSWERS = {
    Ending.RIGHT: T("Runs, and every gradient is right"),
    Ending.WRONG: T("Runs, but a gradient is silently wrong"),
    Ending.RAISES_BEFORE: T("Raises outside of `backward()`"),
    Ending.RAISES_IN_BACKWARD: T("Raises in `backward()`"),
}
RUNS = T("Runs to its end")
"""Where gradients are not asked for, or can't be judged."""
