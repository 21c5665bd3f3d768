"""Where each movement leads. Pure functions of a timeline and a cursor.

The cursor is the index of the step that finished last, -1 before the first.
Steps are in the order in which lines finished, so a line that called functions
comes after the lines of those functions; `Step.began` says where it started.
A function returns None where there is nowhere to go.
"""

from __future__ import annotations

from collections.abc import Iterable

from inplace_tui.model.event import Mutation
from inplace_tui.model.timeline import Step, Timeline


def over(timeline: Timeline, cursor: int) -> int | None:
    """Return where the next line of this frame, or of its caller, has finished.

    A call in it is stepped over. If the run ended inside that call, its last
    step is as far as the line ever got; while the run goes on, there is nowhere
    to go yet.
    """
    found = _first_up_to(timeline, cursor + 1, _depth(timeline, cursor))
    if found is None:
        return _last(timeline, cursor) if timeline.outcome is not None else None
    caller = _returned_to(timeline, cursor, found=found)
    return found if caller is None else caller


def back(timeline: Timeline, cursor: int) -> int | None:
    """Return where the line that finished last was about to begin."""
    return None if cursor < 0 else timeline.steps[cursor].began - 1


def into(timeline: Timeline, cursor: int) -> int | None:
    """Return where the next line of any frame has finished."""
    return cursor + 1 if cursor + 1 < len(timeline) else None


def out(timeline: Timeline, cursor: int) -> int | None:
    """Return where the line that called this frame has finished."""
    depth = _depth(timeline, cursor)
    if depth == 0:
        return None
    found = _first_up_to(timeline, cursor + 1, depth - 1)
    if found is None and timeline.outcome is not None:
        return _last(timeline, cursor)
    return found


def to_call(timeline: Timeline, cursor: int) -> int | None:
    """Return where the line that called this frame was about to begin."""
    depth = _depth(timeline, cursor)
    if depth == 0:
        return None
    earlier = range(cursor - 1, -1, -1)
    return next((i for i in earlier if timeline.steps[i].depth < depth), -1)


def to_return(timeline: Timeline, cursor: int) -> int | None:
    """Return where the last call to return before the cursor had run its last line."""
    steps = timeline.steps
    for index in range(cursor - 1, -1, -1):
        found = _first_up_to(timeline, index + 1, steps[index].depth)
        if found is not None and (
            steps[found].depth < steps[index].depth
            or _returned_to(timeline, index, found=found) is not None
        ):
            return index
    return None


def run_to(timeline: Timeline, cursor: int, *, line: int) -> int | None:
    """Return where `line` is about to run: its next visit, else its last one before."""
    visits = sorted({_before(timeline, step) for step in timeline if _covers(step, line)})
    if timeline.outcome is not None and timeline.steps and timeline.steps[-1].then == line:
        visits.append(len(timeline) - 1)  # the run died in it
    ahead = next((place for place in visits if place > cursor), None)
    behind = next((place for place in reversed(visits) if place < cursor), None)
    return behind if ahead is None else ahead


def failures(timeline: Timeline) -> list[int]:
    """Return the steps where an exception was raised, not those that it passed through."""
    steps = timeline.steps
    return [
        step.index
        for step in steps
        if step.raised is not None and not (step.index and _passes_on(steps[step.index - 1], step))
    ]


def next_stop(stops: Iterable[int], cursor: int, *, last: int) -> int | None:
    """Return the first of `stops` after the cursor, or `last`."""
    place = min((stop for stop in stops if cursor < stop <= last), default=last)
    return place if place > cursor else None


def previous_stop(stops: Iterable[int], cursor: int) -> int | None:
    """Return the last of `stops` before the cursor, or the start."""
    return max((stop for stop in stops if -1 <= stop < cursor), default=None if cursor < 0 else -1)


def last_write(timeline: Timeline, cursor: int, *, tensor: int) -> int | None:
    """Return the last step before the cursor that wrote to `tensor` or to its storage.

    The cursor's own step is left out, so that asking again leads further back.
    """
    known = timeline.at(cursor).tensors.get(tensor)
    storage = None if known is None else known.storage
    for index in range(cursor - 1, -1, -1):
        for event in timeline.steps[index].events:
            if isinstance(event, Mutation) and (
                event.tensor == tensor or (storage is not None and event.storage == storage)
            ):
                return index
    return None


def _depth(timeline: Timeline, cursor: int) -> int:
    return timeline.steps[cursor].depth if cursor >= 0 else 0


def _last(timeline: Timeline, cursor: int) -> int | None:
    return len(timeline) - 1 if cursor < len(timeline) - 1 else None


def _first_up_to(timeline: Timeline, start: int, depth: int) -> int | None:
    """Return the first step from `start` on that is not deeper than `depth`."""
    steps = timeline.steps
    return next((i for i in range(start, len(steps)) if steps[i].depth <= depth), None)


def _returned_to(timeline: Timeline, cursor: int, *, found: int) -> int | None:
    """Return the caller's step, if the frame at the cursor is over and `found` is in another.

    `f(g(x))` calls two frames of one depth from one line: stepping over the end of
    `g` must not enter `f`.
    """
    steps = timeline.steps
    depth = _depth(timeline, cursor)
    if depth == 0 or steps[found].depth < depth or steps[found].line == steps[cursor].then:
        return None
    caller = _first_up_to(timeline, found + 1, depth - 1)
    if caller is None or steps[caller].began > cursor:
        return None
    return caller if steps[caller].line == steps[cursor].then else None


def _covers(step: Step, line: int) -> bool:
    return step.line <= line <= step.end_line


def _before(timeline: Timeline, step: Step) -> int:
    """Return the cursor that shows `step` as the next line.

    The first line of a function begins where its caller's line does, and that
    cursor shows the caller; such a line is shown when it has run.
    """
    previous = _depth(timeline, step.began - 1)
    return step.index if previous < step.depth else step.began - 1


def _passes_on(inner: Step, outer: Step) -> bool:
    return inner.raised == outer.raised and outer.depth < inner.depth
