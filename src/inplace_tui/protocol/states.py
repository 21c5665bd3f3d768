"""What the warm worker is doing: all that a waiting screen can say.

The worker sends the states in the middle; the first and the last are what its runner knows.
"""

from __future__ import annotations

import msgspec


class Starting(msgspec.Struct, frozen=True, kw_only=True, tag="starting"):
    """Its process was started and has not reported yet."""

    after_death: int | None = None
    """The exit code of the one before, if this one replaces it: negative means
    killed by that signal."""


class Loading(msgspec.Struct, frozen=True, kw_only=True, tag="loading"):
    """It imports what is slow: torch, and later what few programs need. Runs wait meanwhile."""

    what: str
    """`torch` or `optimizers`."""


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """Runs start at once."""

    torch: str
    python: str
    numpy: str | None
    no_namespace: str | None = None
    """Why runs have no process namespaces of their own; None where they have."""

    no_view: str | None = None
    """Why runs can't have a view of the files (`Limits.in_view`); None where they can."""


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """It can't serve, and no other is tried: torch is missing, or importing it kills."""

    reason: str
    has_torch: bool = False
    """Torch is there: it lacks what the recorder needs."""


class Closed(msgspec.Struct, frozen=True, kw_only=True, tag="closed"):
    """Not started yet, or closed."""


State = Starting | Loading | Ready | Refused | Closed
