"""Where every panel goes at every size. Pure: a size and the needs in, regions out.

Nothing in the needs changes from step to step but whether a card is open: while one steps,
a panel that is seen stays where it is. A card (a question, or what a lesson closes with)
has a place of its own, over the same panels whenever it opens.

Panels below each other share the height by what each needs in the whole run: none has rows to
spare while another one lacks some.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from types import MappingProxyType
from typing import NamedTuple

from textual.geometry import Region

TABS = "tabs"
TASK = "task"
BESIDE = "beside"
WIDE, VAST = 100, 160
SHORT, TALL, HIGH = 20, 34, 50
WORDS_OF_TWO, WORDS_OF_THREE = 54, 32
"""Percent of the width that code and words have at least beside one column of panels, and two."""

PANELS_OF_ONE, PANELS_OF_TWO = 50, 112
"""Cells that one column of panels keeps, and two: long lines of code take what they can spare."""

MARGIN, NOTES = 4, 26
"""Cells beside the longest line of code: for frame and scroll bar, and with notes where all
panels are seen."""

QUOTES = 10
"""Cells beside the longest line of code where the timeline quotes it."""

FIRST = "state", "why"
"""The panels of a newcomer, for whom the others wait."""

WHY = 8
"""Rows of the explanation below code and words, at least."""

WORDS = 3
"""Rows of the words beside a step; one more where they have less than the whole width."""

CARD = 18
"""Rows that a card covers at least, with its frame, where there are so many."""

LEAST = 3
"""Rows of a panel at least, beside its frame, however much another one needs."""

UNKNOWN = 999
"""Rows that a panel is taken to need until the run was measured: no share is too large."""

BARS = 3
"""Lines of the screen that the stage does not have: title, status, keys."""


@dataclass(frozen=True)
class Needs:
    """What the arrangement has to know: of the program, the page, and what the learner chose."""

    code_rows: int
    code_width: int = 0
    """Cells of the longest line of code."""

    panels: tuple[str, ...] = ()
    """The ids of the panels beside code and words, in the order of their tabs."""

    whole: bool = False
    """The program is all there is to answer from: it is seen whole, and the panels can wait."""

    rows: tuple[tuple[str, int], ...] = ()
    """Rows that panels need at most in this run, by their ids; unknown of those that are not there.
    """

    fault_rows: int = 0
    """Lines from the first with a part in a failure to the last one: there is something to explain,
    and no question hides it. Then that comes first."""

    beside_rows: int = 0
    """Rows of another file that has to do with the failure; 0 where there is none."""

    card_rows: int = UNKNOWN
    """Rows of the largest card that may open."""

    card: str | None = None
    chosen: str = "state"
    companion: str = "lanes"
    """The last one asked for of those that share tabs beside a fixed table and graph."""

    presented: bool = False
    """Everybody looks at it from afar: the code, the words and one panel."""

    zoomed: str | None = None
    editing: bool = False
    """The code is being typed: the editor takes the room of the words, too."""

    task_rows: int = 0
    """Rows of the task that stands above everything; 0 where there is none."""

    task_stays: bool = False
    """The task is seen beside a zoomed panel too."""

    def wants(self, name: str, edge: int) -> int:
        """Return the rows of a panel that shows all that it ever has to show."""
        return dict(self.rows).get(name, UNKNOWN) + edge

    @property
    def bars(self) -> int:
        """Lines of the screen that the panels below do not have."""
        return BARS + self.task_rows


@dataclass(frozen=True)
class Plan:
    """Where to put what is seen; everything else is hidden."""

    regions: Mapping[str, Region]
    tabs: tuple[str, ...] = ()
    cover: tuple[tuple[str, ...], ...] = ()
    """What a card may cover, the first before the others; those of a group together."""

    def with_card(self, card: str) -> Plan:
        regions, room = dict(self.regions), Region()
        for group in self.cover:
            if room.height >= CARD:
                break
            for name in group:
                if name in regions:
                    region = regions.pop(name)
                    room = region.union(room) if room else region
        return Plan(regions | {card: room}, self.tabs if TABS in regions else ())


@dataclass(frozen=True)
class _Column:
    x: int
    width: int
    height: int
    needs: Needs

    def stack(self, *parts: tuple[str, int]) -> dict[str, Region]:
        """Return the parts below each other; what is left goes to the last."""
        y, regions = 0, dict[str, Region]()
        for place, (name, height) in enumerate(parts, 1):
            left = self.height - y
            rows = left if place == len(parts) else min(height, left)
            if rows > 0:
                regions[name] = Region(self.x, y, self.width, rows)
                y += rows
        return regions

    def split(self, left: int) -> tuple[_Column, _Column]:
        rest = replace(self, x=self.x + left, width=self.width - left)
        return replace(self, width=left), rest

    def share(
        self, parts: Sequence[_Share], tabs: Sequence[str] = (), weight: int = 1
    ) -> dict[str, Region]:
        """Return the parts below each other; below them those of `tabs`, which share a place."""
        if not tabs:
            return self.stack(*_filled(self.height, *parts))
        edge = max(0, frame(self.height + self.needs.task_rows) - 1)
        # Whichever is in front, the others have the same place.
        wants = max(self.needs.wants(name, edge) for name in tabs)
        last = _Share(_beside(self.needs, tabs), wants, 2 * LEAST, weight, grows=True)
        *filled, seen = _filled(self.height - 1, *parts, last)
        return self.stack(*filled, (TABS, 1), seen)


class _Share(NamedTuple):
    """A panel that shares a height with others."""

    name: str
    wants: int
    least: int
    weight: int = 1
    grows: bool = False
    """It takes a part of what is left over."""


def _filled(height: int, *parts: _Share) -> list[tuple[str, int]]:
    """Return the rows of each, by weight: none gets more than it wants while another lacks some.

    What all of them together leave is room for what is opened in them; without them, for the last.
    """
    given = dict[str, int]()
    if not parts:
        return []
    for each in parts:  # where not even the least has room, what is above comes first
        given[each.name] = min(each.wants, each.least, height - sum(given.values()))
    growing = [each for each in parts if each.grows] or parts[-1:]
    for _ in range(height - sum(given.values())):
        lacking = [each for each in parts if given[each.name] < each.wants]
        if lacking:
            gets = min(lacking, key=lambda part: given[part.name] / part.weight)
        else:
            gets = min(growing, key=lambda part: given[part.name] - part.wants)
        given[gets.name] += 1
    return [*given.items()]


def frame(height: int) -> int:
    """Return how many rows the frame of a panel takes on a stage of this height."""
    if height + BARS < SHORT:
        return 0
    return 1 if height + BARS < TALL else 2


@lru_cache(maxsize=64)
def plan(width: int, height: int, needs: Needs) -> Plan:
    if width <= 0 or height <= 0:
        return Plan({})
    rows = _task(height, needs)
    planned = _planned(width, height - rows, replace(needs, task_rows=rows))
    regions = {name: place.translate((0, rows)) for name, place in planned.regions.items()}
    if needs.editing and "code" in regions:
        regions["editor"] = regions.pop("code")
    if rows:
        regions["task"] = Region(0, 0, width, rows)
    return Plan(MappingProxyType(regions), planned.tabs)


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


def _planned(width: int, height: int, needs: Needs) -> Plan:
    if needs.zoomed == TASK:
        return Plan({})
    if needs.zoomed is not None:
        if needs.zoomed not in needs.panels or height < 3:
            return Plan({needs.zoomed: Region(0, 0, width, height)})
        below = Region(0, 1, width, height - 1)
        return Plan({TABS: Region(0, 0, width, 1), needs.zoomed: below}, needs.panels)
    if height + needs.bars < SHORT:
        planned = _flat(width, height, needs)
    elif needs.presented:
        planned = _presented(width, height, needs)
    elif width < WIDE or not needs.panels:
        planned = _one_column(width, height, needs)
    elif width < VAST:
        planned = _two_columns(width, height, needs)
    else:
        planned = _three_columns(width, height, needs)
    if needs.card is None or needs.editing:
        return planned
    return planned.with_card(needs.card)


def _words_width(width: int, needs: Needs, percent: int, panels: int) -> int:
    """Return the cells of the column of code and words: what the code needs, if there are any."""
    beside = MARGIN if width < VAST else NOTES
    return max(width * percent // 100, min(needs.code_width + beside, width - panels))


def _presented(width: int, height: int, needs: Needs) -> Plan:
    """The code first, and beside it or over it one panel, chosen by its digit."""
    edge = frame(height)
    whole = _Column(0, width, height, needs)
    left, right = whole.split(width if width < WIDE else width * 62 // 100)
    code = min(needs.code_rows + edge, max(height // 2, height - CARD))
    regions = left.stack(("code", max(3, code)), ("narration", 0))
    if width >= WIDE:
        regions |= right.stack((needs.chosen, 0))
    return Plan(regions, (), (("narration",),))


def _flat(width: int, height: int, needs: Needs) -> Plan:
    """Code and words only; the numbered panels open over them."""
    if needs.editing:
        return Plan({"code": Region(0, 0, width, height)})
    words = max(2, height // 2)
    if needs.card is not None and not needs.whole:
        # Its choices come before all of the code but the line that ran and the next one.
        words = max(words, height - 2)
    words = min(words, max(1, height - 1))
    code = min(needs.code_rows, height - words)
    column, cover = _Column(0, width, height, needs), (("narration",),)
    if width >= WIDE and needs.panels:
        left, right = column.split(width * 58 // 100)
        panels = right.stack((TABS, 1), (needs.chosen, 0))
        return Plan(left.stack(("code", code), ("narration", 0)) | panels, needs.panels, cover)
    return Plan(column.stack(("code", code), ("narration", 0)), (), cover)


def _one_column(width: int, height: int, needs: Needs) -> Plan:
    edge = frame(height + needs.task_rows)
    column = _Column(0, width, height, needs)
    if needs.editing:
        regions = column.stack(("code", height * 3 // 5), (TABS, 1), (needs.chosen, 0))
        return Plan(regions, needs.panels)
    code = _code(height, needs, share=44 if needs.task_stays else 38)
    words = WORDS + edge
    roomy = height - code - words >= 18 and len(needs.panels) > 1
    fixed = _panels(needs, edge, ("state", 2)) if roomy else []
    shared = needs.panels[len(fixed) :]
    # The code may have what neither a card needs nor the words and some rows below them.
    most = height - max(needs.card_rows + edge, words + 1 + 2 * LEAST)
    parts = _of_code(needs, edge, code, max(code, most), height)
    parts.append(_Share("narration", words, words))
    regions = column.share([*parts, *fixed], shared, 3)
    below = [name for name in regions if name in shared]
    cover = (("narration",), *((each.name,) for each in fixed), (TABS, *below))
    return Plan(regions, shared, cover)


def _of_code(needs: Needs, edge: int, claim: int, most: int, height: int) -> list[_Share]:
    """Return the code, and the other file of a failure.

    The code has what it claims, but at a failure: then what explains it may have most.
    """
    is_short = needs.code_rows + edge <= height * 2 // 3
    beside = 1 if height + needs.bars < TALL else 2
    weight = 6 if is_short and not needs.fault_rows else beside
    fault = max(LEAST, needs.fault_rows) + edge
    least = claim if not needs.fault_rows else fault if fault <= claim else LEAST + edge
    parts = [_Share("code", min(needs.code_rows + edge, most), least, weight)]
    if needs.beside_rows:
        parts.append(_Share(BESIDE, needs.beside_rows + edge, LEAST + edge, beside))
    return parts


def _panels(needs: Needs, edge: int, *weights: tuple[str, int]) -> list[_Share]:
    return [
        _Share(name, needs.wants(name, edge), LEAST + edge, weight, grows=True)
        for name, weight in weights
        if name in needs.panels
    ]


def _two_columns(width: int, height: int, needs: Needs) -> Plan:
    words = _words_width(width, needs, WORDS_OF_TWO, PANELS_OF_ONE)
    left, right = _Column(0, width, height, needs).split(words)
    regions = left.share(_words(height, needs))
    cover, edge = _covered(regions), frame(height + needs.task_rows)
    shared = tuple(name for name in needs.panels if name != "state")
    if height + needs.bars >= TALL:
        parts = _panels(needs, edge, ("state", 1), ("graph", 2 if needs.rows else 1))
        shared = tuple(name for name in shared if name != "graph" and name not in regions)
        regions |= right.share(parts, shared)
    elif height >= 18:
        regions |= right.share(_panels(needs, edge, ("state", 2)), shared, 3)
    else:
        shared = needs.panels
        regions |= right.stack((TABS, 1), (needs.chosen, 0))
    return Plan(regions, shared, cover)


def _three_columns(width: int, height: int, needs: Needs) -> Plan:
    if not {"graph", "lanes"} <= {*needs.panels}:
        return _two_columns(width, height, needs)
    words = _words_width(width, needs, WORDS_OF_THREE, PANELS_OF_TWO)
    left, rest = _Column(0, width, height, needs).split(words)
    # The timeline quotes the code; the table can spare as much as half of what is left.
    lines = max(rest.width * 44 // 100, min(needs.code_width + QUOTES, rest.width // 2))
    middle, right = rest.split(rest.width - lines)
    first, edge = _words(height, needs), frame(height + needs.task_rows)
    cover, named = _covered(each.name for each in first), {each.name for each in first}
    if height + needs.bars < TALL:
        shared = tuple(name for name in needs.panels[2:] if name not in named)
        regions = left.share(first)
        regions |= middle.share(_panels(needs, edge, ("state", 1), ("graph", 1)))
        regions |= right.stack((TABS, 1), (_beside(needs, shared), 0))
        return Plan(regions, shared, cover)
    # There is a lane for each storage that ever was, and a row for each tensor that is.
    second = _panels(needs, edge, ("state", 3), ("lanes", 4))
    below = (("graph", 4), ("why", 3), ("timeline", 3), ("output", 2))
    third = _panels(needs, edge, *(each for each in below if each[0] not in named))
    _spread(height, *([] if needs.card_rows else [first]), second, third)
    known = {each.name for each in (*first, *second, *third)}
    others = tuple(name for name in needs.panels if name not in known)
    # A panel that has no place of its own shares the last one.
    last = third.pop() if others else None
    shared = () if last is None else (last.name, *others)
    regions = left.share(first) | middle.share(second)
    regions |= right.share(third, shared, 1 if last is None else last.weight)
    return Plan(regions, shared, cover)


def _spread(height: int, *columns: list[_Share]) -> None:
    """Have no panel cut, nor cut another, that has more rows in a column where it cuts none.

    A card may need what the column of code and words leaves: that is only one of them without.
    """
    # Again, as what leaves a column may make room there for another one.
    for column, other in (*permutations(columns, 2),) * len(columns):
        for each in [each for each in reversed(column[1:]) if each.grows]:
            if sum(part.wants for part in column) > height:
                here, there = dict(_filled(height, *column)), dict(_filled(height, *other, each))
                more = there[each.name] >= min(each.wants, here[each.name] + 1)
                if more and all(there[part.name] >= part.wants for part in other):
                    column.remove(each)
                    other.append(each)


def _covered(column: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return what a card covers in a column of code and words: what is asked is not explained."""
    return tuple((name,) for name in ("why", "narration") if name in {*column})


