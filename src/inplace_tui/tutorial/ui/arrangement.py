"""Where every panel goes at every size. Pure: a size and the needs in, regions out.

Nothing in the needs changes from step to step but whether a card is open: while one steps,
a panel that is seen stays where it is. A card (a question, or what a lesson closes with)
has a place of its own, over the same panels whenever it opens.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual.geometry import Region

TABS = "tabs"
TASK = "task"
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

    @property
    def bars(self) -> int:
        """Lines of the screen that the panels below do not have."""
        return BARS + self.task_rows


@dataclass(frozen=True)
class Plan:
    """Where to put what is seen; everything else is hidden."""

    regions: dict[str, Region]
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


def covers_words(width: int, height: int, needs: Needs) -> bool:
    """Whether a card stands where the words beside a step are seen without one."""
    card = replace(needs, zoomed=None, card="question")
    return "narration" not in plan(width, height, card).regions


def _planned(width: int, height: int, needs: Needs) -> Plan:
    if needs.zoomed == TASK:
        return Plan({})
    if needs.zoomed is not None:
        return _zoomed(width, height, needs.zoomed, needs.panels)
    if height + needs.bars < SHORT:
        planned = _flat(width, height, needs)
    elif needs.presented:
        planned = _presented(width, height, needs)
    elif width < WIDE:
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
    left, right = _split(width, height, width if width < WIDE else width * 62 // 100)
    code = min(needs.code_rows + edge, max(height // 2, height - CARD))
    regions = left.stack(("code", max(3, code)), ("narration", 0))
    if width >= WIDE:
        regions |= right.stack((needs.chosen, 0))
    return Plan(regions, (), (("narration",),))


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
    if needs.card is not None and not needs.whole:
        # Its choices come before all of the code but the line that ran and the next one.
        words = max(words, height - 2)
    words = min(words, max(1, height - 1))
    code = min(needs.code_rows, height - words)
    cover = (("narration",),)
    if width >= WIDE:
        left, right = _split(width, height, width * 58 // 100)
        panels = right.stack((TABS, 1), (needs.chosen, 0))
        return Plan(left.stack(("code", code), ("narration", 0)) | panels, needs.panels, cover)
    column = _Column(0, width, 0, height)
    return Plan(column.stack(("code", code), ("narration", 0)), (), cover)


def _one_column(width: int, height: int, needs: Needs) -> Plan:
    edge = frame(height + needs.task_rows)
    column = _Column(0, width, 0, height)
    if needs.editing:
        return Plan(
            column.stack(("code", height * 3 // 5), (TABS, 1), (needs.chosen, 0)), needs.panels
        )
    code = _code(height, needs, share=44 if needs.task_stays else 38)
    words = WORDS + edge
    parts = [("code", code), ("narration", words)]
    rest = height - code - words
    if rest < 18:
        below = needs.chosen
        cover: tuple[tuple[str, ...], ...] = (("narration",), (TABS, below))
        return Plan(column.stack(*parts, (TABS, 1), (below, 0)), needs.panels, cover)
    below = _beside(needs, needs.panels[1:])
    cover = (("narration",), ("state",), (TABS, below))
    parts += [("state", rest // 2), (TABS, 1), (below, 0)]
    return Plan(column.stack(*parts), needs.panels[1:], cover)


def _two_columns(width: int, height: int, needs: Needs) -> Plan:
    words = _words_width(width, needs, WORDS_OF_TWO, PANELS_OF_ONE)
    left, right = _split(width, height, words)
    regions = _words_column(left, needs)
    cover = _covered(regions)
    shared = needs.panels[1:]
    if height + needs.bars >= TALL:
        fixed = [(name, 1) for name in ("state", "graph") if name in needs.panels]
        shared = tuple(name for name in shared if name != "graph" and name not in regions)
        if shared:
            seen = _beside(needs, shared)
            *shares, _ = _shares(height - 1, *fixed, (seen, 1))
            regions |= right.stack(*shares, (TABS, 1), (seen, 0))
        else:
            regions |= right.stack(*_shares(height, *fixed))
    elif height >= 18:
        tabbed = (TABS, 1), (_beside(needs, shared), 0)
        regions |= right.stack(("state", max(6, height * 2 // 5)), *tabbed)
    else:
        shared = needs.panels
        regions |= right.stack((TABS, 1), (needs.chosen, 0))
    return Plan(regions, shared, cover)


def _three_columns(width: int, height: int, needs: Needs) -> Plan:
    if not {"graph", "lanes"} <= {*needs.panels}:
        return _two_columns(width, height, needs)
    words = _words_width(width, needs, WORDS_OF_THREE, PANELS_OF_TWO)
    left, rest = _split(width, height, words)
    # The timeline quotes the code; the table can spare as much as half of what is left.
    lines = max(rest.width * 44 // 100, min(needs.code_width + QUOTES, rest.width // 2))
    middle, right = _split(rest.width, height, rest.width - lines, x=rest.x)
    regions = _words_column(left, needs)
    cover = _covered(regions)
    if height + needs.bars < TALL:
        shared = tuple(name for name in needs.panels[2:] if name not in regions)
        regions |= middle.stack(*_shares(height, ("state", 1), ("graph", 1)))
        regions |= right.stack((TABS, 1), (_beside(needs, shared), 0))
        return Plan(regions, shared, cover)
    # There is a lane for each storage that ever was, and a row for each tensor that is.
    regions |= middle.stack(*_shares(height, ("state", 3), ("lanes", 4)))
    below = (("why", 3), ("timeline", 3), ("output", 2))
    parts = [each for each in below if each[0] in needs.panels and each[0] not in regions]
    known = {*regions, "graph", *(name for name, _ in parts)}
    others = tuple(name for name in needs.panels if name not in known)
    if not others:
        return Plan(regions | right.stack(*_shares(height, ("graph", 4), *parts)), (), cover)
    # A panel that has no place of its own shares the last one.
    *parts, (last, weight) = ("graph", 4), *parts
    shared = (last, *others)
    *shares, _ = _shares(height - 1, *parts, (last, weight))
    regions |= right.stack(*shares, (TABS, 1), (_beside(needs, shared), 0))
    return Plan(regions, shared, cover)


def _covered(column: dict[str, Region]) -> tuple[tuple[str, ...], ...]:
    """Return what a card covers in a column of code and words: what is asked is not explained."""
    return tuple((name,) for name in ("why", "narration") if name in column)


def _shares(height: int, *parts: tuple[str, int]) -> list[tuple[str, int]]:
    weights = sum(weight for _, weight in parts)
    return [(name, height * weight // weights) for name, weight in parts]


def _words_column(column: _Column, needs: Needs) -> dict[str, Region]:
    """Code and narration; below them the explanation where much is left."""
    height, edge = column.height, frame(column.height)
    if needs.editing:
        return column.stack(("code", 0))
    words = WORDS + 1 + edge
    code = _code(height, needs, share=50)
    # What the others leave goes to the code, as far as a card has room below it.
    least = words + WHY if {*needs.panels} <= {*FIRST} else CARD
    code = max(code, min(needs.code_rows + edge, height - least))
    if height - code - words >= WHY and height + needs.bars >= TALL:
        return column.stack(("code", code), ("narration", words), ("why", 0))
    return column.stack(("code", code), ("narration", 0))


def _code(height: int, needs: Needs, *, share: int) -> int:
    """Return the rows of the code panel: what it needs, up to a share of the height."""
    edge = frame(height + needs.task_rows)
    share = max(share, 60) if needs.whole else share
    return max(3 + edge, min(needs.code_rows + edge, height * share // 100))


def _split(width: int, height: int, left: int, *, x: int = 0) -> tuple[_Column, _Column]:
    return _Column(x, left, 0, height), _Column(x + left, width - left, 0, height)


def _beside(needs: Needs, shared: tuple[str, ...]) -> str:
    """Return which of the panels that share the tabs is seen."""
    for name in (needs.chosen, needs.companion):
        if name in shared:
            return name
    return "lanes" if "lanes" in shared else next(iter(shared), needs.chosen)
