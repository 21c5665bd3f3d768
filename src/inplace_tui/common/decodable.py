"""Types that files are decoded into, by two threads at once."""

from __future__ import annotations

import threading
from typing import Annotated, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

FromZero: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
FromOne: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
"""Numbers that no version of the program writes are refused where they are read."""

_ALONE = threading.Lock()


def decodable(kind: T) -> T:
    """Return a type, once msgspec knows all of it.

    What msgspec (0.22) learns of a class it keeps with the class from the moment when it begins:
    a second thread that decodes into it meanwhile finds holes, and the process dies (SIGSEGV).
    """
    with _ALONE:
        msgspec.msgpack.Decoder(kind)
    return kind
