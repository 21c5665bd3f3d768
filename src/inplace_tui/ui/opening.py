"""What to show first, and in which language."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Opening:
    """What to show first."""

    screen: str = "contents"
    """`contents`, `lesson` or `sandbox`."""

    lesson: str | None = None
    """None resumes at the first one that is not done."""

    step: int | None = None
    """As people count: 1 is after the first line."""

    file: Path | None = None


def system_language() -> str:
    """Return the language of the locale, if it is one of ours."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG", "")
    return "zh" if named.lower().startswith("zh") else "en"
