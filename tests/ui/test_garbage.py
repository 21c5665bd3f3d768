"""Garbage is searched for while nobody waits for a key."""

import gc
import time
import weakref

import pytest

from inplace_tui.common.presence import IDLE, Presence
from inplace_tui.tutorial.ui.garbage import ENOUGH, collect_if_due


class Loop:
    """An object that only a search finds."""

    def __init__(self) -> None:
        self.itself = self


def test_cycles_are_searched_for_when_the_keys_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    presence = Presence()
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        cycle = Loop()
        gc.collect(1)
        gc.collect(1)  # it is among the old now
        left = weakref.ref(cycle)
        del cycle
        collect_if_due(presence)
        assert left() is not None, "there is not enough yet"
        for _ in range(ENOUGH):
            gc.collect(1)
        presence.touched()
        collect_if_due(presence)
        assert left() is not None, "somebody is at the keys"
        later = time.monotonic() + 2 * IDLE
        monkeypatch.setattr(time, "monotonic", lambda: later)
        collect_if_due(presence)
        assert left() is None
    finally:
        if was_enabled:
            gc.enable()
