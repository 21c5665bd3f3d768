"""Lines of a text that is being changed, and where they are in the run of an older one."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from inplace_tui.engine.editor.indentation import indentation
from inplace_tui.model.timeline import Timeline

MOST = 2_000
"""Changed lines that are compared; two texts with nothing in common cost their product."""


def matched(ran: Sequence[str], now: Sequence[str]) -> list[int | None]:
    """Return for each line of `now`, from 0, which line of `ran` it is; None for new ones.

    >>> matched(["a", "b", "c"], ["a", "x", "c"])
    [0, None, 2]
    """
    head = 0
    while head < min(len(ran), len(now)) and ran[head] == now[head]:
        head += 1
    tail = 0
    while tail < min(len(ran), len(now)) - head and ran[-1 - tail] == now[-1 - tail]:
        tail += 1
    lines: list[int | None] = [*range(head), *[None] * (len(now) - head)]
    for place in range(1, tail + 1):
        lines[len(now) - place] = len(ran) - place
    old, new = ran[head : len(ran) - tail], now[head : len(now) - tail]
    if old and new and len(old) + len(new) <= MOST:
        for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            for offset in range(block.size):
                lines[head + block.b + offset] = head + block.a + offset
    return lines


def step_at(timeline: Timeline, lines: Sequence[str], row: int) -> int | None:
    """Return the last visit of a line, or of what ran before it in its block.

    Args:
        timeline: of a run of these lines.
        lines: the text that ran.
        row: the line, from 0.
    """
    if not 0 <= row < len(lines):
        return None
    visits = timeline.index.visits
    deepest = _depth(lines, row)
    for above in range(row, -1, -1):
        if visits.get(above + 1):
            step = timeline.steps[visits[above + 1][-1]]
            if step.end_line > row or _reaches(lines, above, deepest):
                return step.index
        if lines[above].strip() and not lines[above].lstrip().startswith("#"):
            deepest = min(deepest, len(indentation(lines[above])))
    return None


def _depth(lines: Sequence[str], row: int) -> int:
    """Return how far in a line stands; an empty one as far as the one before it."""
    for above in range(row, -1, -1):
        if lines[above].strip():
            return len(indentation(lines[above]))
    return 0


def _reaches(lines: Sequence[str], above: int, deepest: int) -> bool:
    """Whether a line is in the block of one below it, or in a block around that."""
    return len(indentation(lines[above])) <= deepest
