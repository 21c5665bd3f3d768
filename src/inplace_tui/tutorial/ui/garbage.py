"""Collects garbage while nobody waits for a key.

A full collection takes as long as drawing two steps, and Python begins one
whenever enough was made: while a run streams its steps, every second. What it finds
here is little: steps are frozen and hold no cycles, screens that were left do.
"""

from __future__ import annotations

import gc

from textual.message_pump import MessagePump

from inplace_tui.common.presence import Presence

EVERY = 5.0
"""Seconds between two checks whether it is due."""

ENOUGH = 10
"""Collections of the younger generations after which a full one is worth its time."""

TOO_MUCH = 500
"""The same, while keys are being pressed."""

_NEVER = 1_000_000


def collect_when_idle(app: MessagePump, presence: Presence) -> None:
    """Make full collections in pauses only, from now on; what is here now is not garbage."""
    gc.freeze()
    young, old, _ = gc.get_threshold()
    gc.set_threshold(young, old, _NEVER)
    gc.enable()
    app.set_interval(EVERY, lambda: collect_if_due(presence))


def collect_if_due(presence: Presence) -> None:
    _, _, since = gc.get_count()
    if since > TOO_MUCH or (since > ENOUGH and presence.is_idle):
        gc.collect()
