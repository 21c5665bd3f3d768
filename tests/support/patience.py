"""How long anything is waited for that will surely come, unless something is wrong."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds: no machine is so busy, and who does not fail waits for none of them."""


def in_time(do: Callable[[], T], seconds: float = 10) -> T:
    """Return what it returns; a call that hangs fails the test instead of holding it up."""
    found: list[T] = []
    thread = threading.Thread(target=lambda: found.append(do()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, "it hangs, or raised"
    return found[0]
