"""What stands above the lanes: the whole run in one row, and the numbers of steps and lines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from inplace_tui.engine.session.view import Gate
from inplace_tui.model.files import place_of
from inplace_tui.present.cells import clip, pad
from inplace_tui.present.lane_layout import LaneLayout
from inplace_tui.present.lane_track import merged
from inplace_tui.present.rows import Span, Style
from inplace_tui.texts import say
from inplace_tui.texts.lanes import LaneTexts

HERE, CURSOR = "▼", "◉"
FAILED, ASKED, BACKWARD = "✗", "?", "◂"


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
