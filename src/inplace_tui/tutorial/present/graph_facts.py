"""Facts about the nodes of a graph, the same in the panel and in a picture."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property

from inplace_tui.common.cells import clean, width
from inplace_tui.common.rows import Style, has
from inplace_tui.common.run.files import find_line, place_of
from inplace_tui.common.run.snapshot import Node, Saved, SlotState, Tensor
from inplace_tui.common.run.timeline import letter_of
from inplace_tui.common.run.values import NAME, run_format, spell
from inplace_tui.common.texts import say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.diagnosis.blame.backward_progress import (
    NO_PROGRESS,
    BackwardProgress,
    LastBackward,
)
from inplace_tui.tutorial.activity.session.view import HIDDEN, View, hides, may_answer
from inplace_tui.tutorial.state.graph_layout import GraphLayout
from inplace_tui.tutorial.state.watch import nodes_holding

LONG_PATH = 16
"""Longest path, in nodes, that is shown unfolded from end to end."""


@dataclass(frozen=True)
class StateText:
    """A glyph and words for a state, with their style."""

    glyph: str
    words: str
    style: Style
    brief: str = ""
    """What is left of the words where there is little room; empty for all of them."""


class Facts:
    """Answers for one view; every answer withholds what an open question hides."""

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

    def of_followed(self) -> frozenset[int] | None:
        """Return the nodes that hold the followed tensor; None where they are hidden."""
        followed = self.view.watched.followed
        if followed is None or not self.shows_states:
            return None
        return nodes_holding(self.view.snapshot, followed)

    def follow(self, layout: GraphLayout, last: LastBackward | None = None) -> None:
        marks: dict[int, Hashable] = dict.fromkeys(self.unnamed, HIDDEN)
        step = self.view.ran
        if step is not None:
            marks |= {node.id: "new" for node in step.nodes if self.is_new(node)}
        came = self.progress = self._read_progress(last or LastBackward())
        if came is not NO_PROGRESS:
            marks |= dict.fromkeys(came.ran, "ran") | dict.fromkeys(came.unreached, "unreached")
            if len(came.path) <= LONG_PATH:
                marks |= {node: ("path", node) for node in came.path}
            marks |= {} if came.raised is None else {came.raised: "raised"}
        layout.follow(self.view.snapshot, marks, states=self.shows_states)

    def _read_progress(self, last: LastBackward) -> BackwardProgress:
        step = self.view.ran
        if step is None or step.raised is None or not step.in_backward or not self.shows_states:
            return NO_PROGRESS
        return last.of(self.view.timeline, step, source=self.view.source)

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
        lines = self._source
        return clean(lines[node.line - 1].strip()) if node.line and node.line <= len(lines) else ""

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
        tensor = self._in_slot(saved)
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
                return StateText("!", told, Style.STALE, brief=stale)

    @cached_property
    def _source(self) -> list[str]:
        return self.view.source.split("\n")

    def _tensors_of(self, node: Node) -> list[Tensor]:
        leaf = self.view.snapshot.tensors.get(-1 if node.leaf is None else node.leaf)
        held = self._tensors.get(node.id, [])
        return held if leaf is None else [leaf, *held]

    def _in_slot(self, saved: Saved) -> Tensor | None:
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
        tensor = self._in_slot(saved)
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


_LINE = re.compile(r"(?:line |第\s*)?(?:([^:]*):)?(\d+)(?:\s*行)?$", re.IGNORECASE)
_STALE = ("stale", "过期", "已过期")
_LEAF = ("leaf", "leaves", "叶子", "叶子张量")


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
