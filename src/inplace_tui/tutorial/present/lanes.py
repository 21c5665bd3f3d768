"""Storage lanes: a row a storage, time from left to right, the cursor across them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from inplace_tui.common.cells import clip, clip_spans, flow, pad, shorten
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.common.run.files import line_name, place_of
from inplace_tui.common.run.histories import value_at
from inplace_tui.common.run.snapshot import letter
from inplace_tui.common.texts import say
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.tutorial.activity.session.view import HIDDEN, Gate, View, is_stale
from inplace_tui.tutorial.present import lane_layout
from inplace_tui.tutorial.present.lane_layout import (
    AT_FIRST,
    LaneLayout,
    LaneOptions,
    column,
    merged,
)
from inplace_tui.tutorial.state.lifetimes import LifetimeEvent, LifetimeRow

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
        *lane_layout.track(layout, lane, hidden=hidden),
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


def readout(layout: LaneLayout) -> list[Span]:
    view, window = layout.view, layout.window
    row, step = layout.options.pointed or (None, view.cursor)
    place = window.column(step) if step >= 0 else None
    if step < 0 or place is None:
        return [Span(f" {say(LaneTexts.before, layout.language)}", Style.DIM)]
    steps = window.steps(place)
    if layout.options.pointed is None and row is None:
        steps = range(step, step + 1)
    phrase = _moment(layout, steps)
    lane = _described_lane(layout, row)
    spans = [Span(f" {phrase}", Style.PLAIN)]
    if lane is not None:
        name, style = layout.name(lane)
        rank = letter(view.timeline.index.ranks[lane.storage])
        spans += [Span("  "), Span(f"{rank} ", Style.STRONG), Span(name, style), Span("  ")]
        spans.append(Span(describe(layout, lane, steps), Style.PLAIN))
    return spans


def _moment(layout: LaneLayout, steps: range) -> str:
    if len(steps) == 1:
        line = line_name(layout.view.source, layout.view.timeline.steps[steps[0]].line)
        return say(LaneTexts.at, layout.language, step=f"{steps[0] + 1:,}", line=line)
    last = min(steps.stop, layout.until)
    return say(LaneTexts.from_, layout.language, first=f"{steps.start + 1:,}", last=f"{last:,}")


def _described_lane(layout: LaneLayout, row: int | None) -> LifetimeRow | None:
    if row is not None:
        return layout.lanes[row] if 0 <= row < len(layout.lanes) else None
    chosen = layout.options.selected
    if chosen is None:
        return None
    return next((lane for lane in layout.lanes.near if layout.tensor(lane) == chosen), None)


def describe(layout: LaneLayout, lane: LifetimeRow, steps: range) -> str:
    view, language = layout.view, layout.language
    stop = min(steps.stop, layout.until)
    now = column(layout, lane, steps.start, stop)
    if layout.hidden(lane) or view.mask.saves:
        return HIDDEN
    if not now.alive and now.event is LifetimeEvent.NONE:
        return say(LaneTexts.absent, language)
    life = view.timeline.index.lives[lane.storage]
    phrase = []
    begins = life.born if lane.tensor is None else lane.begins
    if begins in range(steps.start, stop):
        phrase.append(say(LaneTexts.made, language))
    if lane.tensor is None:
        phrase += _writes(layout, lane, steps.start, stop)
        held = value_at(life.held, stop - 1)
        if held:
            phrase.append(say(LaneTexts.held, language, count=held))
            stale = value_at(life.stale, stop - 1)
            if stale and not view.mask.outcome:
                phrase.append(say(LaneTexts.stale, language, count=stale))
        elif value_at(life.held, steps.start - 1):
            phrase.append(say(LaneTexts.released, language))
    elif now.event is LifetimeEvent.WRITTEN:
        phrase.append(say(LaneTexts.write, language))
    ends = lane.ends if lane.tensor is not None else life.freed
    if ends is not None and ends in range(steps.start, stop):
        phrase.append(say(LaneTexts.freed, language))
    return say(LaneTexts.and_, language).join(phrase) or say(LaneTexts.nothing, language)


def _writes(layout: LaneLayout, lane: LifetimeRow, start: int, stop: int) -> list[str]:
    life, language = layout.view.timeline.index.lives[lane.storage], layout.language
    low = bisect_left(life.writes, start, key=lambda write: write[0])
    high = bisect_left(life.writes, stop, key=lambda write: write[0])
    if high == low:
        return []
    count = high - low
    key = LaneTexts.write if count == 1 else LaneTexts.writes
    text = say(key, language, count=f"{count:,}")
    before = next((v for _, v in reversed(life.writes[max(0, low - 8) : low]) if v is not None), 0)
    after = next(
        (v for _, v in reversed(life.writes[max(low, high - 8) : high]) if v is not None), None
    )
    if after is not None:
        text += " " + say(LaneTexts.versions, language, before=before, after=after)
    uncounted = bisect_left(life.uncounted, stop) - bisect_left(life.uncounted, start)
    return [text, *([say(LaneTexts.kept, language, count=uncounted)] if uncounted else [])]
