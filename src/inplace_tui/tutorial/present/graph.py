"""The backward graph: a node a row, what it saved under it, its edges beside it."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.common.cells import clip_spans, pad, spans_width, wrapped
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.common.run.files import line_name, part_of, place_of
from inplace_tui.common.run.snapshot import Node, Saved
from inplace_tui.common.run.values import run_format, spell
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.diagnosis.blame.backward_progress import LastBackward
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present.graph_facts import Facts, StateText
from inplace_tui.tutorial.state.graph_layout import (
    GAP,
    MAX_SAVED,
    OPENED,
    GraphLayout,
    RepeatedNodes,
    RowSource,
)
from inplace_tui.tutorial.state.rails import MAX_RAILS, NodePosition, passing

LEAF, INNER, FOLDED, UNFOLDED = "○", "●", "⊞", "⊟"

MAX_KINDS = 3
"""Nodes of one repetition that are named."""


MIN_HEAD = 18
"""Cells for strokes and name of a node, at least; a longer one takes what follows."""

SHAPES, SHAPE = 60, 9
"""Cells of a row from which on there are shapes, and what they take of it."""

FOLLOWED = "◉"
"""A node that made, saved or fills the tensor that is followed."""


def rows(
    view: View,
    room: int,
    language: str,
    layout: GraphLayout | None = None,
    last: LastBackward | None = None,
) -> Sequence[Row]:
    """Return the graph, each row made when it is looked at."""
    layout = GraphLayout() if layout is None else layout
    facts = Facts(view, language)
    facts.follow(layout, last)
    if not view.snapshot.nodes:
        return wrapped([nothing(view, language)], room)
    drawing = Drawing(facts, layout, room)
    return LazyRows(len(layout), drawing.row)


def nothing(view: View, language: str) -> Span:
    """Say that there is no node at this moment, and whether there was one before."""
    first = next(iter(view.timeline.histories.first_seen.values()), None)
    was_one = first is not None and first <= view.cursor
    return Span(say(GraphTexts.gone if was_one else GraphTexts.none, language), Style.DIM)


class Drawing:
    """A graph that can be asked for any of its rows."""

    def __init__(self, facts: Facts, layout: GraphLayout, room: int) -> None:
        self._facts, self._layout, self._room = facts, layout, room
        self._language = facts.language
        self._rails = layout.rails(min(MAX_RAILS, max(3, room // 6)))
        self._column = max(10, run_format(facts.view.timeline).longest_name)
        # Which line it was and how far backward came are never cut for the columns before them.
        most = room - facts.widest_end() - self._column
        head = min(max(20, room * 2 // 5), 36)
        self._has_shapes = room >= SHAPES and most - SHAPE >= MIN_HEAD
        shape = SHAPE if self._has_shapes else 0
        self._head = max(MIN_HEAD, min(head, most - shape))
        self._end = max(self._head, min(self._head + shape, most) + self._column)
        """Where the line of a node stands, if its names leave room."""

        self._narrow = room < 44
        """Without columns: the shortest words, side by side."""

        self._held = facts.of_followed()

    def row(self, index: int) -> Row:
        place = self._layout.at(index)
        rails = self._rails.rails(place.item)
        if place.part == GAP:
            return Row((Span(passing(rails), Style.DIM),))
        if place.part > 0:
            rails = self._rails.rails(place.item + 1)
        if place.part:
            mark, *words = self.words(place, 2 * len(rails))
            return self._made([Span(_cells(rails), Style.DIM), mark, *words], self._target(place))
        placed = self._rails.place(place.item)
        before, after = placed.strokes
        mark, *words = self.words(place, len(before + after.rstrip()) + 2)
        strokes = Span(f"{after.rstrip()} ", Style.DIM)
        return self._made([Span(before, Style.DIM), mark, strokes, *words], self._target(place))

    def words(self, place: RowSource, used: int) -> list[Span]:
        """Return the glyph of a row, and the words that stand behind the strokes."""
        key, part = place.key, place.part
        if part == OPENED:
            return [
                Span(UNFOLDED, Style.HEADING),
                Span(" "),
                *self._run(key, self._layout.opened[key]),
            ]
        if part > 0:
            return self._saved(place, used)
        if run := self._layout.folded.get(key):
            return [Span(FOLDED, Style.HEADING), *self._run(key, run)]
        node = self._facts.nodes[key]
        leaf = node.fills_grad
        came = self._facts.progress_at(node.id)
        style = Style.LEAF if leaf else Style.NODE
        if came is not None:
            style = came.style
        elif self._facts.is_new(node):
            style = Style.NEW
        glyph = came.glyph if came and came.glyph == "✗" else LEAF if leaf else INNER
        if self._held is not None:
            glyph, style = (FOLLOWED, style) if node.id in self._held else (glyph, Style.DIM)
        placed = self._rails.place(place.item)
        return [Span(glyph, style), *self._node(node, placed, used, leaf=leaf)]

    def _target(self, place: RowSource) -> Target:
        if place.part == OPENED or place.key in self._layout.folded:
            return Target(run=place.key)
        return Target(node=place.key, line=self._facts.nodes[place.key].line)

    def _made(self, spans: list[Span], target: Target) -> Row:
        return Row(clip_spans([span for span in spans if span.text], self._room), target)

    def _node(self, node: Node, placed: NodePosition, used: int, *, leaf: bool) -> list[Span]:
        facts = self._facts
        came = facts.progress_at(node.id)
        style = Style.LEAF if leaf else Style.STRONG
        if came is not None and came.style is not Style.RIGHT:
            style = came.style
        if self._held is not None and node.id not in self._held:
            style = Style.DIM
        title = facts.title(node)
        spans = [Span(title, style)]
        names = facts.names(node)
        if self._narrow:
            spans.append(Span(f" {names}" if names else "", Style.NAME))
        else:
            spans.append(Span(" " * max(1, self._head - used - spans_width(spans))))
            named = spell(facts.view.timeline, names, self._column)
            if self._has_shapes:
                spans.append(Span(pad(named, self._column), Style.NAME))
                spans.append(Span(f" {pad(facts.shape(node), SHAPE - 1)}", Style.DIM))
            else:
                spans.append(Span(named, Style.NAME))
                spans.append(Span(" " * (self._end - used - spans_width(spans))))
        line = facts.line(node)
        if self._narrow and node.line is not None:
            place = place_of(facts.view.source, node.line)
            line = place.brief if place.file else f":{place.text}"
        spans.append(Span(f" {line}" if line else "", Style.DIM))
        if came is not None:
            spans += [Span(" " if self._narrow else "  "), *_phrase(came)]
        if facts.is_new(node):
            word = say(GraphTexts.new, self._language)
            spans.append(Span(f"  {word[:1] if self._narrow else word}", Style.NEW))
        spans = _closed_up([*spans, *self._asides(node, placed)], self._room - used)
        room = self._room - used - spans_width(spans)
        inputs = facts.inputs(node, room - 2) if node.line is not None else ""
        if inputs:
            spans.append(Span(f"  {inputs}", Style.DIM))
            room -= spans_width(spans[-1:])
        if room >= 24 and node.line is not None:
            spans.append(Span(f"  {facts.code(node)}", Style.CODE))
        return spans

    def _asides(self, node: Node, placed: NodePosition) -> list[Span]:
        facts, spans = self._facts, []
        if placed.undrawn:
            first = [*map(facts.short, placed.undrawn[:4]), *("…" for _ in placed.undrawn[4:5])]
            names = list_of(first, self._language)
            text = say(GraphTexts.undrawn, self._language, count=len(placed.undrawn), names=names)
            spans.append(Span(f"  {text}", Style.DIM))
        users = self._layout.order.users.get(node.id)
        if users and node.id not in placed.above:
            name = facts.title(facts.nodes[users[0]])
            spans.append(
                Span(f"  {say(GraphTexts.unlinked, self._language, name=name)}", Style.DIM)
            )
        if node.opaque:
            spans.append(Span(f"  {say(GraphTexts.opaque, self._language)}", Style.DIM))
        return spans

    def _run(self, key: int, run: RepeatedNodes) -> list[Span]:
        facts, layout = self._facts, self._layout
        numbers = layout.order.keys[run.start : run.start + run.period]
        nodes = [facts.nodes[number] for number in numbers]
        titles = [facts.title(node) for node in nodes if node.leaf is None] or ["AccumulateGrad"]
        kinds = " → ".join(titles[:MAX_KINDS]) + (" → …" if len(titles) > MAX_KINDS else "")
        lines = sorted({node.line for node in nodes if node.line is not None})
        spans = [Span(f"× {run.times} ", Style.CHANGED)]
        spans.append(Span(f" {kinds}", Style.STRONG))
        source = facts.view.source
        text = ""
        if lines:
            first, last = line_name(source, lines[0]), place_of(source, lines[-1])
            text = say(GraphTexts.line, self._language, line=first)
            if len(lines) > 1:
                is_one_file = part_of(source, lines[0]).name == last.file
                end = str(last.line) if is_one_file else last.text
                text = say(GraphTexts.lines, self._language, first=first, last=end)
        spans.append(Span(f"  {text}" if text else "", Style.DIM))
        came = facts.progress_at(key)
        spans += [Span("  "), *_phrase(came)] if came is not None else []
        if facts.is_new(nodes[0]):
            spans.append(Span(f"  {say(GraphTexts.new, self._language)}", Style.NEW))
        stale = run.times * sum(layout.stale.get(number, 0) for number in numbers)
        if stale and facts.shows_states:
            text = say(GraphTexts.stales, self._language, count=stale)
            spans.append(Span(f"  {text}", Style.STALE))
        return spans

    def _saved(self, place: RowSource, used: int) -> list[Span]:
        slots = self._layout.slots[place.key]
        if place.part > MAX_SAVED:
            text = say(GraphTexts.more, self._language, count=len(slots) - MAX_SAVED)
            return [Span("  "), Span(text, Style.DIM)]
        slot = slots[place.part - 1]
        words = [Span("" if self._narrow else "  "), *self._slot(slot, narrow=self._narrow)]
        if used + spans_width(words) <= self._room:
            return words
        closer = [*words[:1], *self._slot(slot, narrow=True)]
        if used + spans_width(closer) <= self._room:
            return closer
        return [*words[:1], *self._slot(slot, narrow=True, brief=True)]

    def _slot(self, saved: Saved, *, narrow: bool, brief: bool = False) -> list[Span]:
        facts = self._facts
        state = facts.state(saved)
        held, version = facts.slot_words(saved)
        style = state.style if state and state.style is Style.STALE else Style.SAVED
        spans = [Span(f"{state.glyph if state else '·'} ", state.style if state else Style.DIM)]
        if narrow:
            held = held.replace("  ", " ")
            version = version and f"v{saved.version}"
        apart = " " if narrow else "  "
        spans += [Span(facts.slot_label(saved), Style.DIM), Span(held, style)]
        spans.append(Span(f"{apart}{version}" if version else "", style))
        if state is not None:
            between = say(GraphTexts.comma, self._language) if state.style is Style.STALE else "  "
            told = (state.brief if brief else "") or state.words
            spans.append(Span(f"{between}{told}", state.style))
        return spans


def _closed_up(spans: list[Span], room: int) -> list[Span]:
    """Take what is too long out of the gaps between the columns, the last one first."""
    over = spans_width(spans) - room
    for place, span in reversed([*enumerate(spans)]):
        if over > 0 and span.text.isspace():
            kept = max(1, len(span.text) - over)
            over -= len(span.text) - kept
            spans[place] = Span(" " * kept, span.style)
    return spans


def _phrase(phrase: StateText) -> list[Span]:
    return [Span(f"{phrase.glyph} {phrase.words}", phrase.style)]


def _cells(rails: Sequence[int | None]) -> str:
    text = passing(tuple(rails))
    return text.ljust(2 * len(rails))
