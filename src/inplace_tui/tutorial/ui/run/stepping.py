"""The keys that move through a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from inplace_tui.tutorial.activity.session.signals import Move, Moved, Restarted, Signal


class Stepping:
    """Turns keys into signals to the session: each movement has the name of its action."""

    def __init__(self, send: Callable[[Signal], None]) -> None:
        for move in Move:
            setattr(self, f"action_{move}", partial(send, Moved(move)))
        self.action_restart = partial(send, Restarted())
