"""The keys that move through a run."""

from __future__ import annotations

from collections.abc import Callable

from inplace_tui.engine.session.signals import Move, Moved, Restarted, Signal


class Stepping:
    """Turns keys into signals to the session."""

    def __init__(self, send: Callable[[Signal], None]) -> None:
        self._send = send

    def action_next(self) -> None:
        self._send(Moved(Move.NEXT))

    def action_back(self) -> None:
        self._send(Moved(Move.BACK))

    def action_into(self) -> None:
        self._send(Moved(Move.INTO))

    def action_out(self) -> None:
        self._send(Moved(Move.OUT))

    def action_to_call(self) -> None:
        self._send(Moved(Move.TO_CALL))

    def action_to_return(self) -> None:
        self._send(Moved(Move.TO_RETURN))

    def action_continue(self) -> None:
        self._send(Moved(Move.CONTINUE))

    def action_continue_back(self) -> None:
        self._send(Moved(Move.CONTINUE_BACK))

    def action_start(self) -> None:
        self._send(Moved(Move.START))

    def action_end(self) -> None:
        self._send(Moved(Move.END))

    def action_restart(self) -> None:
        self._send(Restarted())
