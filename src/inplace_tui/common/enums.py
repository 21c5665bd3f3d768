"""`StrEnum`, which Python has from 3.11 on."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from enum import StrEnum
else:
    from enum import Enum

    class StrEnum(str, Enum):
        """An enumeration of strings."""

        __str__ = str.__str__

        @staticmethod
        def _generate_next_value_(name: str, *_: object) -> str:
            return name.lower()


__all__ = ["StrEnum"]
