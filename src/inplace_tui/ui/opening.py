"""What to show first, and in which language."""

from __future__ import annotations

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
