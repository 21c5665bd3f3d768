"""Statistics of elements that are all here, as torch would have them in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from inplace_tui.engine.state.elements import Element
from inplace_tui.model.statistics import BINS, MAX_NON_FINITE, Statistics

Number = int | float


def statistics(elements: Sequence[Element]) -> Statistics:
    numbers = [abs(each) if isinstance(each, complex) else each for each in elements]
    finite = [each for each in numbers if math.isfinite(each)]
    non_finite = (place for place, each in enumerate(numbers) if not math.isfinite(each))
    count = len(numbers)
    counts = Statistics(
        count=count,
        seen=count,
        nan=sum(map(math.isnan, numbers)),
        positive=sum(each == math.inf for each in numbers),
        negative=sum(each == -math.inf for each in numbers),
        zeros=sum(each == 0 for each in numbers),
        odd=tuple(islice(non_finite, MAX_NON_FINITE)),
        unique=len(set(finite)) if all(isinstance(each, int) for each in elements) else None,
    )
    if not finite:
        return counts
    return _of_finite(counts, [int(x) if isinstance(x, bool) else x for x in finite])


def _of_finite(counts: Statistics, finite: list[Number]) -> Statistics:
    count, least, most = len(finite), min(finite), max(finite)
    mean = _mean(finite)
    # Each difference is scaled, not the sum: 1e300 has no square in float64.
    spread = max(abs(float(least) - mean), abs(float(most) - mean))
    size = float(max(abs(least), abs(most)))
    std = None
    if count > 1:
        std = _root([(float(x) - mean) for x in finite], spread) / math.sqrt(count - 1)
    return replace(
        counts,
        minimum=least,
        maximum=most,
        mean=mean,
        std=std,
        norm=_root([float(x) for x in finite], size),
        median=sorted(finite)[(count - 1) // 2],
        bins=histogram(finite, least, most),
    )


def _mean(numbers: list[Number]) -> float:
    if all(isinstance(each, int) for each in numbers):
        return sum(numbers) / len(numbers)
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:  # it leaves float64 on the way, as the sum does in torch
        return math.fsum(each / len(numbers) for each in numbers)


def _root(numbers: list[float], scale: float) -> float:
    """Return the square root of the sum of the squares; `scale` is about as large as they are."""
    if scale == 0 or not math.isfinite(scale):
        return scale
    return scale * math.sqrt(math.fsum((each / scale) ** 2 for each in numbers))


def histogram(numbers: Sequence[Number], least: Number, most: Number) -> tuple[int, ...]:
    """Return how many numbers lie in each of `BINS` equal parts; one bin if all are alike."""
    width = float(most) - float(least)
    if width == 0:
        return (len(numbers),)
    bins = [0] * BINS
    for each in numbers:
        # Halves: from -1.7e308 to 1.7e308 is farther than float64 reaches.
        along = (each / 2 - least / 2) / (most / 2 - least / 2)
        bins[min(BINS - 1, int(along * BINS))] += 1
    return tuple(bins)
