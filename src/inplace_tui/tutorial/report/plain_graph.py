"""The backward graph as a numbered list: edges are numbers of rows, where a panel draws them."""

from __future__ import annotations

from inplace_tui.common.cells import wrap, wrapped
from inplace_tui.common.rows import Row, Span, Style, Target
from inplace_tui.common.texts import say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present.graph import Drawing, nothing
from inplace_tui.tutorial.present.graph_facts import Facts
from inplace_tui.tutorial.state.graph_layout import GAP, OPENED, GraphLayout, RowSource

UNCUT = 10_000
"""Cells in which nothing is left out: rows are wrapped, not cut."""

NO_EDGE = "·"
"""An input that needs no gradient."""


class Numbered:
    """A graph whose nodes have numbers, the same whatever is folded."""

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
