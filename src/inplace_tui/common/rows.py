"""Rows of styled text: the common form of every panel and every text page.

Text is plain data here, never markup: `[/b]` in a learner's program is three
characters and a letter. Colours belong to the theme; a `Style` says only what
a piece of text means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import overload

import msgspec
from msgspec.structs import replace

from inplace_tui.common.enums import StrEnum


class Style(StrEnum):
    """What a span means. `tutorial/ui/theme.py` gives each a style; text pages ignore it."""

    PLAIN = "plain"
    DIM = "dim"
    STRONG = "strong"
    HEADING = "heading"
    NAME = "name"
    CODE = "code"
    CURRENT = "current"
    """The line that ran, the step at the cursor."""

    NEXT = "next"
    """The line that runs next."""

    CHANGED = "changed"
    NEW = "new"
    STALE = "stale"
    FREED = "freed"
    MASKED = "masked"
    NODE = "node"
    LEAF = "leaf"
    SAVED = "saved"
    RIGHT = "right"
    WRONG = "wrong"
    ERROR = "error"
    WARNING = "warning"
    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    FUNCTION = "function"
    OPERATOR = "operator"
    MATCH = "match"
    """What a search found."""

    CELL = "cell"
    """The element under the cursor, or the line that would be the answer."""

    COLD_1 = "cold-1"
    COLD_2 = "cold-2"
    COLD_3 = "cold-3"
    COLD_4 = "cold-4"
    COLD_5 = "cold-5"
    """A number below zero, the farther the stronger."""

    WARM_1 = "warm-1"
    WARM_2 = "warm-2"
    WARM_3 = "warm-3"
    WARM_4 = "warm-4"
    WARM_5 = "warm-5"


class Target(msgspec.Struct, frozen=True):
    """What a row stands for, so that choosing it can be understood."""

    tensor: int | None = None
    node: int | None = None
    line: int | None = None
    step: int | None = None
    choice: int | None = None
    run: int | None = None
    """A run of equal nodes, by its key in the graph layout."""

    place: int | None = None
    """Among lines that are to be put into an order; the first one is 0."""

    action: str | None = None
    """The action of its screen that a click runs, instead of choosing it."""


class Span(msgspec.Struct, frozen=True):
    """A piece of text with one meaning."""

    text: str
    style: Style = Style.PLAIN
    target: Target | None = None
    """What this piece stands for when it is clicked, where that differs from its row's target."""


class Row(msgspec.Struct, frozen=True):
    """One line of a panel. Widths are in cells: Chinese text is two a character."""

    spans: tuple[Span, ...] = ()
    target: Target = Target()
    """What choosing the row means. The cursor stops at no row without one."""

    style: Style = Style.PLAIN
    """Of the whole row, to its right edge; the styles of spans lie on it."""

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)


def more(spans: Iterable[Span], target: Target) -> Row:
    """Return a row that goes on with the one before: it can be clicked, the cursor passes it."""
    return Row(tuple(replace(span, target=target) for span in spans))


class LazyRows(Sequence[Row]):
    """Rows made when they are first read: a long list costs what is visible."""

    def __init__(self, count: int, make: Callable[[int], Row]) -> None:
        self._make, self._count = make, count
        self._made: dict[int, Row] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._count))]
        place = range(self._count)[index]
        row = self._made.get(place)
        if row is None:
            row = self._made[place] = self._make(place)
        return row

    def made(self, index: int) -> Row | None:
        """Return a row that was made; what others depend on may have changed."""
        return self._made.get(index)


def drawn(rows: Sequence[Row], index: int) -> Row | None:
    return rows.made(index) if isinstance(rows, LazyRows) else rows[index]


def spans(text: str, style: Style = Style.PLAIN) -> list[Span]:
    """Give `code` between backticks its style, the rest another; an unpaired one stays as it is."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        pieces[-2:] = ["`".join(pieces[-2:])]
    styles = (style, Style.CODE)
    return [Span(piece, styles[place % 2]) for place, piece in enumerate(pieces) if piece]


def has(text: str, query: str) -> bool:
    """Whether a text contains the query, in any case.

    >>> has("MulBackward0", "mulb")
    True
    """
    return query.casefold() in text.casefold()


def marked(row: Row, query: str) -> Row:
    """Return the row with every place of `query` marked.

    >>> [span.text for span in marked(Row((Span("y = y"),)), "y").spans]
    ['y', ' = ', 'y']
    """
    if not query or not has(row.text, query):
        return row
    found = [match.span() for match in re.finditer(re.escape(query), row.text, re.IGNORECASE)]
    spans: list[Span] = []
    start = 0
    for span in row.spans:
        end = start + len(span.text)
        cuts = sorted({start, end, *(at for spot in found for at in spot if start < at < end)})
        for first, last in pairwise(cuts):
            piece = replace(span, text=span.text[first - start : last - start])
            if any(a <= first and last <= b for a, b in found):
                piece = replace(piece, style=Style.MATCH)
            spans.append(piece)
        start = end
    return replace(row, spans=tuple(spans))
