"""What of a learner's progress the first frame needs: a language and a theme."""

from __future__ import annotations

from pathlib import Path

import msgspec

from inplace_tui.reading import MOST_KEPT, whole


class Remembered(msgspec.Struct, frozen=True):
    """What was chosen; None is what nobody chose."""

    language: str | None = None
    theme: str | None = None


def remembered(path: Path) -> Remembered:
    """Read it, and nothing else; what is wrong with the file is `Progress`' to say."""
    try:
        return msgspec.json.decode(whole(path, MOST_KEPT), type=Remembered)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Remembered()
