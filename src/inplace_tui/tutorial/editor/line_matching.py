"""Lines of a text that is being changed, and where they are in the run of an older one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from inplace_tui.common.run.files import lines_of
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.tutorial.editor.indentation import indentation

MAX_LINES = 2_000
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
    if old and new and len(old) + len(new) <= MAX_LINES:
        for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            for offset in range(block.size):
                lines[head + block.b + offset] = head + block.a + offset
    return lines


def moved(ran: str, now: str) -> dict[int, int]:
    r"""Return where the lines of a text are in a newer one, both counted from 1.

    A line that changed places is found by what it says, one that was rewritten by those
    around it. One that was removed is left out.

    >>> moved("a\nb\nc\nd", "new\na\nB\n  d")
    {1: 2, 4: 4}
    >>> moved("a\nb\nc", "c\na\nb")
    {1: 2, 2: 3, 3: 1}
    """
    old, new = lines_of(ran), lines_of(now)
    same = {line: place for place, line in enumerate(matched(old, new)) if line is not None}
    gone = Counter(text.strip() for line, text in enumerate(old) if line not in same)
    came = Counter(text.strip() for text in new) - Counter(old[line].strip() for line in same)
    places = {text.strip(): place for place, text in enumerate(new) if place not in same.values()}
    found = dict(same)
    for line, text in enumerate(old):
        spelled = text.strip()
        if line not in same and gone[spelled] == came[spelled] == 1:
            found[line] = places[spelled]
    taken = set(found.values())
    above = (-1, -1)
    for below in (*sorted(same.items()), (len(old), len(new))):
        if below[0] - above[0] == below[1] - above[1]:
            for line in range(above[0] + 1, below[0]):
                if line not in found and line + below[1] - below[0] not in taken:
                    found[line] = line + below[1] - below[0]
        above = below
    return {line + 1: place + 1 for line, place in found.items()}


def step_at(timeline: Timeline, lines: Sequence[str], row: int) -> int | None:
    """Return the last visit of a line (`row` is from 0), or of what ran before it in its block."""
    if not 0 <= row < len(lines):
        return None
    visits = timeline.index.visits
    deepest = _depth(lines, row)
    for above in range(row, -1, -1):
        if visits.get(above + 1):
            step = timeline.steps[visits[above + 1][-1]]
            # It is in the block of a line below it, or in a block around that.
            if step.end_line > row or len(indentation(lines[above])) <= deepest:
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
