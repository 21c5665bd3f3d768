"""What brings the graph of one backward into the next: a state, a running loss, a cached value."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplace_tui.common.blame import CarriedOver
from inplace_tui.common.run.lookup import calls_to
from inplace_tui.common.run.snapshot import Saved, Snapshot
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import statement_on
from inplace_tui.common.syntax import DOTTED, nodes
from inplace_tui.diagnosis.blame.graph import inputs_of, leading_to

_SUBSCRIPTS = re.compile(r"(\[[^]]*\])+$")


def find_carried(
    timeline: Timeline,
    freed: Saved,
    freer: Step,
    snapshot: Snapshot,
    *,
    source: str,
    within: frozenset[int],
) -> CarriedOver | None:
    """Return what was made before a backward and used again after it; None if it has no name.

    `within` is the graph of the backward that failed, as far as it is known. Where several lines
    know the value, as a caller and the callee do, that of the caller counts; one that computes
    a value from the one before says more than two.
    """
    found: list[tuple[bool, bool, CarriedOver]] = []
    for user, used in _crossings(snapshot, freed, freer, within):
        uses = [each for each in _around(timeline, user) if each.began > freer.index]
        makers = _around(timeline, snapshot.nodes[used].step or 0)
        for made in (each for each in makers if each.index < freer.index):
            for name in _given(timeline, made, used, source):
                bare = _SUBSCRIPTS.sub("", name)
                read = ((use, map(ast.unparse, chains_on(source, use, ast.Load))) for use in uses)
                reads = [use for use, chains in read if any(_leads(bare, e) for e in chains)]
                use = (reads or uses[-1:])[0]
                carried = CarriedOver(tensor=name, made=made.line, used=use.line)
                found.append((not reads, made.line != use.line, carried))
    return min(found, key=lambda each: each[:2])[2] if found else None


def _crossings(
    snapshot: Snapshot, freed: Saved, freer: Step, within: frozenset[int]
) -> Iterator[tuple[int, int]]:
    """Yield steps after a backward that made a node, and the node from before it that this takes.

    Of those only that lead to what was freed, the first first.
    """
    leading = leading_to(snapshot, [freed.node])
    leading = leading & within or leading
    made = {each: snapshot.nodes[each].step for each in leading}
    for node, step in sorted(made.items(), key=lambda pair: pair[1] or 0):
        if step is not None and step > freer.index:
            old = inputs_of(snapshot, node) & leading
            yield from ((step, each) for each in sorted(old) if (made[each] or 0) <= freer.index)


def _around(timeline: Timeline, index: int) -> list[Step]:
    """Return a step and those of the lines whose calls led to it, the outermost first."""
    step = timeline.steps[index]
    return [*reversed(list(calls_to(timeline, step))), step]


def _given(timeline: Timeline, step: Step, node: int, source: str) -> Iterator[str]:
    """Yield the names that a line gave to the result of a node, or what it put it in."""
    tensors = timeline.at(step.index).tensors.values()
    known = [name for each in tensors if each.grad_fn == node for name in each.names]
    for target in map(ast.unparse, chains_on(source, step, ast.Store)):
        if any(_leads(_SUBSCRIPTS.sub("", target), name) for name in known):
            yield target
    for call in nodes(ast.Call, statement_on(source, step.line)):  # `seen.append(h)`, `h.add_(x)`
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, DOTTED):
            owner = ast.unparse(call.func.value)
            if any(_SUBSCRIPTS.sub("", name) == owner for name in known):
                yield owner


def _leads(name: str, chain: str) -> bool:
    """Whether a chain begins with a name: `h` leads to `h[0]` and `h.size`, not to `hs`."""
    return chain == name or chain.startswith((f"{name}.", f"{name}["))


def chains_on(source: str, step: Step, context: type[ast.expr_context]) -> list[ast.expr]:
    """Return what a line reads or stores: `net.fc`, `x[0]`; what it adds to, it does both with."""
    statement = statement_on(source, step.line)
    both = [statement.target] if isinstance(statement, ast.AugAssign) else []
    found = (each for each in nodes(ast.expr, statement) if each.lineno <= step.end_line)
    dotted = (each for each in found if isinstance(each, DOTTED))
    return [each for each in dotted if isinstance(each.ctx, context) or each in both]
