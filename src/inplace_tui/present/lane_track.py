"""The columns of a lane: what happened to a storage in each."""

from __future__ import annotations

from bisect import bisect_left

from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.lifetimes import (
    LifetimeCell,
    LifetimeEvent,
    LifetimeRow,
    cell,
    during,
)
from inplace_tui.present.lane_layout import LaneLayout
from inplace_tui.present.rows import Span, Style

CURSOR = "│"

_MARKS = {
    LifetimeEvent.BORN: ("○", Style.NEW),
    LifetimeEvent.WRITTEN: ("●", Style.CHANGED),
    LifetimeEvent.UNSEEN: ("◆", Style.STALE),
    LifetimeEvent.SPOILED: ("!", Style.STALE),
    LifetimeEvent.FREED: ("∅", Style.FREED),
}
_WRITES = (LifetimeEvent.WRITTEN, LifetimeEvent.UNSEEN, LifetimeEvent.SPOILED)


def column(layout: LaneLayout, lane: LifetimeRow, start: int, stop: int) -> LifetimeCell:
    index = layout.view.timeline.index
    stop = min(stop, layout.shown)
    if start >= stop:
        return LifetimeCell()
    if lane.tensor is None:
        return cell(index.lives[lane.storage], start, stop)
    writes = index.written.get(lane.tensor, ())
    return during(lane.begins, lane.ends, writes, start, stop)


def track(layout: LaneLayout, lane: LifetimeRow, *, hidden: bool) -> list[Span]:
    window, view = layout.window, layout.view
    here = window.column(view.cursor) if view.cursor >= 0 else None
    cells = [
        column(layout, lane, steps.start, steps.stop)
        for steps in map(window.steps, range(window.columns))
    ]
    beyond = LifetimeCell() if window.stop >= layout.shown else cells[-1]
    pieces: list[Span] = []
    for place, now in enumerate(cells):
        following = cells[place + 1] if place + 1 < len(cells) else beyond
        ahead = window.start + place * window.each > view.cursor
        line, span_style = _line(view, now, ahead=ahead)
        mark, loud = _mark(view, now, hidden=hidden)
        if ahead:
            loud = Style.DIM
        if mark:
            pieces.append(Span(mark, loud))
        elif place == here:
            pieces.append(Span(CURSOR, Style.NEXT))
        else:
            pieces.append(Span(line, span_style))
        if window.cells == 1:
            continue
        note = _note(layout, lane, now, place) if mark else ""
        goes_on = now.alive and (following.alive or following.event is not LifetimeEvent.NONE)
        if now.event is LifetimeEvent.FREED and not hidden and not view.mask.saves:
            goes_on = False
        rest = (line if goes_on else " ") * (window.cells - 1 - len(note))
        pieces += [Span(note, loud), Span(rest, span_style)]
    return joined(pieces)


def joined(pieces: list[Span]) -> list[Span]:
    """Return spans with neighbours of one style put together."""
    spans: list[Span] = []
    for piece in pieces:
        if spans and spans[-1].style is piece.style:
            spans[-1] = Span(spans[-1].text + piece.text, piece.style)
        elif piece.text:
            spans.append(piece)
    return spans


def _line(view: View, now: LifetimeCell, *, ahead: bool) -> tuple[str, Style]:
    if now.held:
        stale = now.stale and not view.mask.outcome
        span_style = Style.DIM if ahead else Style.STALE if stale else Style.SAVED
        return ("╍" if stale else "━"), span_style
    return ("─" if now.alive or now.held else " "), Style.DIM


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
    """Return the version that a write led to, or how many things a column stands for."""
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
