"""A paused program: requests are answered from its own memory.

It pauses in the recorder's trace function, between two of its lines. What is read
is read from the memory of a tensor and through no name of the program's, under no
mode of the program's, so that it can run on as if nobody had looked. Statistics are
read in pieces: memory is bounded, and so is a wait.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec
import torch

from inplace_tui.common.run.program import Pause
from inplace_tui.common.run.statistics import MAX_NON_FINITE, Statistics
from inplace_tui.diagnosis.protocol import messages
from inplace_tui.diagnosis.protocol.messages import MAX_ELEMENTS, FrameError, Frames, TensorFound
from inplace_tui.diagnosis.record.process.reports import Reports
from inplace_tui.diagnosis.record.process.system import RequestSource, end
from inplace_tui.diagnosis.record.state.safe_reads import (
    bytes_of,
    index_of,
    is_held,
    is_opaque,
    text_of,
    without_modes,
)

Find = Callable[[int], torch.Tensor | None]

REPORT_EVERY = 0.25
"""Seconds between two reports of unfinished statistics."""

GONE = "no name reaches it any more"


class RequestServer:
    """Pauses at a step, for as long as requests come."""

    def __init__(self, pause: Pause, asked: RequestSource, reports: Reports) -> None:
        self._hold: Pause | None = pause
        self._asked = asked
        self._reports = reports
        self._frames: Frames[messages.Request] = Frames(messages.Request)
        self._work: Iterator[messages.Reply | None] = iter(())
        """What is asked, piece by piece; None after a piece that is not worth a report."""

        self.find: Find = lambda _: None

    def pause_at(self, step: int) -> None:
        """Pause if this step is the one; return when the program may go on."""
        while self._hold is not None:
            if step != self._hold.step:
                return
            self._reports.send(messages.Paused(step=step))
            self._hold = self._answer()
            if self._hold is not None and self._hold.step <= step:
                return  # it is no later step: the program pauses no more

    def _answer(self) -> Pause | None:
        """Answer until it may resume; a long answer gives way to the next request."""
        is_busy = False
        while True:
            for request in self._requests(waits=not is_busy):
                if isinstance(request, messages.Resume):
                    self._work = iter(())
                    return request.pause
                replies = self._replies(request)
                if isinstance(request, messages.StatisticsRequest):
                    self._work = replies
                else:
                    self._send_next(replies)
            is_busy = self._send_next(self._work)

    def _requests(self, *, waits: bool) -> list[messages.Request]:
        read = self._asked.read(waits=waits)
        if read is None:
            return []
        if not read:
            end(0)  # nobody asks any more
        try:
            return self._frames.feed(read)
        except FrameError:
            end(0)

    def _send_next(self, replies: Iterator[messages.Reply | None]) -> bool:
        """Send the next reply, if there is one yet; return False after the last."""
        with without_modes(), torch.no_grad():
            for reply in replies:
                if reply is not None:
                    self._reports.send(reply)
                return True
        return False

    def _replies(self, request: messages.Question) -> Iterator[messages.Reply | None]:
        number = request.number
        try:
            match request:
                case messages.TensorRequest():
                    plain = self._contents(request)
                    yield TensorFound(
                        number=number,
                        shape=tuple(plain.shape),
                        dtype=text_of(plain.dtype),
                        itemsize=plain.element_size(),
                    )
                case messages.ElementsRequest(spans=spans):
                    data = window(self._contents(request), spans)
                    yield messages.ElementsRead(number=number, data=data)
                case messages.StatisticsRequest():
                    last = time.monotonic()
                    for found in statistics(self._contents(request)):
                        if found.whole or time.monotonic() - last >= REPORT_EVERY:
                            yield messages.StatisticsRead(number=number, statistics=found)
                            last = time.monotonic()
                        else:
                            yield None
                case messages.NonFiniteRequest(after=after):
                    place = next_odd(self._contents(request), after)
                    yield messages.NonFiniteFound(number=number, place=place)
        except (RuntimeError, IndexError, MemoryError) as refusal:
            yield messages.NotRead(number=number, reason=str(refusal))

    def _contents(self, request: messages.Question) -> torch.Tensor:
        found = self.find(request.tensor)
        if found is None:
            raise NoContentsError(GONE)
        return contents(found)


class NoContentsError(RuntimeError):
    """Elements can't be read; why, as torch might say it."""


