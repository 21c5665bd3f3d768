"""Statistics of a tensor of any size, read in pieces: memory is bounded, and so is a wait."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
import torch

from inplace_tui.model.statistics import BINS, MAX_NON_FINITE, MAX_SORTED, Statistics

PIECE = 2**17
"""Elements of a piece; a request that comes meanwhile waits for no more than these."""


class _Sums:
    """What is known of the elements seen so far."""

    def __init__(self, count: int) -> None:
        self.result = Statistics(count=count, seen=0)
        self.finite = 0
        self.mean = 0.0
        self.spread = 0.0
        """Sum of the squared distances from the mean."""

        self.squares = 0.0
        self.scale = 1.0
        """What numbers are divided by before they are squared: a power of two."""

    def add(self, piece: torch.Tensor) -> None:
        """Take in the next elements: one dimension, real."""
        result = self.result
        is_float = piece.is_floating_point()
        finite = piece
        nan = positive = negative = 0
        odd = result.odd
        if is_float:
            bad = ~torch.isfinite(piece)
            if bool(bad.any()):
                nan = int(torch.isnan(piece).sum())
                positive = int((piece == math.inf).sum())
                negative = int((piece == -math.inf).sum())
                if len(odd) < MAX_NON_FINITE:
                    places = bad.nonzero().flatten()[: MAX_NON_FINITE - len(odd)].tolist()
                    odd = (*odd, *(result.seen + int(at) for at in places))
                finite = piece[~bad]
        least, most = result.minimum, result.maximum
        if finite.numel():
            low, high = finite.min().item(), finite.max().item()
            least = low if least is None else min(least, low)
            most = high if most is None else max(most, high)
            self._sum(finite.double())
        self.result = msgspec.structs.replace(
            result,
            seen=result.seen + piece.numel(),
            nan=result.nan + nan,
            positive=result.positive + positive,
            negative=result.negative + negative,
            zeros=result.zeros + int((piece == 0).sum()),
            odd=odd,
            minimum=least,
            maximum=most,
            mean=self.mean if self.finite else None,
            std=self._std(),
            norm=self.scale * math.sqrt(self.squares) if self.finite else None,
        )

    def _std(self) -> float | None:
        if self.finite < 2:
            return None
        return self.scale * math.sqrt(self.spread / (self.finite - 1))

    def _sum(self, numbers: torch.Tensor) -> None:
        """Add a piece to mean and spread, as Chan, Golub and LeVeque do."""
        count = numbers.numel()
        size = float(numbers.abs().max())
        if size > self.scale * 1e100:
            scale = 2.0 ** math.floor(math.log2(size))
            self.squares *= (self.scale / scale) ** 2
            self.spread *= (self.scale / scale) ** 2
            self.scale = scale
        elif self.finite == 0 and 0 < size < 1e-100:
            self.scale = 2.0 ** max(-1000, math.floor(math.log2(size)))
        scaled = numbers / self.scale
        mean = float(scaled.mean())
        self.squares += float((scaled * scaled).sum())
        apart = mean - self.mean / self.scale
        total = self.finite + count
        self.spread += float(((scaled - mean) ** 2).sum())
        self.spread += apart * apart * self.finite * count / total
        self.mean += apart * self.scale * count / total
        self.finite = total


def statistics(plain: torch.Tensor) -> Iterator[Statistics]:
    """Yield the result so far after every piece; the whole comes last.

    Between two pieces other requests can be answered.
    """
    sums = _Sums(plain.numel())
    for piece in _pieces(plain):
        sums.add(_real(piece))
        if sums.result.seen < sums.result.count:
            yield sums.result
    result = sums.result
    counts = torch.zeros(BINS, dtype=torch.int64, device="cpu")
    least, most = result.minimum, result.maximum
    if least is not None and most is not None and float(most) > float(least):
        for piece in _pieces(plain):
            counts += _binned(_real(piece), float(least), float(most))
            yield msgspec.structs.replace(result, seen=result.count - 1)
        bins = tuple(int(each) for each in counts.tolist())
    else:
        bins = () if least is None else (result.count - result.non_finite,)
    yield msgspec.structs.replace(result, bins=bins, **_sorted(plain, result))


def next_odd(plain: torch.Tensor, after: int) -> int | None:
    """Return the row-major place of the next element that is not finite.

    After the last one comes the first again.
    """
    if not (plain.is_floating_point() or plain.is_complex()):
        return None
    first, seen = None, 0
    for piece in _pieces(plain):
        numbers = _real(piece)
        bad = (~torch.isfinite(numbers)).nonzero().flatten() + seen
        seen += numbers.numel()
        if bad.numel():
            first = int(bad[0]) if first is None else first
            later = bad[bad > after]
            if later.numel():
                return int(later[0])
    return first


def _pieces(plain: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield all elements, row-major, some at a time."""
    if plain.numel() <= PIECE:
        if plain.numel():
            yield plain.reshape(-1)
        return
    size = plain.shape[0]
    row = plain.numel() // size
    step = max(1, PIECE // row)
    for start in range(0, size, step):
        yield from (
            _pieces(plain.narrow(0, start, min(step, size - start)))
            if row <= PIECE
            else (_pieces(plain.select(0, start)))
        )


def _real(piece: torch.Tensor) -> torch.Tensor:
    if piece.is_complex():
        return piece.to(torch.complex128).abs()
    if piece.is_floating_point() and piece.element_size() < 4:
        return piece.float()
    if piece.dtype is torch.bool:
        return piece.to(torch.uint8)
    return piece


def _binned(numbers: torch.Tensor, least: float, most: float) -> torch.Tensor:
    wide = numbers.double()
    wide = wide[torch.isfinite(wide)]
    along = (wide / 2 - least / 2) / (most / 2 - least / 2)
    places = (along * BINS).long().clamp(0, BINS - 1)
    return torch.bincount(places, minlength=BINS)


def _sorted(plain: torch.Tensor, result: Statistics) -> dict[str, int | float | None]:
    """Return what takes all elements at once, if they are not too many."""
    if result.count > MAX_SORTED or result.minimum is None:
        return {}
    numbers = _real(plain.reshape(-1))
    if numbers.is_floating_point():
        numbers = numbers[torch.isfinite(numbers)]
        return {"median": numbers.median().item()}
    wide = numbers.to(torch.int64) if numbers.dtype is not torch.uint64 else numbers
    found: dict[str, int | float | None] = {"unique": int(wide.unique().numel())}
    if wide.dtype is not torch.uint64:
        found["median"] = int(wide.median())
    return found
