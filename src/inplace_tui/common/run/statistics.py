"""Statistics of all elements of a tensor."""

from __future__ import annotations

import msgspec

MAX_NON_FINITE = 4
"""Places of NaN and inf that are sent."""


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """Of every element that was looked at; of complex numbers, their absolute values.

    Those from `minimum` on are of the finite elements, in float64; None where there
    are none, and for `std` where there is only one. Where one is too large for float64,
    it is None from the worker.
    """

    count: int
    """Elements of the tensor."""

    seen: int
    """Elements that were looked at; the same as `count` once all were."""

    nan: int = 0
    positive: int = 0
    """How many are inf."""

    negative: int = 0
    """How many are -inf."""

    zeros: int = 0
    odd: tuple[int, ...] = ()
    """Row-major places of the first that are not finite."""

    minimum: int | float | None = None
    maximum: int | float | None = None
    mean: float | None = None
    std: float | None = None
    """With Bessel's correction, as `torch.std` has it."""

    norm: float | None = None
    """The square root of the sum of the squares."""

    @property
    def whole(self) -> bool:
        return self.seen == self.count

    @property
    def non_finite(self) -> int:
        return self.nan + self.positive + self.negative
