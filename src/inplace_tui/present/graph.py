"""The backward graph: a node a row, what it saved under it, its edges beside it."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.aliasing import letter_of
from inplace_tui.engine.state.layout import Placed, lay_out, strokes
from inplace_tui.model.snapshot import Node, Saved, SlotState
from inplace_tui.present.cells import clean, clip_spans, pad, spans_width
from inplace_tui.present.masking import HIDDEN, hides, veiled
from inplace_tui.present.rows import LazyRows, Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.panels import GRAPH

LEAF, INNER = "○", "●"
MOST_SAVED = 6
"""Slots under one node beyond this many are counted."""


def rows(view: View, room: int, language: str) -> Sequence[Row]:
    """Return the graph. Its places are computed now, each row when it is looked at."""
    if not view.snapshot.nodes:
        return [Row((Span(say(GRAPH, "none", language), Style.DIM),))]
    graph = _Graph(view, room, language)
    return LazyRows(len(graph), graph.row)


class _Graph:
    """A graph that was laid out, and can be asked for any of its rows."""

    def __init__(self, view: View, room: int, language: str) -> None:
        self._view, self._room, self._language = view, room, language
        self._placed = lay_out(view.snapshot.nodes)
        self._slots: dict[int, list[Saved]] = {}
        for saved in view.snapshot.saved.values():
            self._slots.setdefault(saved.node, []).append(saved)
        self._names: dict[int, list[str]] = {}
        self._untold: set[int] = set()
        for tensor in view.snapshot.tensors.values():
            if isinstance(tensor.grad_fn, int):
                if hides(view, tensor, "grad_fn"):
                    self._untold.add(tensor.grad_fn)
                else:
                    self._names.setdefault(tensor.grad_fn, []).extend(tensor.names[:1])
        # Where a row comes from: the place in the layout, and which of its rows
        # it is: -2 a gap above, -1 the node, 0.. what it saved, None the edges below.
        self._places: list[tuple[int, int | None]] = []
        for place, placed in enumerate(self._placed):
            if placed.root and place:
                self._places.append((place, -2))
            self._places.append((place, -1))
            kept = min(len(self._slots.get(placed.node, ())), MOST_SAVED + 1)
            self._places += [(place, slot) for slot in range(kept)]
            if placed.links:
                self._places.append((place, None))
        rails = max((len(placed.beside) for placed in self._placed), default=0)
        self._head = min(2 * rails + 20, max(24, room // 2))

    def __len__(self) -> int:
        return len(self._places)

    def row(self, index: int) -> Row:
        """Return one row."""
        place, part = self._places[index]
        placed = self._placed[place]
        node = self._view.snapshot.nodes[placed.node]
        target = Target(node=node.id, line=node.line)
        if part == -2:
            passing = tuple(rail and at != placed.rail for at, rail in enumerate(placed.beside))
            return Row((Span(strokes(passing), Style.DIM),))
        if part is None:
            return Row(clip_spans([Span(placed.links, Style.DIM)], self._room), target)
        spans = self._node(placed, node) if part < 0 else self._saved(placed, node, part)
        return Row(clip_spans(spans, self._room), target)

    def _node(self, placed: Placed, node: Node) -> list[Span]:
        rails = ["│ " if rail else "  " for rail in placed.beside]
        before, after = "".join(rails[: placed.rail]), "".join(rails[placed.rail + 1 :])
        leaf = node.leaf is not None
        fresh = self._view.ran is not None and node.step == self._view.ran.index
        style = Style.LEAF if leaf else Style.NODE
        mark = Span(f"{LEAF if leaf else INNER} ", Style.NEW if fresh else style)
        spans = [Span(before, Style.DIM), mark, Span(after, Style.DIM)]
        spans.append(Span(self._title(node), Style.LEAF if leaf else Style.STRONG))
        spans.append(Span(" " * max(1, self._head - spans_width(spans))))
        spans.append(Span(pad(self._holders(node), 10 if self._room < 70 else 16), Style.NAME))
        if node.line is not None:
            text = say(GRAPH, "line", self._language, line=node.line)
            spans.append(Span(f" {text}", Style.DIM))
        if fresh:
            spans.append(Span(f"  {say(GRAPH, 'new', self._language)}", Style.NEW))
        if placed.undrawn:
            text = say(GRAPH, "undrawn", self._language, count=placed.undrawn)
            spans.append(Span(f"  {text}", Style.DIM))
        if node.opaque:
            spans.append(Span(f"  {say(GRAPH, 'opaque', self._language)}", Style.DIM))
        return spans

    def _title(self, node: Node) -> str:
        return HIDDEN if node.id in self._untold else clean(node.name)

    def _holders(self, node: Node) -> str:
        """Return the names of the tensors that hold it; of its leaf, if it fills one."""
        names = self._names.get(node.id, [])
        if node.leaf is not None and node.leaf in self._view.snapshot.tensors:
            names = [*self._view.snapshot.tensors[node.leaf].names[:1], *names]
        return clean(" = ".join(names))

    def _saved(self, placed: Placed, node: Node, part: int) -> list[Span]:
        slots = self._slots[node.id]
        spans = [Span(strokes(placed.below).ljust(2 * len(placed.beside)), Style.DIM)]
        spans.append(Span(f"  {say(GRAPH, 'saved', self._language)} ", Style.DIM))
        if part == MOST_SAVED:
            return [*spans, Span(f"… +{len(slots) - MOST_SAVED}", Style.DIM)]
        if self._view.mask.lines:
            return [*spans, Span(HIDDEN, Style.MASKED)]
        saved = slots[part]
        tensor = self._view.snapshot.tensors.get(-1 if saved.tensor is None else saved.tensor)
        if self._view.mask.outcome and veiled(self._view, self._view.cursor):
            tensor = None  # a freed slot has no name, and so would tell that backward ran
        name = f"{clean(tensor.names[0])} " if tensor and tensor.names else ""
        letter = letter_of(saved.storage, self._view.timeline)
        hidden = tensor is not None and hides(self._view, tensor, "version")
        version = "" if saved.version is None or hidden else f" v{saved.version}"
        spans.append(Span(f"{clean(saved.slot)} = ", Style.DIM))
        spans.append(Span(f"{name}[{letter}]{version}", Style.SAVED))
        if self._view.mask.outcome or hidden:
            return spans
        return [*spans, *self._state(saved)]

    def _state(self, saved: Saved) -> list[Span]:
        """Say what the version check would say."""
        match saved.state:
            case SlotState.FRESH:
                return []
            case SlotState.FREED:
                return [Span(f"  {say(GRAPH, 'freed', self._language)}", Style.FREED)]
            case SlotState.HOOKED:
                return [Span(f"  {say(GRAPH, 'hooked', self._language)}", Style.DIM)]
            case SlotState.STALE:
                stale = [Span(f"  {say(GRAPH, 'stale', self._language)}", Style.STALE)]
                if saved.now is not None:
                    now = say(GRAPH, "now", self._language, version=saved.now)
                    stale.insert(0, Span(f", {now}", Style.STALE))
                return stale
