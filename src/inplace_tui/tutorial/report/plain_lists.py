"""What panels draw, as lists: the graph by numbers, the lives of storages in words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from inplace_tui.common.cells import wrap, wrapped
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.snapshot import letter
from inplace_tui.common.texts import say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.common.texts.lanes import LaneTexts
from inplace_tui.tutorial.activity.session.view import HIDDEN, View
from inplace_tui.tutorial.present.graph import Drawing, Facts, nothing
from inplace_tui.tutorial.present.lanes import (
    GRADIENT,
    LaneLayout,
    LaneOptions,
    describe,
    version_at_cursor,
    visible_until,
)
from inplace_tui.tutorial.state.graph_layout import GAP, OPENED, GraphLayout, RowSource
from inplace_tui.tutorial.state.lifetimes import LifetimeRow

UNCUT = 10_000
"""Cells in which nothing is left out: rows are wrapped, not cut."""

NO_EDGE = "·"
"""An input that needs no gradient."""

MAX_LANES = 60
"""Storages that are listed; there may be one for every line of a loop."""

MAX_EVENTS = 6
"""Of one lane, in the list; all of them are printed of the one that is asked for."""


class Numbered:
    """A graph whose nodes have numbers, the same whatever is folded; edges are such numbers."""

    def __init__(self, view: View, language: str, *, fold: bool) -> None:
        self._layout = layout = GraphLayout(fold=fold)
        self._facts = Facts(view, language)
        self._facts.follow(layout)
        self._drawing = Drawing(self._facts, layout, UNCUT)
        self._language = language

    def node(self, number: int) -> int | None:
        order = self._layout.order.keys
        return order[number - 1] if 0 < number <= len(order) else None

    @property
    def failed(self) -> frozenset[int]:
        raised = self._facts.progress.raised
        return frozenset() if raised is None else frozenset({raised})

    def rows(self, room: int, only: frozenset[int] | None = None) -> list[Row]:
        if not self._facts.nodes:
            return wrapped([nothing(self._facts.view, self._language)], room)
        found: list[Row] = []
        for index in range(len(self._layout)):
            place = self._layout.at(index)
            if place.part in (GAP, OPENED) or (only is not None and place.key not in only):
                continue
            lead = "      " if place.part else f"{self._numbers(place.key):>3} "
            target = Target(node=place.key, line=self._facts.nodes[place.key].line)
            for at, line in enumerate(wrap(self._words(place), max(8, room - 6))):
                found.append(Row((Span("      " if at else lead, Style.DIM), *line), target))
        return found

    def way(self, room: int) -> list[Row]:
        """Return how a backward that failed came to where it did."""
        path = self._facts.progress.path
        if not path:
            return []
        text = say(GraphTexts.way, self._language, names=" → ".join(map(self._named, path)))
        raised = say(GraphTexts.raised, self._language)
        return wrapped([Span(f"{text} ✗ {raised}", Style.ERROR)], room)

    def _numbers(self, key: int) -> str:
        nodes = [self._layout.rank(node) + 1 for node in self._layout.nodes(key)]
        return f"{nodes[0]}" if len(nodes) == 1 else f"{nodes[0]}–{nodes[-1]}"

    def _named(self, node: int) -> str:
        return f"{self._layout.rank(node) + 1} {self._facts.title(self._facts.nodes[node])}"

    def _words(self, place: RowSource) -> list[Span]:
        """Return a row's words; the padding that makes columns is left out."""
        glyph, *words = self._drawing.words(place, 0)
        if place.part:
            return words
        key = place.key
        # They are printed with their numbers instead.
        folded, node = key in self._layout.folded, self._facts.nodes[key]
        inputs = "" if folded else self._facts.inputs(node, UNCUT)
        texts = ((word.text.strip(), word.style) for word in words)
        columns = [Span(text, style) for text, style in texts if text and text != inputs]
        if edges := self._edges(key):
            columns.append(Span(say(GraphTexts.gives_to, self._language, names=edges)))
        spans = [Span(f"{glyph.text} ", glyph.style)]
        for at, column in enumerate(columns):
            spans += [Span("  "), column] if at else [column]
        return spans

    def _edges(self, key: int) -> str:
        """Name the nodes to which gradients go from here, input by input."""
        nodes, layout = self._facts.nodes, self._layout
        if key in layout.folded:
            inside = {*layout.nodes(key)}
            targets = [
                to for node in inside for to in layout.order.targets(node) if to not in inside
            ]
            named = [self._named(to) for to in dict.fromkeys(sorted(targets, key=layout.rank))]
            return ", ".join(named)
        edges = [None if edge is None else edge.node for edge in nodes[key].inputs]
        return ", ".join(NO_EDGE if e is None or e not in nodes else self._named(e) for e in edges)