def _words(height: int, needs: Needs) -> list[_Share]:
    """Return code and narration; below them the explanation where much is left."""
    edge = frame(height)
    if needs.editing:
        return [_Share("code", height, height)]
    words = WORDS + 1 + edge
    code = _code(height, needs, share=50)
    # What the others leave goes to the code, as far as a card has room below it.
    least = words + WHY if {*needs.panels} <= {*FIRST} else CARD
    code = max(code, min(needs.code_rows + edge, height - least))
    has_why = height - code - words >= WHY and height + needs.bars >= TALL
    parts = _of_code(needs, edge, code, height if has_why else code, height)
    parts.append(_Share("narration", words, words))
    if has_why:
        parts += _panels(needs, frame(height + needs.task_rows), ("why", 3))
    return parts


def _code(height: int, needs: Needs, *, share: int) -> int:
    """Return the rows of the code panel: what it needs, up to a share of the height."""
    edge = frame(height + needs.task_rows)
    share = max(share, 60) if needs.whole else share
    return max(3 + edge, min(needs.code_rows + edge, height * share // 100))


def _beside(needs: Needs, shared: Sequence[str]) -> str:
    """Return which of the panels that share the tabs is seen."""
    for name in (needs.chosen, needs.companion):
        if name in shared:
            return name
    return "lanes" if "lanes" in shared else next(iter(shared), needs.chosen)
