"""What a search finds in a graph: nodes, whether they are folded or not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.graph_layout import GraphLayout
from inplace_tui.present.graph_facts import Facts
from inplace_tui.present.matches import has

_LINE = re.compile(r"(?:line |:|第\s*)(\d+)(?:\s*行)?$", re.IGNORECASE)
_STALE = ("stale", "过期", "已过期")
_LEAF = ("leaf", "leaves", "叶子", "叶子张量")


def matching(view: View, layout: GraphLayout, query: str, language: str) -> Iterator[int | None]:
    """Yield the nodes that a query means, from above, and None for each other node.

    It is part of a name (of the operation, of a tensor), the number of a line
    (`:7`, `line 7`), `stale`, or `leaf`.
    """
    facts, query = Facts(view, language), query.strip()
    line = _LINE.match(query)
    for key in list(layout.order.keys):
        node = facts.nodes.get(key)
        if node is None:
            continue
        if line is not None:
            fits = node.line == int(line.group(1))
        elif query.lower() in _STALE:
            fits = facts.tells_states and key in layout.stale
        elif query.lower() in _LEAF:
            fits = node.leaf is not None
        else:
            fits = has(facts.title(node), query) or has(facts.names(node), query)
        yield key if fits else None
