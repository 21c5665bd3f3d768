"""Where each movement leads. Pure functions of a timeline and a cursor.

The cursor is the index of the step that finished last, -1 before the first.
Steps are in the order in which lines finished, so a line that called functions
comes after the lines of those functions; `Step.began` says where it started.
A function returns None where there is nowhere to go.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from inplace_tui.common.run.histories import DEEPEST
from inplace_tui.common.run.timeline import Timeline


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
    if depth > DEEPEST:
        earlier = range(cursor - 1, -1, -1)
        return next((i for i in earlier if timeline.steps[i].depth < depth), -1)
    depths = timeline.index.depths
    return max(depths.rfind(each, 0, cursor) for each in range(depth))


def to_return(timeline: Timeline, cursor: int) -> int | None:
    """Return where the last call to return before the cursor had run its last line."""
    steps = timeline.steps
    left = timeline.index.left
    for place in range(bisect_left(left, cursor) - 1, -1, -1):
        index = left[place]
        found = _first_up_to(timeline, index + 1, steps[index].depth)
        if found is not None and (
            steps[found].depth < steps[index].depth
            or _returned_to(timeline, index, found=found) is not None
        ):
            return index
    return None


def run_to(timeline: Timeline, cursor: int, *, line: int) -> int | None:
    """Return where `line` is about to run: its next visit, else its last one before."""
    index = timeline.index
    covering = [first for first, last in index.ends.items() if first <= line <= last]
    near = [place for first in covering for place in around(index.begins[first], cursor)]
    if timeline.outcome is not None and timeline.steps and timeline.steps[-1].then == line:
        near.append(len(timeline) - 1)  # the run died in it
    ahead = min((place for place in near if place > cursor), default=None)
    behind = max((place for place in near if place < cursor), default=None)
    return behind if ahead is None else ahead


def failures(timeline: Timeline) -> list[int]:
    """Return the steps where an exception was raised, not those that it passed through."""
    return timeline.index.failed


def around(stops: Sequence[int], cursor: int) -> list[int]:
    """Return the last of `stops` before the cursor and the first after it; they are in order."""
    before, after = bisect_left(stops, cursor) - 1, bisect_right(stops, cursor)
    return [*stops[max(0, before) : before + 1], *stops[after : after + 1]]


def next_stop(stops: Iterable[int], cursor: int, *, last: int) -> int | None:
    place = min((stop for stop in stops if cursor < stop <= last), default=last)
    return place if place > cursor else None


def previous_stop(stops: Iterable[int], cursor: int) -> int | None:
    """Return the last of `stops` before the cursor, or the start."""
    return max((stop for stop in stops if -1 <= stop < cursor), default=None if cursor < 0 else -1)


def last_write(timeline: Timeline, cursor: int, *, tensor: int) -> int | None:
    """Return the last step before the cursor that wrote to `tensor` or to its storage.

    The cursor's own step is left out, so that asking again leads further back.
    """
    found = _written(timeline, cursor, tensor)
    return max((step for step in found if step < cursor), default=None)


def next_write(timeline: Timeline, cursor: int, *, tensor: int) -> int | None:
    found = _written(timeline, cursor, tensor)
    return min((step for step in found if step > cursor), default=None)


def _written(timeline: Timeline, cursor: int, tensor: int) -> list[int]:
    """Return the steps nearest to the cursor that wrote to `tensor` or to its storage."""
    known = timeline.at(cursor).tensors.get(tensor)
    storage = None if known is None else known.storage
    life = None if storage is None else timeline.index.lives.get(storage)
    writes = () if life is None else life.writes
    before = bisect_left(writes, cursor, key=_step) - 1
    after = bisect_right(writes, cursor, key=_step)
    near = [*writes[max(0, before) : before + 1], *writes[after : after + 1]]
    through = timeline.index.written.get(tensor, ())
    return [*around(through, cursor), *map(_step, near)]


def _step(write: tuple[int, int | None]) -> int:
    return write[0]


def _depth(timeline: Timeline, cursor: int) -> int:
    return timeline.steps[cursor].depth if cursor >= 0 else 0


def _last(timeline: Timeline, cursor: int) -> int | None:
    return len(timeline) - 1 if cursor < len(timeline) - 1 else None


def _first_up_to(timeline: Timeline, start: int, depth: int) -> int | None:
    if depth >= DEEPEST:
        steps = timeline.steps
        return next((i for i in range(start, len(steps)) if steps[i].depth <= depth), None)
    depths, end = timeline.index.depths, len(timeline)
    for each in range(depth + 1):
        found = depths.find(each, start, end)
        end = end if found < 0 else found
    return end if end < len(timeline) else None


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
