"""Storage lanes: a row a storage, time from left to right, the cursor across them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from inplace_tui.common.cells import clip, clip_spans, flow, pad, shorten
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.common.run.files import place_of
from inplace_tui.common.run.snapshot import letter
from inplace_tui.common.texts import say
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.tutorial.activity.session.view import Gate, View
from inplace_tui.tutorial.present import lane_track
from inplace_tui.tutorial.present.lane_layout import AT_FIRST, LaneLayout, LaneOptions
from inplace_tui.tutorial.present.lane_track import merged
from inplace_tui.tutorial.present.lane_words import readout
from inplace_tui.tutorial.present.masking import HIDDEN, is_stale
from inplace_tui.tutorial.state.lifetimes import LifetimeRow

HERE, CURSOR = "▼", "◉"
FAILED, ASKED, BACKWARD = "✗", "?", "◂"
SELECTED, GRADIENT, FREED = "▸", "∂", "∅"


def _label(layout: LaneLayout, text: str) -> Span:
    return Span(pad(clip(f" {text}", layout.label), layout.label), Style.DIM)


def overview(layout: LaneLayout) -> list[Span]:
    view, track, known = layout.view, layout.track, layout.until
    index = view.timeline.index
    asked = {step for step, gate in view.gates.items() if gate is not Gate.DONE}
    marked: dict[int, tuple[str, Style]] = {}
    backwards = set()
    for place in range(track):
        start, stop = place * known // track, max((place + 1) * known // track, 1)
        stop = min(stop, layout.shown)
        if _any(index.backwards, start, stop):
            backwards.add(place)
        if _any(index.failed, start, stop) and not view.mask.outcome:
            marked[place] = (FAILED, Style.ERROR)
        elif any(start < step <= stop for step in asked):
            marked[place] = (ASKED, Style.MASKED)
    if 3 * len(backwards) <= track:
        marked = dict.fromkeys(backwards, (BACKWARD, Style.LEAF)) | marked
    if view.cursor >= 0:
        marked[min(track - 1, view.cursor * track // max(1, known))] = (CURSOR, Style.CHANGED)
    low = layout.window.start * track // max(1, known)
    high = min(layout.window.stop, known) * track // max(1, known)
    inside, outside = Span("━", Style.NEXT), Span("┄", Style.DIM)
    pieces = [outside] * low + [inside] * (max(low + 1, high) - low) + [outside] * (track - high)
    for place, (text, style) in marked.items():
        pieces[place] = Span(text, style)
    label = _label(layout, f"1:{layout.window.each}" if layout.window.each > 1 else "1:1")
    return merged([label, *pieces[:track]])


def _any(steps: Sequence[int], start: int, stop: int) -> bool:
    return bisect_left(steps, start) < bisect_left(steps, stop)


def ruler_of_steps(layout: LaneLayout) -> list[Span]:
    window, cursor = layout.window, layout.view.cursor
    labels = {}
    for place in range(window.columns):
        labels[place] = f"{window.start + place * window.each + 1:,}"
    here = window.column(cursor) if cursor >= 0 else None
    shown = f"{HERE}{cursor + 1:,}"
    return [
        _label(layout, say(LaneTexts.step, layout.language)),
        *_ruled(layout, labels, here, shown),
    ]


def ruler_of_lines(layout: LaneLayout) -> list[Span]:
    """Write the line of each step, with what may be known of how it went."""
    view, window = layout.view, layout.window
    index = view.timeline.index
    labels = {}
    here = window.column(view.cursor) if view.cursor >= 0 else None
    for place in range(window.columns):
        step = window.start + place
        if step >= layout.shown:
            break
        mark = BACKWARD if _any(index.backwards, step, step + 1) else ""
        if _any(index.failed, step, step + 1) and not view.mask.outcome:
            mark = FAILED
        labels[place] = f"{mark}{place_of(view.source, view.timeline.steps[step].line).brief}"
    shown = "" if here is None else labels.get(here, "")
    spans = [
        _label(layout, say(LaneTexts.line, layout.language)),
        *_ruled(layout, labels, here, shown),
    ]
    waiting = (step for step, gate in view.gates.items() if gate is not Gate.DONE)
    if layout.shown == layout.until and layout.until in waiting:
        spans.append(Span(f" {ASKED}", Style.MASKED))
    return spans


def _ruled(layout: LaneLayout, labels: dict[int, str], here: int | None, shown: str) -> list[Span]:
    """Lay out labels so that none touches another; the one of the cursor has its place."""
    window, room = layout.window, layout.track
    text, taken = [" "] * room, [False] * (room + 2)

    def put(at: int, label: str) -> bool:
        if at + len(label) > room or any(taken[max(0, at - 1) : at + len(label) + 1]):
            return False
        text[at : at + len(label)] = label
        taken[at : at + len(label)] = [True] * len(label)
        return True

    marked = range(0)
    if here is not None and shown:
        at = min(here * window.cells, max(0, room - len(shown)))
        if put(at, shown):
            marked = range(at, at + len(shown))
    longest = max(map(len, labels.values()), default=1)
    stride = next(n for n in _strides() if n * window.cells > longest)
    for place, label in labels.items():
        if (place + 1) % stride == 0 or stride == 1 or place == 0:
            put(place * window.cells, label)
    line = "".join(text).rstrip()
    return [
        Span(line[: marked.start], Style.DIM),
        Span(line[marked.start : marked.stop], Style.CHANGED),
        Span(line[marked.stop :], Style.DIM),
    ]


def _strides() -> list[int]:
    return [n * 10**power for power in range(4) for n in (1, 2, 5)]


class LaneRows(LazyRows):
    """The rulers, a lane for every storage in the window, and the legend."""

    def __init__(self, layout: LaneLayout) -> None:
        self.layout = layout
        if layout.is_empty:
            nothing = Row((Span(say(LaneTexts.none, layout.language), Style.DIM),))
            super().__init__(1, lambda _: nothing)
            return
        heads = _heads(layout)
        legend = [Row(), *_legend(layout.room, layout.language)]
        count = len(layout.lanes)

        def row(place: int) -> Row:
            if place < layout.head:
                return Row(clip_spans(heads[place], layout.room))
            if place - layout.head < count:
                return _lane(layout, layout.lanes[place - layout.head])
            return legend[place - layout.head - count]

        super().__init__(layout.head + count + len(legend), row)


def rows(
    view: View,
    room: int,
    language: str,
    options: LaneOptions = AT_FIRST,
    *,
    before: LaneLayout | None = None,
) -> LaneRows:
    """Return the rows; what was drawn for the layout `before` is not drawn again."""
    layout = LaneLayout(view, room, options, language)
    if before is not None:
        layout.take_over(before)
    return LaneRows(layout)


def _heads(layout: LaneLayout) -> list[list[Span]]:
    short = layout.is_whole and layout.window.each == 1
    found = [ruler_of_lines(layout) if short else overview(layout), ruler_of_steps(layout)]
    return [*found, readout(layout)] if layout.head > 2 else found


def _lane(layout: LaneLayout, lane: LifetimeRow) -> Row:
    view, tensor = layout.view, layout.tensor(lane)
    hidden = layout.hidden(lane)
    name, style = layout.name(lane)
    mark = SELECTED if tensor is not None and tensor == layout.options.selected else " "
    if lane.tensor is None:
        head = pad(
            clip(letter(view.timeline.index.ranks[lane.storage]), layout.letter_room),
            layout.letter_room,
        )
        gradient = GRADIENT if layout.is_gradient(lane) else ""
        title = f"{gradient}{name}"
    else:
        head, title = " " * (layout.letter_room - 1) + "└", name
    spans = [
        Span(mark, Style.NEXT),
        Span(head, Style.STRONG if lane.tensor is None else Style.DIM),
        Span(pad(shorten(title, layout.name_room - 1), layout.name_room), style),
        *_now(layout, lane),
        *lane_track.track(layout, lane, hidden=hidden),
    ]
    return Row(clip_spans(spans, layout.room), Target(tensor=tensor))


def version_at_cursor(layout: LaneLayout, lane: LifetimeRow) -> tuple[str, Style, bool]:
    """Return a lane's version at the cursor, and whether something saved would be refused."""
    view = layout.view
    life = view.timeline.index.lives[lane.storage]
    if layout.hidden(lane):
        return HIDDEN, Style.MASKED, False
    tensors = layout.on.get(lane.storage, ())
    if lane.tensor is not None:
        tensors = tuple(each for each in tensors if each.id == lane.tensor)
    else:
        tensors = tuple(t for t in tensors if t.id not in layout.beneath) or tensors
    versions = sorted({each.version for each in tensors if isinstance(each.version, int)})
    text = f"v{versions[-1]}" if versions else ""
    if life.born > view.cursor or (lane.tensor is not None and not tensors):
        text = ""
    elif life.freed is not None and life.freed <= view.cursor:
        return FREED, Style.FREED, False
    elif not versions and lane.tensor is None:
        place = bisect_right(life.writes, view.cursor, key=lambda write: write[0])
        near = reversed(life.writes[max(0, place - 8) : place])
        last = next((version for _, version in near if version is not None), None)
        text = "" if last is None else f"v{last}"
    stale = lane.tensor is None and is_stale(view, lane.storage)
    return text, Style.PLAIN, stale


def _now(layout: LaneLayout, lane: LifetimeRow) -> list[Span]:
    text, style, stale = version_at_cursor(layout, lane)
    room = layout.version_room
    if style is not Style.PLAIN:
        return [Span(pad(text, room + 1), style)]
    return [
        Span(pad(clip(text, room - 1), room - 1 if stale else room), style),
        *([Span("!", Style.STALE)] if stale else []),
        Span(" "),
    ]


def legend_parts(language: str) -> list[str]:
    """Return each mark with what it means."""
    return say(LaneTexts.legend, language).split("  ")


@lru_cache(maxsize=8)
def _legend(room: int, language: str) -> tuple[Row, ...]:
    """Explain the marks, as many to a line as fit."""
    lines = flow(legend_parts(language), room, "  ")
    return tuple(Row((Span(line, Style.DIM),)) for line in lines)
