"""The backward graph: a node a row, what it saved under it, its edges beside it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from inplace_tui.common.cells import clean, clip_spans, pad, spans_width, width, wrapped
from inplace_tui.common.rows import LazyRows, Row, Span, Style, Target, has
from inplace_tui.common.run.files import find_line, line_name, part_of, place_of
from inplace_tui.common.run.snapshot import Node, Saved, SlotState, Tensor
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import NAME, run_format, spell
from inplace_tui.common.source_text import quoted_line
from inplace_tui.common.texts import list_of, say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.diagnosis.blame.backward_progress import (
    NO_PROGRESS,
    BackwardProgress,
    LastBackward,
)
from inplace_tui.tutorial.activity.session.view import HIDDEN, View, hides, may_answer
from inplace_tui.tutorial.state.graph_layout import (
    GAP,
    MAX_SAVED,
    OPENED,
    GraphLayout,
    RepeatedNodes,
    RowSource,
)
from inplace_tui.tutorial.state.rails import MAX_RAILS, NodePosition, passing

LONG_PATH = 16
"""Longest path, in nodes, that is shown unfolded from end to end."""

LEAF, INNER, FOLDED, UNFOLDED = "○", "●", "⊞", "⊟"

MAX_KINDS = 3
"""Nodes of one repetition that are named."""

MIN_HEAD = 18
"""Cells for strokes and name of a node, at least; a longer one takes what follows."""

SHAPES, SHAPE = 60, 9
"""Cells of a row from which on there are shapes, and what they take of it."""

_LINE = re.compile(r"(?:line |第\s*)?(?:([^:]*):)?(\d+)(?:\s*行)?$", re.IGNORECASE)

_STALE = ("stale", "过期", "已过期")

_LEAF = ("leaf", "leaves", "叶子", "叶子张量")


@dataclass(frozen=True)
class StateText:
    """A glyph and words for a state, with their style."""

    glyph: str
    words: str
    style: Style
    brief: str = ""
    """What is left of the words where there is little room; empty for all of them."""

    line: int | None = None
    """The line that it names."""


class Facts:
    """What there is to say of the nodes of one view, the same in the panel and in a picture.

    Every answer withholds what an open question hides.
    """

    def __init__(self, view: View, language: str) -> None:
        self.view, self.language = view, language
        self.nodes = view.snapshot.nodes
        self.progress: BackwardProgress = NO_PROGRESS
        """How far the backward came that failed on this very line; known once a layout follows."""

        self._tensors: dict[int, list[Tensor]] = {}
        self.unnamed: set[int] = set()
        """Nodes whose name an open question hides."""

        for tensor in view.snapshot.tensors.values():
            if isinstance(tensor.grad_fn, int):
                if hides(view, tensor, "grad_fn"):
                    self.unnamed.add(tensor.grad_fn)
                else:
                    self._tensors.setdefault(tensor.grad_fn, []).append(tensor)

    @property
    def shows_states(self) -> bool:
        return not (self.view.mask.outcome or self.view.mask.cells)

    def follow(self, layout: GraphLayout, last: LastBackward | None = None) -> None:
        marks: dict[int, Hashable] = dict.fromkeys(self.unnamed, HIDDEN)
        step = self.view.ran
        if step is not None:
            marks |= {node.id: "new" for node in step.nodes if self.is_new(node)}
        came = NO_PROGRESS
        if step is not None and step.raised is not None and step.in_backward and self.shows_states:
            came = (last or LastBackward()).of(self.view.timeline, step, source=self.view.source)
        self.progress = came
        if came is not NO_PROGRESS:
            marks |= dict.fromkeys(came.ran, "ran") | dict.fromkeys(came.unreached, "unreached")
            if len(came.path) <= LONG_PATH:
                marks |= {node: ("path", node) for node in came.path}
            marks |= {} if came.raised is None else {came.raised: "raised"}
        layout.follow(self.view.snapshot, marks, states=self.shows_states)

    def is_new(self, node: Node) -> bool:
        """Whether the line that ran made it."""
        return self.view.ran is not None and node.step == self.view.ran.index

    def title(self, node: Node) -> str:
        return HIDDEN if node.id in self.unnamed else clean(node.name)

    def short(self, number: int) -> str:
        """Return the name of a node beside another one."""
        node = self.nodes.get(number)
        if node is None:
            return "·"
        return self.names(node) or self.title(node)

    def names(self, node: Node) -> str:
        """Return the names of the tensors that hold it; of its leaf, if it fills one."""
        return clean(" = ".join(each.names[0] for each in self._tensors_of(node) if each.names))

    def shape(self, node: Node) -> str:
        held = [each for each in self._tensors_of(node) if not hides(self.view, each, "shape")]
        shapes = list(dict.fromkeys(each.shape for each in held))
        return f"[{', '.join(map(str, shapes[0]))}]" if len(shapes) == 1 else ""

    def line(self, node: Node) -> str:
        return "" if node.line is None else self._line_text(node.line)

    def _line_text(self, line: int) -> str:
        place = place_of(self.view.source, line)
        return place.brief if place.file else say(GraphTexts.line, self.language, line=place.line)

    def widest_end(self) -> int:
        """Return the cells of the longest line name, and of how far backward came behind it.

        What ran anywhere in this run counts: the columns stay where they are from step to step.
        """
        lines = run_format(self.view.timeline).lines
        longest = max((width(self._line_text(line)) for line in lines), default=0)
        words = (GraphTexts.raised, GraphTexts.ran, GraphTexts.unreached)
        return longest + max(width(say(each, self.language)) for each in words) + len("   ✓ ")

    def code(self, node: Node) -> str:
        return "" if node.line is None else clean(quoted_line(self.view.source, node.line))

    def inputs(self, node: Node, room: int) -> str:
        """Return what it was made of, in order, as many as fit; `·` for what needs no gradient."""
        if len(node.inputs) < 2:  # one line leads there
            return ""
        named = ["·" if edge is None else self.short(edge.node) for edge in node.inputs[:6]]
        for count in range(len(named), 0, -1):
            rest = ["…"] if count < len(node.inputs) else []
            listed = f"({', '.join([*named[:count], *rest])})"
            if width(listed) <= room:
                return listed
        return ""

    def progress_at(self, number: int) -> StateText | None:
        """Return whether the failing backward ran a node, raised there, or did not reach it."""
        came, at = self.progress, self.language
        if number == came.raised:
            return StateText("✗", say(GraphTexts.raised, at), Style.ERROR)
        if number in came.ran:
            return StateText("✓", say(GraphTexts.ran, at), Style.RIGHT)
        if number in came.unreached:
            return StateText("·", say(GraphTexts.unreached, at), Style.DIM)
        return None

    def slot_label(self, saved: Saved) -> str:
        """Return what the node calls a slot; a compiled region numbers them."""
        return "" if self.nodes[saved.node].is_compiled else f"{clean(saved.slot)}: "

    def slot_words(self, saved: Saved) -> tuple[str, str]:
        """Return what a slot holds (`y  B`) and at which version it was saved."""
        view = self.view
        tensor = self.in_slot(saved)
        name = ""
        if tensor is not None and tensor.names:
            name = f"{spell(self.view.timeline, clean(tensor.names[0]), NAME)}  "
        version = ""
        if saved.version is not None and not self._hides_version(saved):
            version = say(GraphTexts.saved_at, self.language, version=saved.version)
        return f"{name}{letter_of(saved.storage, view.timeline)}", version

    def state(self, saved: Saved) -> StateText | None:
        """Return what the version check would find in a slot; None if it passes or is hidden."""
        mask, at = self.view.mask, self.language
        if mask.outcome or self._hides_version(saved):
            return None
        match saved.state:
            case SlotState.FRESH:
                return None
            case SlotState.FREED:
                return StateText("∅", say(GraphTexts.freed, at), Style.FREED)
            case SlotState.HOOKED:
                return StateText("·", say(GraphTexts.hooked, at), Style.DIM)
            case SlotState.STALE:
                now = "" if saved.now is None else say(GraphTexts.now, at, version=saved.now)
                line, stale = self._changed_by(saved), say(GraphTexts.stale, at)
                if line is not None:
                    stale = say(GraphTexts.stale_by, at, line=self._line_text(line))
                words = [word for word in (now, stale) if word]
                told = say(GraphTexts.comma, at).join(words)
                return StateText("!", told, Style.STALE, brief=stale, line=line)

    def _tensors_of(self, node: Node) -> list[Tensor]:
        leaf = self.view.snapshot.tensors.get(-1 if node.leaf is None else node.leaf)
        held = self._tensors.get(node.id, [])
        return held if leaf is None else [leaf, *held]

    def in_slot(self, saved: Saved) -> Tensor | None:
        if self.view.mask.outcome and may_answer(self.view, self.view.cursor):
            return None  # a freed slot is marked, and so would tell that backward ran
        number = saved.tensor
        if number is None and saved.state is SlotState.FREED:
            number = self._tensor_when_saved(saved)
        return self.view.snapshot.tensors.get(-1 if number is None else number)

    def _tensor_when_saved(self, saved: Saved) -> int | None:
        """Return what a slot held when its node was made: a freed one can't be asked."""
        made, steps = self.nodes[saved.node].step, self.view.timeline.steps
        # A worker may name a step that never came.
        slots = steps[made].saved if made is not None and 0 <= made < len(steps) else ()
        same = (each for each in slots if (each.node, each.slot) == (saved.node, saved.slot))
        return next((each.tensor for each in same), None)

    def _hides_version(self, saved: Saved) -> bool:
        tensor = self.in_slot(saved)
        return tensor is not None and hides(self.view, tensor, "version")

    def _changed_by(self, saved: Saved) -> int | None:
        timeline = self.view.timeline
        life = timeline.index.lives.get(-1 if saved.storage is None else saved.storage)
        made = self.nodes[saved.node].step
        if life is None or made is None or saved.version is None:
            return None
        steps = [step for step, _ in life.writes]
        for step, version in life.writes[bisect_right(steps, made - 1) :]:
            if step > self.view.cursor:
                break
            if version is not None and version > saved.version:
                return timeline.steps[step].line
        return None


