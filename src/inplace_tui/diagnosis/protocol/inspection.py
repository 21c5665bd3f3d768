"""Requests to a paused program, and its replies.

Only what is shown crosses the pipe: a window of a tensor, or statistics of all of it.
Every reply has the number of its request.
"""

from __future__ import annotations

import msgspec

from inplace_tui.common.run.program import Pause
from inplace_tui.common.run.statistics import Statistics

MAX_ELEMENTS = 16_384
"""Of one window; more are refused at both ends."""


class TensorRequest(msgspec.Struct, frozen=True, kw_only=True, tag="tensor_wanted"):
    """How can a tensor be read? Answered by `TensorFound`."""

    number: int
    tensor: int
    """Its ordinal."""

    earlier: bool = False
    """The copy that was made at `Hold.before`; so everywhere."""


class ElementsRequest(msgspec.Struct, frozen=True, kw_only=True, tag="elements_wanted"):
    """Read some elements. Answered by `ElementsRead`."""

    number: int
    tensor: int
    earlier: bool = False
    spans: tuple[tuple[int, int], ...]
    """(first, how many), row-major, none beyond the end of its row."""


class StatisticsRequest(msgspec.Struct, frozen=True, kw_only=True, tag="statistics_wanted"):
    """Read everything. Answered by one `StatisticsRead` after the other until all is read.

    Another such request takes its place.
    """

    number: int
    tensor: int
    earlier: bool = False


class NonFiniteRequest(msgspec.Struct, frozen=True, kw_only=True, tag="odd_wanted"):
    """Find the next element that is not finite. Answered by `NonFiniteFound`."""

    number: int
    tensor: int
    earlier: bool = False
    after: int = -1


class Resume(msgspec.Struct, frozen=True, kw_only=True, tag="go_on"):
    """Resume, up to a later step."""

    pause: Pause


Request = TensorRequest | ElementsRequest | StatisticsRequest | NonFiniteRequest | Resume


class Paused(msgspec.Struct, frozen=True, kw_only=True, tag="paused"):
    """The program has paused after this step; requests are answered from now on."""

    step: int


class TensorFound(msgspec.Struct, frozen=True, kw_only=True, tag="tensor_found"):
    """How a tensor can be read."""

    number: int
    shape: tuple[int, ...] = ()
    """Of what is read. Of a sparse tensor: the elements that are stored, and then
    the size of its dense part, in one."""

    dtype: str = ""
    itemsize: int = 0
    sparse: int = 0
    """Of a sparse tensor: how many dimensions its coordinates have."""

    refusal: str | None = None
    """Why it can't be."""


class ElementsRead(msgspec.Struct, frozen=True, kw_only=True, tag="elements_read"):
    """The elements of a window, in the order of its spans."""

    number: int
    data: bytes = b""
    coordinates: tuple[tuple[int, ...], ...] = ()
    """Of a sparse tensor: where the first element of each span stands."""

    refusal: str | None = None


class StatisticsRead(msgspec.Struct, frozen=True, kw_only=True, tag="statistics_read"):
    """Statistics of the elements read so far."""

    number: int
    statistics: Statistics | None
    refusal: str | None = None


class NonFiniteFound(msgspec.Struct, frozen=True, kw_only=True, tag="odd_found"):
    """The next element that is not finite: after the last one, the first again."""

    number: int
    place: int | None


Reply = Paused | TensorFound | ElementsRead | StatisticsRead | NonFiniteFound
"""Sent on the pipe of the reports, between them."""
