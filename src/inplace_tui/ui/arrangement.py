"""Where every panel goes at every size. Pure: a size and the needs in, regions out.

Code and narration (or the question in its place) are always there together; the
other panels share tabs where there is no room for all of them. The code panel
stays where it is whatever opens or closes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from textual.geometry import Region

TABS = "tabs"
TASK = "task"
WIDE, VAST = 100, 160
SHORT, TALL, HIGH = 20, 34, 50
WORDS_OF_TWO, WORDS_OF_THREE = 54, 32
"""Percent of the width that code and words have beside one column of panels, and two."""

LEAST = 4
"""Rows that a panel keeps when others need more."""

BARS = 3
"""Lines of the screen that the stage does not have: title, status, keys."""


@dataclass(frozen=True)
class Needs:
    """What the arrangement has to know of the moment."""

    code_rows: int
    panels: tuple[str, ...] = ()
    """The ids of the panels beside code and words, in the order of their tabs."""

    whole: bool = False
    """The program is all there is to answer from: it is seen whole, and the panels can wait."""

    question_rows: int | None = None
    """Rows of the question that is open; None where there is none."""

    replied: bool = False
    """A try was wrong and there is another: what is said to that comes before the panels."""

    settled: bool = False
    """The question is answered: the explanation needs room beside it."""

    narration_rows: int = 3
    explained: bool = False
    """There is an outcome to explain."""

    chosen: str = "state"
    """The panel that was asked for last."""

    companion: str = "lanes"
    """The last one asked for of those that share tabs beside a fixed table and graph."""

    rows: Mapping[str, int] = field(default_factory=dict)
    """Rows that panels have to show, where that is known."""

    presented: bool = False
    """Everybody looks at it from afar: the code, the words and one panel."""

    zoomed: str | None = None
    """The one panel that has everything."""

    editing: bool = False
    """The code is being typed: the editor takes the room of the words, too."""

    task_rows: int = 0
    """Rows of the task that stands above everything; 0 where there is none."""

    task_stays: bool = False
    """The task is seen beside a zoomed panel too."""

    @property
    def bars(self) -> int:
        """Lines of the screen that the panels below do not have."""
        return BARS + self.task_rows


@dataclass(frozen=True)
class Plan:
    """Where to put what is seen; everything else is hidden."""

    regions: dict[str, Region]
    tabs: tuple[str, ...] = ()
    """The panels that share the tabs."""


@dataclass(frozen=True)
class _Column:
    x: int
    width: int
    top: int
    height: int

    def stack(self, *parts: tuple[str, int]) -> dict[str, Region]:
        """Return the parts below each other; what is left goes to the last."""
        regions, y = {}, self.top
        end = self.top + self.height
        for place, (name, height) in enumerate(parts):
            taken = end - y if place == len(parts) - 1 else min(height, end - y)
            if taken > 0:
                regions[name] = Region(self.x, y, self.width, taken)
            y += max(0, taken)
        return regions


def frame(height: int) -> int:
    """Return how many rows the frame of a panel takes on a stage of this height."""
    if height + BARS < SHORT:
        return 0
    return 1 if height + BARS < TALL else 2


def plan(width: int, height: int, needs: Needs) -> Plan:
    """Return the arrangement for a stage of this size."""
    if width <= 0 or height <= 0:
        return Plan({})
    rows = _task(height, needs)
    planned = _planned(width, height - rows, replace(needs, task_rows=rows))
    regions = {name: place.translate((0, rows)) for name, place in planned.regions.items()}
    if needs.editing and "code" in regions:
        regions["editor"] = regions.pop("code")
    if rows:
        regions["task"] = Region(0, 0, width, rows)
    return Plan(regions, planned.tabs)


def _task(height: int, needs: Needs) -> int:
    """Return the rows that the task gets: what it needs, up to a share of the height.

    Who is introduced to a small screen has to read the task before all else.
    """
    if not needs.task_rows:
        return 0
    if needs.zoomed not in (None, TASK) and not needs.task_stays:
        return 0
    if needs.zoomed == TASK:
        return height
    first = needs.task_stays and height + BARS < SHORT
    return min(needs.task_rows + frame(height), height // 2 if first else height * 2 // 5)


def has_words_beside(width: int, height: int, needs: Needs) -> bool:
    """Whether the narration is seen together with a question at this size."""
    return "narration" in _planned(width, height, replace(needs, zoomed=None)).regions


def _planned(width: int, height: int, needs: Needs) -> Plan:
    if needs.zoomed == TASK:
        return Plan({})
    if needs.zoomed is not None:
        return _zoomed(width, height, needs.zoomed, needs.panels)
    if height + needs.bars < SHORT:
        return _flat(width, height, needs)
    if needs.presented:
        return _presented(width, height, needs)
    columns = _three_columns if width >= VAST else _two_columns
    return (_one_column if width < WIDE else columns)(width, height, needs)


def words_width(width: int) -> int:
    """Return how wide the column of code and words is on a stage of this width."""
    if width < WIDE:
        return width
    return width * (WORDS_OF_TWO if width < VAST else WORDS_OF_THREE) // 100


def _presented(width: int, height: int, needs: Needs) -> Plan:
    """The code first, and beside it or over it one panel, chosen by its digit."""
    edge = frame(height)
    left, right = _split(width, height, 100 if width < WIDE else 62)
    words = 3 if needs.question_rows is None else needs.question_rows
    code = min(needs.code_rows + edge, height - min(words + edge, height // 2))
    regions = left.stack(("code", max(3, code)), (_words(needs), 0))
    return Plan(regions if width < WIDE else regions | right.stack((needs.chosen, 0)))


def _zoomed(width: int, height: int, name: str, panels: tuple[str, ...]) -> Plan:
    if name not in panels or height < 3:
        return Plan({name: Region(0, 0, width, height)})
    regions = {TABS: Region(0, 0, width, 1), name: Region(0, 1, width, height - 1)}
    return Plan(regions, panels)


def _flat(width: int, height: int, needs: Needs) -> Plan:
    """Code and words only; the numbered panels open over them."""
    if needs.editing:
        return Plan({"code": Region(0, 0, width, height)})
    words = max(2, height // 2)
    if needs.question_rows is not None and not needs.whole:
        # Its choices come before all of the code but the line that ran and the next one.
        words = max(words, min(needs.question_rows, height - 2))
    words = min(words, max(1, height - 1))
    code = min(needs.code_rows, height - words)
    column = _Column(0, width, 0, height)
    if width >= WIDE:
        left, right = _split(width, height, 58)
        panels = right.stack((TABS, 1), (needs.chosen, 0))
        return Plan(left.stack(("code", code), (_words(needs), 0)) | panels, needs.panels)
    return Plan(column.stack(("code", code), (_words(needs), 0)))


def _one_column(width: int, height: int, needs: Needs) -> Plan:
    edge = frame(height + needs.task_rows)
    column = _Column(0, width, 0, height)
    if needs.editing:
        return Plan(
            column.stack(("code", height * 3 // 5), (TABS, 1), (needs.chosen, 0)), needs.panels
        )
    code = _code(height, needs, share=38)
    left = height - code
    if needs.question_rows is not None:
        keep = 2 if needs.replied or needs.whole else 5
        words = min(needs.question_rows + edge, max(left - keep, left // 2))
    else:
        words = min(max(3, needs.narration_rows) + edge, max(3 + edge, left * 3 // 5))
    parts = [("code", code), (_words(needs), words)]
    rest = left - words
    if needs.question_rows is not None and rest >= 14 + edge:
        parts.append(("narration", 3 + edge))
        rest -= 3 + edge
    if rest >= 18:
        parts += [("state", rest // 2), (TABS, 1), (_beside(needs, needs.panels[1:]), 0)]
        return Plan(column.stack(*parts), needs.panels[1:])
    return Plan(column.stack(*parts, (TABS, 1), (needs.chosen, 0)), needs.panels)


def _two_columns(width: int, height: int, needs: Needs) -> Plan:
    left, right = _split(width, height, WORDS_OF_TWO)
    regions = _words_column(left, needs, spare="why" if needs.explained else "timeline")
    shared = needs.panels[1:]
    if height + needs.bars >= TALL:
        shared = tuple(name for name in needs.panels[2:] if name not in regions)
        seen = _beside(needs, shared)
        *shares, _ = _shares(height - 1, (("state", 1), ("graph", 1), (seen, 1)), needs)
        regions |= right.stack(*shares, (TABS, 1), (seen, 0))
    elif height >= 18:
        tabbed = (TABS, 1), (_beside(needs, shared), 0)
        regions |= right.stack(("state", max(6, height * 2 // 5)), *tabbed)
    else:
        shared = needs.panels
        regions |= right.stack((TABS, 1), (needs.chosen, 0))
    return Plan(regions, shared)


def _three_columns(width: int, height: int, needs: Needs) -> Plan:
    left, rest = _split(width, height, WORDS_OF_THREE)
    middle, right = _split(rest.width, height, 56, x=rest.x)
    regions = _words_column(left, needs, spare="output")
    if height + needs.bars < TALL:
        shared = tuple(name for name in needs.panels[2:] if name not in regions)
        regions |= middle.stack(*_shares(height, (("state", 1), ("graph", 1)), needs))
        regions |= right.stack((TABS, 1), (_beside(needs, shared), 0))
        return Plan(regions, shared)
    parts = [("state", 4), ("lanes", 3)]
    if "output" not in regions:
        parts.append(("output", 3))
    regions |= middle.stack(*_shares(height, parts, needs))
    regions |= right.stack(*_shares(height, (("graph", 4), ("why", 3), ("timeline", 3)), needs))
    return Plan(regions)


def _shares(height: int, parts: Sequence[tuple[str, int]], needs: Needs) -> list[tuple[str, int]]:
    """Share a height by weight; who has more than it can show gives to those who have less.

    Without anybody in need all stay as they are, however little they have to show: what
    moves at every step can't be read.
    """
    edge, weights = frame(height), sum(weight for _, weight in parts)
    fair = {name: height * weight // weights for name, weight in parts}
    wanted = {name: max(LEAST, needs.rows.get(name, fair[name] - edge)) + edge for name in fair}
    spare = {name: max(0, fair[name] - wanted[name]) for name in fair}
    lack = {name: max(0, wanted[name] - fair[name]) for name in fair}
    moved = min(sum(spare.values()), sum(lack.values()))
    for those, sign in ((spare, -1), (lack, 1)):
        left = sum(those.values())
        to_move = moved
        for name, most in those.items():
            part = 0 if left == 0 else -(-to_move * most // left)
            fair[name] += sign * part
            to_move, left = to_move - part, left - most
    return list(fair.items())


def _words_column(column: _Column, needs: Needs, *, spare: str) -> dict[str, Region]:
    """Code, question and narration; below them another panel where much is left."""
    height, edge = column.height, frame(column.height)
    if needs.editing:
        return column.stack(("code", 0))
    code = _code(height, needs, share=50)
    left = height - code
    parts = [("code", code)]
    if needs.question_rows is not None:
        keep = 4 + edge if left >= 16 else 0
        question = min(needs.question_rows + edge, left - keep)
        parts.append(("question", question))
        left -= question
        if keep == 0:
            return column.stack(*parts)
    words = max(4, needs.narration_rows) + edge
    if left - words >= 8 and height + needs.bars >= TALL:
        return column.stack(*parts, ("narration", words), (spare, 0))
    return column.stack(*parts, ("narration", 0))


def _code(height: int, needs: Needs, *, share: int) -> int:
    """Return the rows of the code panel: what it needs, up to a share of the height."""
    edge = frame(height + needs.task_rows)
    share = max(share, 60) if needs.whole else share
    return max(3 + edge, min(needs.code_rows + edge, height * share // 100))


def _split(width: int, height: int, share: int, *, x: int = 0) -> tuple[_Column, _Column]:
    left = width * share // 100
    return _Column(x, left, 0, height), _Column(x + left, width - left, 0, height)


def _words(needs: Needs) -> str:
    return "narration" if needs.question_rows is None else "question"


def _beside(needs: Needs, shared: tuple[str, ...]) -> str:
    """Return which of the panels that share the tabs is seen."""
    for name in (needs.chosen, needs.companion):
        if name in shared:
            return name
    return "lanes" if "lanes" in shared else next(iter(shared), needs.chosen)