def matching(view: View, layout: GraphLayout, query: str, language: str) -> Iterator[int | None]:
    """Yield the nodes that a query means, from above, and None for each other node.

    It is part of a name (of the operation, of a tensor), the number of a line
    (`:7`, `line 7`, `model.py:7`), `stale`, or `leaf`.
    """
    facts, query = Facts(view, language), query.strip()
    line = _LINE.match(query) if not query.isdecimal() else None
    wanted = None if line is None else find_line(view.source, line[1] or None, int(line[2]))
    for key in list(layout.order.keys):
        node = facts.nodes.get(key)
        if node is None:
            continue
        if line is not None:
            fits = node.line == wanted
        elif query.lower() in _STALE:
            fits = facts.shows_states and key in layout.stale
        elif query.lower() in _LEAF:
            fits = node.leaf is not None
        else:
            fits = has(facts.title(node), query) or has(facts.names(node), query)
        yield key if fits else None


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
        most = max(NAME, room // 4)
        self._column = max(10, min(most, run_format(facts.view.timeline).longest_name))
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

    def row(self, index: int) -> Row:
        place = self._layout.at(index)
        rails = self._rails.rails(place.item)
        if place.part == GAP:
            return Row((Span(passing(rails), Style.DIM),))
        if place.part > 0:
            rails = self._rails.rails(place.item + 1)
        if place.part:
            mark, *words = self.words(place, 2 * len(rails))
            lead = Span(passing(rails).ljust(2 * len(rails)), Style.DIM)
            return self._made([lead, mark, *words], self._target(place))
        placed = self._rails.place(place.item)
        before, after = placed.strokes
        mark, *words = self.words(place, len(before + after.rstrip()) + 2)
        strokes = Span(f"{after.rstrip()} ", Style.DIM)
        return self._made([Span(before, Style.DIM), mark, strokes, *words], self._target(place))

    def words(self, place: RowSource, used: int) -> list[Span]:
        """Return the glyph of a row, and the words that stand behind the strokes."""
        key, part = place.key, place.part
        if part == OPENED:
            run = self._layout.opened[key]
            return [Span(UNFOLDED, Style.HEADING), Span(" "), *self._run(key, run)]
        if part > 0:
            return self._saved(place, used)
        if key in self._layout.folded:
            return [Span(FOLDED, Style.HEADING), *self._run(key, self._layout.folded[key])]
        node = self._facts.nodes[key]
        leaf = node.fills_grad
        came = self._facts.progress_at(node.id)
        style = Style.LEAF if leaf else Style.NODE
        if came is not None:
            style = came.style
        elif self._facts.is_new(node):
            style = Style.NEW
        glyph = came.glyph if came and came.glyph == "✗" else LEAF if leaf else INNER
        placed = self._rails.place(place.item)
        return [Span(glyph, style), *self._node(node, placed, used, leaf=leaf)]

    def _target(self, place: RowSource) -> Target:
        if place.part == OPENED or place.key in self._layout.folded:
            return Target(run=place.key)
        line = self._facts.nodes[place.key].line
        if not 0 < place.part <= MAX_SAVED:
            return Target(node=place.key, line=line)
        slot = self._layout.slots[place.key][place.part - 1]
        state, tensor = self._facts.state(slot), self._facts.in_slot(slot)
        line = line if state is None or state.line is None else state.line
        return Target(node=place.key, line=line, tensor=None if tensor is None else tensor.id)

    def _made(self, spans: list[Span], target: Target) -> Row:
        return Row(clip_spans([span for span in spans if span.text], self._room), target)

    def _node(self, node: Node, placed: NodePosition, used: int, *, leaf: bool) -> list[Span]:
        facts = self._facts
        came = facts.progress_at(node.id)
        style = Style.LEAF if leaf else Style.STRONG
        if came is not None and came.style is not Style.RIGHT:
            style = came.style
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
        facts, texts = self._facts, []
        if placed.undrawn:
            first = [*map(facts.short, placed.undrawn[:4]), *("…" for _ in placed.undrawn[4:5])]
            names, count = list_of(first, self._language), len(placed.undrawn)
            texts.append(say(GraphTexts.undrawn, self._language, count=count, names=names))
        users = self._layout.order.users.get(node.id)
        if users and node.id not in placed.above:
            name = facts.title(facts.nodes[users[0]])
            texts.append(say(GraphTexts.unlinked, self._language, name=name))
        if node.opaque:
            texts.append(say(GraphTexts.opaque, self._language))
        return [Span(f"  {text}", Style.DIM) for text in texts]

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
