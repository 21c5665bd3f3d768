"""The timeline in one row: where the cursor is, what was passed, where questions wait."""

from __future__ import annotations

from functools import lru_cache

from inplace_tui.common.cells import clip_spans, spans_width, width
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.outcome import Completed, Wrong
from inplace_tui.common.texts import say
from inplace_tui.common.texts.panels import StripTexts
from inplace_tui.tutorial.activity.session.view import Gate, View

PAST, HERE, AHEAD, FAILED = "●", "◉", "○", "✗"
ASKED, ANSWERED = "?", "·"
"""An answered question is marked whether the answer was right or not."""


def rows(view: View, room: int, language: str) -> list[Row]:
    """Return the row. Steps behind an open question are not counted."""
    start, end = say(StripTexts.start, language), say(StripTexts.end, language)
    known, complete = _known(view)
    phrase = words(view, language)
    left = Span(f"{start} ", Style.STRONG if view.cursor < 0 else Style.DIM, Target(step=-1))
    tail = [Span(f" {end}" if complete else " ┄", Style.DIM), Span(f"  {phrase}", Style.DIM)]
    track = room - width(left.text) - spans_width(tail) - 1
    if track < 6:
        tail = tail[1:]
        track = room - width(left.text) - spans_width(tail) - 1
    track -= 2  # for a question that waits behind the last step
    fitting = (gap for gap in ("──", "─", "") if (1 + len(gap)) * known <= track)
    between = next(fitting, None)
    wide = max(1, track)
    middle = _bar(view, known, wide) if between is None else _dots(view, known, between)
    return [Row(clip_spans([left, *middle, *tail], room))]


def words(view: View, language: str) -> str:
    known, complete = _known(view)
    if view.cursor < 0:
        return say(StripTexts.before, language)
    key = StripTexts.step if complete else StripTexts.step_open
    return say(key, language, step=view.cursor + 1, total=known)


def gates(view: View) -> dict[int, Gate]:
    known, _ = _known(view)
    return {step: gate for step, gate in sorted(view.gates.items()) if step <= known}


def _known(view: View) -> tuple[int, bool]:
    """Return how many steps may be seen, and whether those are all."""
    total = len(view.timeline)
    known = min(view.reachable, total - 1) + 1
    waiting = view.gates.get(known, Gate.DONE) is not Gate.DONE
    return known, known == total and not view.running and not waiting


def _dots(view: View, known: int, between: str) -> list[Span]:
    spans: list[Span] = []
    for step in range(known):
        if step:
            spans.append(Span(between, Style.DIM, Target(step=step - 1)))
        spans += _gate(view, step)
        spans.append(_step(view, step, last=step == known - 1))
    return spans + _gate(view, known)


def _gate(view: View, step: int) -> list[Span]:
    gate = view.gates.get(step)
    if gate is None:
        return []
    span_style = Style.DIM if gate is Gate.DONE else Style.MASKED
    return [Span(ANSWERED if gate is Gate.DONE else ASKED, span_style, Target(step=step - 1))]


def _step(view: View, step: int, *, last: bool) -> Span:
    target = Target(step=step)
    if last and _failed(view):
        here = step == view.cursor
        return Span(FAILED, Style.WRONG if here else Style.ERROR, target)
    if step == view.cursor:
        return Span(HERE, Style.CHANGED, target)
    if step < view.cursor:
        return Span(PAST, Style.NEXT, target)
    return Span(AHEAD, Style.DIM, target)


def _failed(view: View) -> bool:
    return isinstance(view.truth, Wrong) or not isinstance(view.outcome, Completed | None)


def _bar(view: View, known: int, room: int) -> list[Span]:
    """Return a bar whose cells are several steps each: there are more steps than cells."""

    def cell(step: int) -> int:
        return -(-(step + 1) * room // max(1, known)) - 1

    passed = max(0, cell(view.cursor))
    spans = [
        *_cells("━", Style.NEXT, known, room)[:passed],
        *_cells("┈", Style.DIM, known, room)[passed:],
    ]
    for step, gate in view.gates.items():
        if gate is not Gate.DONE and step < known:
            spans[cell(step)] = Span(ASKED, Style.MASKED, spans[cell(step)].target)
    if known and _failed(view):
        spans[-1] = Span(FAILED, Style.ERROR, spans[-1].target)
    if 0 <= view.cursor < known:
        spans[passed] = _step(view, view.cursor, last=view.cursor == known - 1)
    return spans + _gate(view, known)


@lru_cache(maxsize=8)
def _cells(glyph: str, style: Style, known: int, room: int) -> tuple[Span, ...]:
    """Return a bar of one glyph; a cell stands for the last of its steps."""
    ends = ((place + 1) * known // room for place in range(room))
    return tuple(Span(glyph, style, Target(step=end - 1)) for end in ends)