def window(plain: torch.Tensor, spans: Sequence[tuple[int, int]]) -> bytes:
    """Return the bytes of some elements.

    Args:
        spans: (first, how many), row-major; none goes beyond the end of its row.

    Raises:
        IndexError: a span that is not in the tensor, or too many elements.
    """
    if sum(max(0, many) for _, many in spans) > MAX_ELEMENTS:
        raise IndexError(f"more than {MAX_ELEMENTS} elements")
    return b"".join(bytes_of(_span(plain, first, many)) for first, many in spans)


def contents(tensor: torch.Tensor) -> torch.Tensor:
    """Return the elements of a tensor: on the same memory, without history.

    Raises:
        NoContentsError: it has none that can be read.
    """
    refusal = _refusal(tensor)
    if refusal is not None:
        raise NoContentsError(refusal)
    if tensor._is_zerotensor():
        return torch.zeros((), dtype=tensor.dtype, device="cpu").expand(tensor.shape)
    if not is_held(tensor):
        raise NoContentsError("its storage is smaller than its shape needs")
    plain = torch.empty(0, dtype=tensor.dtype, device="cpu")
    plain.set_(tensor.untyped_storage(), tensor.storage_offset(), tensor.shape, tensor.stride())
    plain = plain.conj() if tensor.is_conj() else plain
    return torch._neg_view(plain) if tensor.is_neg() else plain


def _refusal(tensor: torch.Tensor) -> str | None:
    if is_opaque(tensor):
        return "its class answers for itself, and would run to be read"
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return "a transform of torch.func is under way"
    if tensor.is_nested:
        return "a nested tensor has no rows and columns"
    if tensor.device.type != "cpu":
        return f"a tensor on {tensor.device} has no values here"
    if tensor.layout is not torch.strided:
        return f"values of layout {tensor.layout} are not shown"
    return "quantized values are not recorded" if tensor.is_quantized else None


def _span(plain: torch.Tensor, first: int, many: int) -> torch.Tensor:
    """Return `many` elements from the row-major place `first` on, of one row."""
    if many < 1 or first < 0 or first + many > plain.numel():
        raise IndexError(f"no elements {first} to {first + many} in {plain.numel()}")
    if plain.dim() == 0:
        return plain.reshape(1)
    index = index_of(first, plain.shape)
    if index[-1] + many > plain.shape[-1]:
        raise IndexError("a span goes beyond the end of its row")
    for at in index[:-1]:
        plain = plain.select(0, at)
    return plain.narrow(0, index[-1], many)


PIECE = 2**17
"""Elements of a piece; a request that comes meanwhile waits for no more than these."""


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None  # JSON has no infinity


class _Sums:
    """What is known of the elements seen so far."""

    def __init__(self, count: int) -> None:
        self.result = Statistics(count=count, seen=0)
        self.finite = 0
        self.mean = 0.0
        self.norm = 0.0
        self.spread = 0.0
        """Root of the sum of the squared distances from the mean; no square overflows."""

    def add(self, piece: torch.Tensor) -> None:
        """Take in the next elements: one dimension, real."""
        result = self.result
        finite, odd = piece, result.odd
        nan = positive = negative = 0
        if piece.is_floating_point() and bool((bad := ~torch.isfinite(piece)).any()):
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
            std=_finite(self.spread / math.sqrt(self.finite - 1)) if self.finite > 1 else None,
            norm=_finite(self.norm) if self.finite else None,
        )

    def _sum(self, numbers: torch.Tensor) -> None:
        """Add a piece to mean and spread, as Chan, Golub and LeVeque do."""
        count = numbers.numel()
        total = self.finite + count
        size = max(float(numbers.abs().max()), abs(self.mean)) or 1.0
        scaled = numbers / size
        mean, before = float(scaled.mean()), self.mean / size
        within = size * float((scaled - mean).norm())
        between = size * (mean - before) * math.sqrt(self.finite * count / total)
        self.norm = math.hypot(self.norm, size * float(scaled.norm()))
        self.spread = math.hypot(self.spread, within, between)
        self.mean = size * (before + (mean - before) * count / total)
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
    yield sums.result


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
        many = min(step, size - start)
        part = plain.narrow(0, start, many) if row <= PIECE else plain.select(0, start)
        yield from _pieces(part)


def _real(piece: torch.Tensor) -> torch.Tensor:
    if piece.is_complex():
        return piece.to(torch.complex128).abs()
    if piece.is_floating_point() and piece.element_size() < 4:
        return piece.float()
    if piece.dtype is torch.bool:
        return piece.to(torch.uint8)
    return piece
