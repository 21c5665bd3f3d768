"""What happened in a column of a lane, in words."""

from __future__ import annotations

from bisect import bisect_left

from inplace_tui.common.rows import Span, Style
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.histories import value_at
from inplace_tui.common.run.snapshot import letter
from inplace_tui.common.texts import say
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.tutorial.present.lane_layout import LaneLayout
from inplace_tui.tutorial.present.lane_track import column
from inplace_tui.tutorial.present.masking import HIDDEN
from inplace_tui.tutorial.state.lifetimes import LifetimeEvent, LifetimeRow


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