def lives(view: View, room: int, language: str) -> list[Row]:
    """Return a row or two for every storage, in the order of the lanes."""
    layout = LaneLayout(view, room, LaneOptions(height=MAX_LANES), language)
    if not len(layout.lanes):
        return [Row((Span(say(LaneTexts.none, language), Style.DIM),))]
    found: list[Row] = []
    for lane in layout.lanes[:MAX_LANES]:
        events = _events(layout, lane)
        left = max(0, bisect_right(events, view.cursor) - MAX_EVENTS)
        parts = [say(LaneTexts.earlier, language, count=left)] if left else []
        parts += [_event_text(layout, lane, step) for step in events[left:][: MAX_EVENTS + 1]]
        lines = wrap(
            [*_head(layout, lane), Span(say(LaneTexts.then, language).join(parts))], room - 4
        )
        target = Target(tensor=layout.tensor(lane))
        for at, line in enumerate(lines):
            found.append(Row((Span("    ") if at else _lead(lane), *line), target))
    if len(layout.lanes) > MAX_LANES:
        more = say(LaneTexts.most, language, count=len(layout.lanes) - MAX_LANES)
        found.append(Row((Span(more, Style.DIM),)))
    return found


def life(view: View, storage: int, room: int, language: str) -> list[Row]:
    """Return all that happened to one storage and to the tensors on it, a row a step."""
    layout = LaneLayout(view, room, LaneOptions(height=MAX_LANES), language)
    found: list[Row] = []
    for lane in layout.lanes:
        if lane.storage != storage:
            continue
        found += [Row((_lead(lane), *line)) for line in wrap(_head(layout, lane), room - 4)]
        found += [
            Row((Span("    "), *line))
            for step in _events(layout, lane)
            for line in wrap([Span(_event_text(layout, lane, step))], room - 4)
        ]
    return found


def storage_called(view: View, name: str) -> int | None:
    """Return the storage of a letter, as far as it may be known."""
    index = view.timeline.index
    return next(
        (
            storage
            for storage, rank in index.ranks.items()
            if letter(rank) == name and index.lives[storage].born < visible_until(view)
        ),
        None,
    )


def _lead(lane: LifetimeRow) -> Span:
    return Span("" if lane.tensor is None else "  └ ", Style.DIM)


def _head(layout: LaneLayout, lane: LifetimeRow) -> tuple[Span, ...]:
    """Name a lane, with its version at the cursor and whether something saved is stale."""
    view = layout.view
    rank = letter(view.timeline.index.ranks[lane.storage])
    name, look = layout.name(lane)
    if lane.tensor is not None:
        beside = say(LaneTexts.beside, layout.language, letter=rank)
        return Span(name, look), Span(
            f" {say(LaneTexts.life, layout.language, name=beside)}", Style.DIM
        )
    gradient = GRADIENT if layout.is_gradient(lane) else ""
    version, state, stale = version_at_cursor(layout, lane)
    now = [Span(f"  {version}", state)] if version else []
    if stale:
        now.append(Span(" !", Style.STALE))
    return (
        Span(f"{rank}  ", Style.STRONG),
        Span(f"{gradient}{name}", look),
        *now,
        Span(say(LaneTexts.life, layout.language, name="")),
    )


def _events(layout: LaneLayout, lane: LifetimeRow) -> Sequence[int]:
    """Return the steps at which something happened to a lane, as far as they may be shown."""
    index = layout.view.timeline.index
    whole = index.lives[lane.storage]
    begins = whole.born if lane.tensor is None else lane.begins
    found = {begins}
    if not layout.hidden(lane) and not layout.view.mask.saves:
        ends = whole.freed if lane.tensor is None else lane.ends
        found |= set() if ends is None else {ends}
        if lane.tensor is None:
            found |= {step for step, _ in (*whole.writes, *whole.held)}
            found |= set() if layout.view.mask.outcome else {step for step, _ in whole.stale}
        else:
            last = layout.until if ends is None else ends
            found |= {s for s in index.written.get(lane.tensor, ()) if begins <= s <= last}
    return sorted(step for step in found if step < layout.until)


def _event_text(layout: LaneLayout, lane: LifetimeRow, step: int) -> str:
    language = layout.language
    line = line_name(layout.view.source, layout.view.timeline.steps[step].line)
    text = describe(layout, lane, range(step, step + 1))
    if layout.hidden(lane) or layout.view.mask.saves:
        text = f"{say(LaneTexts.made, language)}, {HIDDEN}"
    when = say(LaneTexts.at, language, step=f"{step + 1:,}", line=line)
    if step > layout.view.cursor:
        when = say(LaneTexts.ahead, language, when=when)
    return say(LaneTexts.happened, language, when=when, event=text)
