"""Storage lanes: a row a storage, time from left to right, the cursor across them."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.aliasing import letter, sharing
from inplace_tui.engine.state.lanes import Cell, Event, columns, lane
from inplace_tui.model.index import value_at
from inplace_tui.model.snapshot import Tensor
from inplace_tui.present.cells import clean, clip_spans, flow, pad, width
from inplace_tui.present.masking import HIDDEN, asked_step, hides
from inplace_tui.present.masking import shown as visible
from inplace_tui.present.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.panels import LANES

MOST_SPACING = 4
END = 12
"""Cells on the right for the version now and what holds it."""

_MARKS = {
    Event.BORN: ("○", Style.NEW),
    Event.WRITTEN: ("●", Style.CHANGED),
    Event.UNSEEN: ("◆", Style.STALE),
    Event.SPOILED: ("!", Style.STALE),
    Event.FREED: ("x", Style.FREED),
}


def rows(view: View, room: int, language: str) -> Sequence[Row]:
    """Return the ruler, a lane for every storage seen so far, and the legend."""
    until = _until(view)
    lives = {
        storage: life for storage, life in view.timeline.index.lives.items() if life.born < until
    }
    if not lives:
        return [Row((Span(say(LANES, "none", language), Style.DIM),))]
    seen = {tensor.id for tensor in visible(view)}
    owners = {
        storage: tuple(tensor for tensor in tensors if tensor.id in seen)
        for storage, tensors in sharing(view.snapshot).items()
    }
    names = {storage: _names(owners.get(storage, ()), language) for storage in lives}
    label = 4 + min(max(map(width, names.values())), max(8, room // 4))
    track = max(4, room - label - END)
    steps = max(view.reachable, view.cursor) + 1
    cut = columns(steps, track)
    spacing = max(1, min(MOST_SPACING, track // max(1, len(cut))))
    stored = list(lives)

    def row(place: int) -> Row:
        storage = stored[place]
        tensors = owners.get(storage, ())
        hidden = any(hides(view, tensor, "version") for tensor in tensors)
        cells = lane(lives[storage], cut, until=until)
        spans = [
            Span(pad(letter(view.timeline.index.ranks[storage]), 4), Style.STRONG),
            Span(pad(names[storage], label - 4), Style.NAME if tensors else Style.DIM),
            *_track(view, cells, cut, spacing, hidden=hidden),
            *_now(view, storage, tensors, hidden=hidden),
        ]
        tensor = tensors[0].id if tensors else None
        return Row(clip_spans(spans, room), Target(tensor=tensor))

    fixed = [Row(), *_legend(room, language)]
    ruler = _ruler(view, cut, label=label, spacing=spacing)

    def any_row(place: int) -> Row:
        if place == 0:
            return ruler
        return row(place - 1) if place <= len(stored) else fixed[place - 1 - len(stored)]

    return LazyRows(1 + len(stored) + len(fixed), any_row)


def _until(view: View) -> int:
    """Return the first step that is not to be seen."""
    asked = asked_step(view)
    if asked is not None and view.mask.outcome:
        return min(view.cursor + 1, asked)
    return view.cursor + 1


def _names(tensors: tuple[Tensor, ...], language: str) -> str:
    names = [clean(tensor.names[0]) for tensor in tensors if tensor.names]
    return ", ".join(names) or say(LANES, "unnamed", language)


def _ruler(view: View, cut: list[range], *, label: int, spacing: int) -> Row:
    """Write the line of the cursor, and of as many other steps as there is room for."""
    at = next((place for place, steps in enumerate(cut) if view.cursor in steps), None)
    cells = [" "] * (len(cut) * spacing + 8)
    marked = range(0)
    for place in [*([] if at is None else [at]), *range(len(cut))]:
        step = view.cursor if place == at else cut[place][-1]
        line, start = f"{view.timeline.steps[step].line}", place * spacing
        around = cells[max(0, start - 1) : start + len(line) + 1]
        if "".join(around).strip():
            continue
        cells[start : start + len(line)] = line
        if place == at:
            marked = range(start, start + len(line))
    text = "".join(cells).rstrip()
    return Row(
        (
            Span(" " * label),
            Span(text[: marked.start], Style.DIM),
            Span(text[marked.start : marked.stop], Style.CHANGED),
            Span(text[marked.stop :], Style.DIM),
        )
    )


def _track(
    view: View, cells: list[Cell], cut: list[range], spacing: int, *, hidden: bool
) -> list[Span]:
    spans = []
    for place, (cell, steps) in enumerate(zip(cells, cut, strict=True)):
        following = cells[place + 1] if place + 1 < len(cells) else Cell()
        held = cell.held and not view.mask.lines
        line = "━" if held else "─" if cell.alive or cell.held else " "
        style = Style.SAVED if held else Style.DIM
        mark, look = _mark(view, cell, hidden=hidden)
        target = Target(step=steps[-1])
        spans.append(Span(mark or line, look if mark else style, target))
        goes_on = following.alive or following.held or following.event is not Event.NONE
        spans.append(Span((line if goes_on else " ") * (spacing - 1), style, target))
    return spans


def _mark(view: View, cell: Cell, *, hidden: bool) -> tuple[str, Style]:
    event = cell.event
    told = (Event.WRITTEN, Event.UNSEEN, Event.SPOILED, Event.FREED)
    if view.mask.lines and event in told:
        return "", Style.MASKED
    if hidden and event in (Event.WRITTEN, Event.UNSEEN, Event.SPOILED):
        return "", Style.MASKED
    if view.mask.outcome and event is Event.SPOILED:
        event = Event.WRITTEN
    return _MARKS.get(event, ("", Style.PLAIN))


def _now(view: View, storage: int, tensors: tuple[Tensor, ...], *, hidden: bool) -> list[Span]:
    """Say the versions at the cursor, and whether something saved would be refused.

    There is more than one where `.data` gave the storage a second counter.
    """
    if hidden:
        return [Span(f"  {HIDDEN}", Style.MASKED)]
    versions = {tensor.version for tensor in tensors if isinstance(tensor.version, int)}
    spans = [Span("  " + "/".join(f"v{version}" for version in sorted(versions)[:3]))]
    stale = value_at(view.timeline.index.lives[storage].stale, view.cursor)
    if stale and not view.mask.outcome:
        spans.append(Span(" !", Style.STALE))
    return spans


def _legend(room: int, language: str) -> list[Row]:
    """Explain the marks, as many to a line as fit."""
    parts = say(LANES, "legend", language).split("  ")
    return [Row((Span(line, Style.DIM),)) for line in flow(parts, room, "  ")]
