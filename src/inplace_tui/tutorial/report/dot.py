"""A backward graph in DOT, the language of Graphviz: every node once, every edge."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_tui.common.cells import clean
from inplace_tui.common.run.snapshot import Node, SlotState
from inplace_tui.common.texts import say
from inplace_tui.common.texts.graph import GraphTexts
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.present.graph import Facts
from inplace_tui.tutorial.state.graph_layout import MAX_SAVED, GraphLayout

_HEAD = """digraph backward {
  rankdir=TB;
  node [shape=box, style=rounded, fontname="monospace", fontsize=11];
  edge [fontname="monospace", fontsize=9];
"""


def document(view: View, language: str) -> str:
    """Return the graph of a view; what the view hides is not in it."""
    facts, layout = Facts(view, language), GraphLayout(fold=False)
    facts.follow(layout)
    return _HEAD + "".join(f"  {line}\n" for line in _lines(facts, layout)) + "}\n"


def quoted(text: str) -> str:
    r"""Return a text as a DOT string; the backslash begins an escape there.

    >>> quoted('a "b" \\N')
    '"a \\"b\\" \\\\N"'
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def _lines(facts: Facts, layout: GraphLayout) -> Iterator[str]:
    for key in layout.order.keys:
        node = facts.nodes[key]
        stale = facts.shows_states and layout.stale.get(key)
        looks = ""
        if key == facts.progress.raised:
            looks = ", style=filled, fillcolor=orange, fontcolor=black, penwidth=3"
        elif stale:
            looks = ', color="#a63c08", penwidth=3'
        elif not layout.targets(key):
            looks = ", shape=ellipse"
        # Each line of the label stands left, as `\l` says.
        label = "".join(quoted(clean(line))[1:-1] + "\\l" for line in _label(facts, layout, node))
        yield f'n{key} [label="{label}"{looks}];'
    for key in layout.order.keys:
        edges = facts.nodes[key].inputs
        several = len(edges) > 1
        for place, edge in enumerate(edges):
            if edge is not None and edge.node in facts.nodes:
                yield f"n{key} -> n{edge.node}" + (f' [label="{place}"];' if several else ";")


def _label(facts: Facts, layout: GraphLayout, node: Node) -> Iterator[str]:
    yield facts.title(node)
    held = "  ".join(part for part in (facts.names(node), facts.shape(node)) if part)
    if held:
        yield held
    if node.line is not None:
        yield f"{facts.line(node)}  {facts.code(node)}"
    came = facts.progress_at(node.id)
    if came is not None:
        yield f"{came.glyph} {came.words}"
    if node.opaque:
        yield say(GraphTexts.opaque, facts.language)
    slots = layout.slots.get(node.id, ())
    for saved in slots[:MAX_SAVED]:
        words, version = facts.slot_words(saved)
        state = facts.state(saved)
        line = f"{facts.slot_label(saved)}{'  '.join(part for part in (words, version) if part)}"
        if state is not None:
            between = ", " if saved.state is SlotState.STALE else "  "
            line = f"{state.glyph} {line}{between}{state.words}"
        yield line
    if len(slots) > MAX_SAVED:
        yield say(GraphTexts.more, facts.language, count=len(slots) - MAX_SAVED)
