"""Time that passes only while everybody waits for it: no machine is too slow for it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose timers fall due as soon as there is nothing else to do."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Waiting(self))

    def time(self) -> float:
        """Return the seconds that were waited for."""
        return self.now

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run it to its end, and close."""
        with asyncio.Runner(loop_factory=lambda: self) as runner:
            return runner.run(work)


class _Waiting(selectors.DefaultSelector):
    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(None if timeout is None else 0)
        if not found and timeout is not None:
            self._clock.now += timeout
        return found
