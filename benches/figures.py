"""How figures are summed up."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil


def percentile(figures: Iterable[float], part: float) -> float:
    """Return the figure that so many of a hundred do not exceed."""
    ordered = sorted(figures)
    return ordered[max(0, ceil(part / 100 * len(ordered)) - 1)]
