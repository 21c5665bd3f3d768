"""Whether somebody is at the keys: what can wait makes room for what they see next."""

from __future__ import annotations

import time

ANSWERING = 0.04
"""Seconds from a key in which it is answered, with nothing else in its way."""

IDLE = 2.0
"""Seconds without a key after which what takes a moment may be done."""


class Presence:
    """When somebody last pressed a key.

    Where nobody is, nothing gives way: it would be served after all that others do here.
    """

    def __init__(self) -> None:
        self._touched = -IDLE

    def touched(self) -> None:
        """There was a key, or a click."""
        self._touched = time.monotonic()

    @property
    def wanted(self) -> float:
        """Seconds for which what can wait should; 0 where no key is being answered."""
        return max(0.0, self._touched + ANSWERING - time.monotonic())

    @property
    def is_idle(self) -> bool:
        """Whether the next key is not expected at any moment."""
        return time.monotonic() - self._touched > IDLE
