"""A plane of a tensor as rows of cells, with indices that stay where they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.elements import Element
from inplace_tui.common.run.values import text
from inplace_tui.tutorial.state.element_source import ElementSource, Plane, is_finite, size_of

MIN_CELLS, MAX_CELLS = 5, 24
"""Cells that an element takes at least and at most."""

DECIMALS = 4
"""Behind which points are put in line: a tiny number need not widen all columns."""

PENDING = "…"
CHANGED, ODD = "~", "!"
BELOW = (Style.COLD_1, Style.COLD_2, Style.COLD_3, Style.COLD_4, Style.COLD_5)
ABOVE = (Style.WARM_1, Style.WARM_2, Style.WARM_3, Style.WARM_4, Style.WARM_5)
SHADES = " .:+*#"
"""What stands for the size of a number where there are no colours."""


@dataclass(frozen=True)
class GridWindow:
    """What of a plane is seen, and how."""

    plane: Plane
    top: int = 0
    left: int = 0
    height: int = 20
    """Rows of elements."""

    room: int = 80
    """Cells of a line."""

    cursor: tuple[int, int] = (0, 0)
    """Row and column."""

    shades: bool = False
    """Signs for sizes, where there are no colours."""

    least: int = 0
    """Cells that an element took before: they do not get narrower while one scrolls."""


@dataclass(frozen=True)
class Grid:
    """The rows, the head first, and what of the plane is in them."""

    rows: tuple[Row, ...]
    columns: int
    """How many columns were there room for."""

    cell: int
    """Cells of an element."""

    head: int
    """Cells of the index on the left."""


def grid(source: ElementSource, before: ElementSource | None, window: GridWindow) -> Grid:
    plane = window.plane
    rows = range(window.top, min(plane.rows, window.top + window.height))
    heads = [_row_head(plane, row) for row in rows]
    head = max((len(each) for each in heads), default=0)
    shade = 1 if window.shades else 0
    room = max(1, window.room - head - 1)
    likely = max(1, room // (MIN_CELLS + 2 + shade))
    columns = range(window.left, min(plane.columns, window.left + likely))
    cells = {
        (row, column): _Cell(source, before, place)
        for row in rows
        for column in columns
        if (place := plane.at(row, column)) is not None
    }
    _align(list(cells.values()))
    widest = max((len(cell.text) for cell in cells.values()), default=0)
    index = len(str(plane.columns - 1)) + (1 if plane.is_vector else 0)
    size = max(MIN_CELLS, window.least, min(MAX_CELLS, max(widest, index)))
    fitting = max(1, room // (size + 2 + shade))
    columns = range(window.left, min(plane.columns, window.left + fitting))
    scale = _scale(source, cells.values())
    lines = [_column_heads(plane, columns, window, head=head, size=size, shade=shade)]
    for row, name in zip(rows, heads, strict=True):
        spans = [
            Span(name.rjust(head), Style.STRONG if row == window.cursor[0] else Style.DIM),
            Span(" "),
        ]
        for column in columns:
            cell = cells.get((row, column))
            if cell is not None:
                spans += cell.spans(window, scale, size, chosen=(row, column) == window.cursor)
        lines.append(Row(tuple(spans)))
    return Grid(tuple(lines), max(1, len(columns)), size, head)


class _Cell:
    """One element, and how it is written."""

    def __init__(self, source: ElementSource, before: ElementSource | None, place: int) -> None:
        now = source.at(place)
        old = None if before is None else before.at(place)
        self.changed = now is not None and old is not None and repr(now) != repr(old)
        self.number = now
        self.text = PENDING if now is None else text(now, source.dtype)
        self.odd = now is not None and not is_finite(now)

    def spans(self, window: GridWindow, scale: float, size: int, *, chosen: bool) -> list[Span]:
        mark = CHANGED if self.changed else ODD if self.odd else " "
        style = Style.PLAIN
        if self.number is None:
            style = Style.DIM
        elif self.odd:
            style = Style.STALE
        level = _level(self.number, scale)
        if level and not window.shades:
            style = (ABOVE if level > 0 else BELOW)[abs(level) - 1]
        body = self.text if len(self.text) <= size else f"{self.text[: size - 1]}…"
        space = " " * (size - len(body))
        if window.shades:
            body += SHADES[abs(level)]
        style = Style.CELL if chosen else style
        mark_look = Style.CHANGED if self.changed else Style.STALE
        marked = Span(mark, style if mark == " " else mark_look)
        return [Span(space, style), marked, Span(body, style), Span(" ")]


def _align(cells: list[_Cell]) -> None:
    """Put the points under one another, as far as there are any."""
    places = [_places(cell.text) for cell in cells]
    most = min(DECIMALS, max(places, default=0))
    for cell, own in zip(cells, places, strict=True):
        if 0 <= own < most:
            cell.text += " " * (most - own)


def _places(written: str) -> int:
    """Return how many digits stand behind the point; -1 where there is none to put in line."""
    whole, point, rest = written.partition(".")
    return len(rest) if point and rest.isdigit() | (not rest) and "j" not in whole else -1


def _row_head(plane: Plane, row: int) -> str:
    if plane.is_vector:
        return f"{row * plane.wrap}"
    return f"{row}" if plane.shape else ""


def _column_heads(
    plane: Plane, columns: range, window: GridWindow, *, head: int, size: int, shade: int
) -> Row:
    if not plane.shape:
        return Row((Span(" " * head),))
    spans = [Span(" " * (head + 1))]
    for column in columns:
        name = f"+{column}" if plane.is_vector else f"{column}"
        style = Style.STRONG if column == window.cursor[1] else Style.DIM
        spans.append(Span(f" {name.rjust(size)}{' ' * shade} ", style))
    return Row(tuple(spans))


def _scale(source: ElementSource, cells: Iterable[_Cell]) -> float:
    """Return the number with the strongest colour: the largest of all, or of those shown."""
    stats = source.statistics
    if stats is not None and stats.minimum is not None:
        return max(size_of(stats.minimum), size_of(stats.maximum))
    return max((size_of(cell.number) for cell in cells), default=0.0)


def _level(number: Element | None, scale: float) -> int:
    """Return how strong a colour is, 0 to 5, below 0 with a minus.

    >>> [_level(number, 10.0) for number in (-10.0, -0.1, 0.0, 5.0, 10.0)]
    [-5, -1, 0, 3, 5]
    """
    size = size_of(number)
    if number is None or size == 0 or scale == 0:
        return 0
    level = min(5, 1 + int(5 * (size / scale) * 0.999_999))
    return -level if not isinstance(number, complex) and number < 0 else level
