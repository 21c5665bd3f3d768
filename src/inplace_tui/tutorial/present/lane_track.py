"""The columns of a lane: what happened to a storage in each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

from inplace_tui.common.rows import Span, Style
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present.lane_layout import LaneLayout
from inplace_tui.tutorial.state.lifetimes import (
    LifetimeCell,
    LifetimeEvent,
    LifetimeRow,
    storage_cell,
    tensor_cell,
)

CURSOR = "│"
HELD, STALE, ALIVE, NOTHING = _LINES = ("━", "╍", "─", " ")

MAX_DRAWN = 200
"""Lanes whose columns are cached for the next step."""

_MARKS = {
    LifetimeEvent.BORN: ("○", Style.NEW),
    LifetimeEvent.WRITTEN: ("●", Style.CHANGED),
    LifetimeEvent.UNCOUNTED: ("◆", Style.STALE),
    LifetimeEvent.SPOILED: ("!", Style.STALE),
    LifetimeEvent.FREED: ("∅", Style.FREED),
}
_WRITES = (LifetimeEvent.WRITTEN, LifetimeEvent.UNCOUNTED, LifetimeEvent.SPOILED)


def column(layout: LaneLayout, lane: LifetimeRow, start: int, stop: int) -> LifetimeCell:
    index = layout.view.timeline.index
    stop = min(stop, layout.shown)
    if start >= stop:
        return LifetimeCell()
    if lane.tensor is None:
        return storage_cell(index.lives[lane.storage], start, stop)
    writes = index.written.get(lane.tensor, ())
    return tensor_cell(lane.begins, lane.ends, writes, start, stop)


def track(layout: LaneLayout, lane: LifetimeRow, *, hidden: bool) -> list[Span]:
    """Return the columns; they are cached, so that a step only moves the cursor over them."""
    window, cursor = layout.window, layout.view.cursor
    columns = layout.drawn.get((lane, hidden))
    if columns is None:
        if len(layout.drawn) >= MAX_DRAWN:
            layout.drawn.clear()
        columns = layout.drawn[lane, hidden] = _columns(layout, lane, hidden=hidden)
    passed = min(max(0, (cursor - window.start) // window.each + 1), len(columns))
    pieces = [piece for column in columns[:passed] for piece in column]
    here = window.column(cursor) if cursor >= 0 else None
    if here is not None and columns[here][0].text in _LINES:
        before = sum(map(len, columns[:here]))
        pieces[before] = Span(CURSOR, Style.NEXT)
    ahead = "".join(piece.text for column in columns[passed:] for piece in column)
    return merged([*pieces, Span(ahead, Style.DIM)])


def _columns(layout: LaneLayout, lane: LifetimeRow, *, hidden: bool) -> list[tuple[Span, ...]]:
    """Return what each column shows once the cursor has come to it."""
    window, view = layout.window, layout.view
    cells = [
        column(layout, lane, steps.start, steps.stop)
        for steps in map(window.steps, range(window.columns))
    ]
    beyond = LifetimeCell() if window.stop >= layout.shown else cells[-1]
    found: list[tuple[Span, ...]] = []
    for place, now in enumerate(cells):
        following = cells[place + 1] if place + 1 < len(cells) else beyond
        line, style = _line(view, now)
        mark, mark_style = _mark(view, now, hidden=hidden)
        first = Span(mark, mark_style) if mark else Span(line, style)
        note = _note(layout, lane, now, place) if mark and window.cells > 1 else ""
        continues = now.alive and (following.alive or following.event is not LifetimeEvent.NONE)
        if now.event is LifetimeEvent.FREED and not hidden and not view.mask.saves:
            continues = False
        rest = (line if continues else " ") * (window.cells - 1 - len(note))
        found.append((first, Span(note, mark_style), Span(rest, style)))
    return found


def merged(pieces: Iterable[Span]) -> list[Span]:
    """Return spans with neighbours of the same style merged."""
    written = (piece for piece in pieces if piece.text)
    return [
        Span("".join([piece.text for piece in same]), style)
        for style, same in groupby(written, attrgetter("style"))
    ]


def _line(view: View, now: LifetimeCell) -> tuple[str, Style]:
    if now.held:
        stale = now.stale and not view.mask.outcome
        return (STALE, Style.STALE) if stale else (HELD, Style.SAVED)
    return (ALIVE if now.alive else NOTHING), Style.DIM


def _mark(view: View, now: LifetimeCell, *, hidden: bool) -> tuple[str, Style]:
    event = now.event
    if view.mask.saves and event is LifetimeEvent.FREED:
        return "", Style.MASKED
    if hidden and event in _WRITES:
        return "", Style.MASKED
    if view.mask.outcome and event is LifetimeEvent.SPOILED:
        event = LifetimeEvent.WRITTEN
    return _MARKS.get(event, ("", Style.PLAIN))


def _note(layout: LaneLayout, lane: LifetimeRow, now: LifetimeCell, place: int) -> str:
    """Return the version after a write, or how many events a column is for."""
    room = layout.window.cells - 1
    if layout.window.each > 1:
        return "" if now.count < 2 else f"{now.count}" if now.count < 10 else "+"
    if now.event not in _WRITES or lane.tensor is not None:
        return ""
    life = layout.view.timeline.index.lives[lane.storage]
    behind = bisect_left(life.writes, layout.window.steps(place).stop, key=lambda write: write[0])
    version = life.writes[behind - 1][1] if behind else None
    text = "" if version is None else f"{version}"
    return text if len(text) <= room else ""
