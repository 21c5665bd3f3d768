"""Types that two threads may decode into at once."""

from __future__ import annotations

import threading
from typing import TypeVar

import msgspec

T = TypeVar("T")

_ALONE = threading.Lock()


def decodable(kind: T) -> T:
    """Return a type, once msgspec knows all of it.

    What msgspec (0.22) learns of a class it keeps with the class from the moment when it begins:
    a second thread that decodes into it meanwhile finds holes, and the process dies (SIGSEGV).
    """
    with _ALONE:
        msgspec.msgpack.Decoder(kind)
    return kind
