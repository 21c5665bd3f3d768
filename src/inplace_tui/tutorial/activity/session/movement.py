"""Movements: where each leads in the timeline, and how far an open question lets it come."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.files import find_line
from inplace_tui.common.run.histories import DEEPEST
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session.questions import Questions
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.signals import (
    Move,
    Moved,
    Movement,
    RunToLine,
    StepChosen,
    WriteRequested,
)


def over(timeline: Timeline, cursor: int) -> int | None:
    """Return where the next line of this frame, or of its caller, has finished.

    A call in it is stepped over. If the run ended inside that call, its last
    step is as far as the line ever got; while the run goes on, there is nowhere
    to go yet.
    """
    found = _ahead(timeline, cursor, _depth(timeline, cursor))
    caller = None if found is None else _returned_to(timeline, cursor, found=found)
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
    return None if depth == 0 else _ahead(timeline, cursor, depth - 1)


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
    before = bisect_left(writes, cursor, key=itemgetter(0)) - 1
    after = bisect_right(writes, cursor, key=itemgetter(0))
    near = [*writes[max(0, before) : before + 1], *writes[after : after + 1]]
    through = timeline.index.written.get(tensor, ())
    return [*around(through, cursor), *map(itemgetter(0), near)]


def _depth(timeline: Timeline, cursor: int) -> int:
    return timeline.steps[cursor].depth if cursor >= 0 else 0


def _ahead(timeline: Timeline, cursor: int, depth: int) -> int | None:
    """Return the next step no deeper than that; where the run ended before it, the last one."""
    found, last = _first_up_to(timeline, cursor + 1, depth), len(timeline) - 1
    return last if found is None and timeline.outcome is not None and cursor < last else found


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


_FORWARD = frozenset({Move.NEXT, Move.INTO, Move.OUT, Move.CONTINUE, Move.END})

_STEPS: dict[Move, tuple[Callable[[Timeline, int], int | None], LocalText]] = {
    Move.NEXT: (over, NoticeTexts.at_the_end),
    Move.BACK: (back, NoticeTexts.at_the_start),
    Move.INTO: (into, NoticeTexts.at_the_end),
    Move.OUT: (out, NoticeTexts.not_in_a_call),
    Move.TO_CALL: (to_call, NoticeTexts.not_in_a_call),
    Move.TO_RETURN: (to_return, NoticeTexts.no_return),
}
"""Where a step leads, and the notice for where it leads nowhere."""


_STEP_NUMBER = re.compile(r"#?\s*(\d[\d,_ ]*)")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_LINE_NUMBER = re.compile(r"(?:line|l|第|:|行)\s*(\d+)\s*行?", re.IGNORECASE)
_LINE_OF_FILE = re.compile(r"(.*[^:\s])\s*:\s*(\d+)")
_MAX_DIGITS = 12


@dataclass(frozen=True)
class Bounds:
    """How far the learner may go, and where a movement stops by itself."""

    limit: int
    """The last step that may be come to."""

    gates: tuple[int, ...] = ()
    barred: bool = False
    """The cursor waits at a question that must be answered or left first."""

    hidden_from: int | None = None
    """The first step that would give an answer away."""


def bounds(run: SessionRun, questions: Questions | None) -> Bounds:
    """Return how far one may go in a run; without questions, to its end."""
    if questions is None:
        return Bounds(limit=run.last)
    return Bounds(
        limit=questions.limit(run.last),
        gates=tuple(questions.marks()),
        barred=questions.barring(run.cursor) is not None,
        hidden_from=questions.hidden_from(),
    )


def goes_forward(signal: Movement) -> bool:
    if isinstance(signal, WriteRequested):
        return signal.ahead
    return isinstance(signal, Moved) and signal.move in _FORWARD


def move_to(run: SessionRun, signal: Movement, bounds: Bounds) -> int | LocalText:
    """Return the new cursor, or the notice that says why there is none."""
    target, refusal = _target(run, signal, bounds)
    if target is not None and min(target, bounds.limit) != run.cursor:
        return min(target, bounds.limit)
    ahead = goes_forward(signal) or (target is not None and target > run.cursor)
    if isinstance(signal, RunToLine) and target is None and run.outcome is None:
        ahead = True
    if not ahead and not (isinstance(signal, RunToLine) and bounds.hidden_from is not None):
        return refusal
    if bounds.barred:
        return NoticeTexts.answer_first
    if refusal == NoticeTexts.not_in_a_call:
        return refusal
    if run.outcome is None:
        return NoticeTexts.still_running
    # "The end of the run" at the asked line would give away that it raised.
    return refusal if bounds.hidden_from is None else NoticeTexts.answer_to_see_more


def _target(run: SessionRun, signal: Movement, bounds: Bounds) -> tuple[int | None, LocalText]:
    timeline, cursor = run.timeline, run.cursor
    match signal:
        case Moved(move=move):
            return _moved(run, move, bounds)
        case RunToLine(line=line):
            return run_to(timeline, cursor, line=line), NoticeTexts.line_not_run
        case StepChosen(step=step):
            refusal = NoticeTexts.at_the_end if step >= run.last else NoticeTexts.here
            return max(-1, min(step, run.last)), refusal
        case WriteRequested(tensor=tensor, ahead=False):
            known = cursor if bounds.hidden_from is None else min(cursor, bounds.hidden_from)
            return last_write(timeline, known, tensor=tensor), NoticeTexts.never_written
        case WriteRequested(tensor=tensor):
            found = next_write(timeline, cursor, tensor=tensor)
            hidden = bounds.hidden_from
            if hidden is not None and (found is None or found >= hidden):
                found = hidden - 1 if cursor < hidden - 1 else None
            return found, NoticeTexts.not_written_again


def _moved(run: SessionRun, move: Move, bounds: Bounds) -> tuple[int | None, LocalText]:
    cursor = run.cursor
    match move:
        case Move.START:
            return (None if cursor == -1 else -1), NoticeTexts.at_the_start
        case Move.END:
            return (None if cursor == run.last else run.last), NoticeTexts.at_the_end
        case Move.CONTINUE:
            return next_stop(_stops(run, bounds), cursor, last=run.last), NoticeTexts.at_the_end
        case Move.CONTINUE_BACK:
            return previous_stop(_stops(run, bounds), cursor), NoticeTexts.at_the_start
        case Move.NEXT | Move.BACK | Move.INTO | Move.OUT | Move.TO_CALL | Move.TO_RETURN:
            movement, refusal = _STEPS[move]
            return movement(run.timeline, cursor), refusal


def _stops(run: SessionRun, bounds: Bounds) -> list[int]:
    """Return where questions and the nearest failures are, unless that gives an answer away."""
    hidden = bounds.hidden_from
    near = around(run.timeline.index.failed, run.cursor)
    failed = [step for step in near if hidden is None or step < hidden]
    return [*failed, *(gate - 1 for gate in bounds.gates)]


def parse_place(text: str, *, steps: int, source: str = "") -> StepChosen | RunToLine | None:
    """Return where somebody wants to go; None if the text does not say.

    Args:
        text: a number of a step, counted from 1, where 0 is before the first; a share
            of the run; or a line, of another file than the main one with its name: `model.py:7`.

    >>> parse_place("50%", steps=200), parse_place("第７行", steps=9), parse_place("soon", steps=9)
    (StepChosen(step=99), RunToLine(line=7), None)
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    if found := _LINE_OF_FILE.fullmatch(plain):
        line = find_line(source, found[1], int(found[2][:_MAX_DIGITS]))
        if line is not None:
            return RunToLine(line)
    if len(plain) > _MAX_DIGITS + len("line "):
        return None
    if found := _SHARE.fullmatch(plain):
        share = min(100.0, float(found[1]))
        return StepChosen(round(share * steps / 100) - 1)
    if found := _LINE_NUMBER.fullmatch(plain):
        return RunToLine(int(found[1]))
    if found := _STEP_NUMBER.fullmatch(plain):
        number = int(re.sub(r"\D", "", found[1]))
        return StepChosen(min(number, steps) - 1)
    return None
