"""Backwards that need a graph which is used up, and losses that have none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.editing import Edit
from inplace_tui.engine.fixes.expressions import (
    called,
    is_assignable,
    keyword,
    last_name,
    names_gradient,
    set_argument,
)
from inplace_tui.engine.fixes.fault_site import FaultSite
from inplace_tui.engine.fixes.proposing import Proposal, propose
from inplace_tui.engine.syntax import names, names_stored

BACKWARDS = frozenset({"backward", "grad"})

MAX_RECOMPUTED = 12
"""Statements that a second forward may have."""


def _is_freed(site: FaultSite) -> bool:
    return site.verdict is Verdict.GRAPH_FREED


def _backward(site: FaultSite, statement: ast.stmt | None) -> ast.Call | None:
    return next((c for c in site.calls(statement) if last_name(c.func) in BACKWARDS), None)


def retain_graph(site: FaultSite) -> Iterator[Proposal]:
    """Keep the graph for the backward that comes through it again."""
    if not _is_freed(site):
        return
    for statement in site.culprits:
        call = _backward(site, statement)
        if call is None:
            continue
        yield propose(
            "retain_graph",
            statement,
            set_argument(site, call, "retain_graph", "True"),
            cost=_held(site),
        )


def _held(site: FaultSite) -> int:
    """Return how many bytes nodes held when the graph was freed: what retaining keeps."""
    steps = [index for each in site.culprits for index in site.steps(each)]
    if not steps:
        return 0
    before = site.timeline.at(site.timeline.steps[steps[0]].began - 1)
    held = {each.storage for each in before.saved.values() if each.storage is not None}
    return sum(before.storages[each].nbytes for each in held if each in before.storages)


def one_backward(site: FaultSite) -> Iterator[Proposal]:
    """Run one backward from the sum of two losses."""
    first = site.culprits[0] if site.culprits else None
    reader = site.reader
    if not _is_freed(site) or first is None or reader is None or first is reader:
        return
    block = site.block(first)
    between = block[block.index(first) + 1 : block.index(reader)] if reader in block else []
    if any(called(each) in {"step", "zero_grad"} or names_gradient(each) for each in between):
        return  # each backward is for an update of its own
    losses = [plain_backward(first), plain_backward(reader)]
    if None in losses or reader not in site.block(first):
        return
    one, other = (site.text.of(loss) for loss in losses if loss is not None)
    if one == other:
        return
    together = site.text.replace(reader, f"({one} + {other}).backward()")
    yield propose(
        "one_backward",
        reader,
        [site.text.removed(first), together],
        own_truth=True,
        one=one,
        other=other,
    )


def backward_once(site: FaultSite) -> Iterator[Proposal]:
    """Leave out a second backward of what the first one already went through, scaled or not."""
    first, second = site.culprits[0] if site.culprits else None, site.reader
    if not _is_freed(site) or first is None or second is None or first is second:
        return
    losses = [plain_backward(each, keeps=True) for each in (first, second)]
    if None in losses or site.function(first) is not site.function(second):
        return
    one, other = ({ast.unparse(n) for n in ast.walk(loss)} for loss in losses if loss is not None)
    if one < other or other < one:
        yield propose(
            "backward_once",
            second,
            site.text.removed(second),
            own_truth=True,
            usual=True,
            name=site.text.of(second),
        )


def plain_backward(statement: ast.stmt, *, keeps: bool = False) -> ast.expr | None:
    """Return the loss of a statement that is nothing but its backward."""
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=loss, attr="backward"), args=[], keywords=keywords
            )
        ) if not [each for each in keywords if not (keeps and each.arg == "retain_graph")]:
            return loss
        case _:
            return None


def recompute(site: FaultSite) -> Iterator[Proposal]:
    """Compute the loss again before the second backward."""
    reader = site.reader
    if not _is_freed(site) or reader is None:
        return
    above = [each for each in site.block(reader) if each.lineno < reader.lineno]
    needed = names(reader)
    again: list[ast.stmt] = []
    for statement in reversed(above):
        if not isinstance(statement, ast.Assign) or not site.text.alone(statement):
            continue
        bound = names_stored(*statement.targets)
        if bound & needed and _has_graph(site, statement, bound):
            again.insert(0, statement)
            needed |= names(statement)
    if 0 < len(again) <= MAX_RECOMPUTED:
        yield propose("recompute", reader, _again(site, again, reader))


def _again(site: FaultSite, statements: list[ast.stmt], reader: ast.stmt) -> Iterator[Edit]:
    blocks = [site.text.block(each, each) for each in statements]
    start, _ = site.text.block(reader, reader)
    lines = "".join(site.text.indented(*block, old="", new="") for block in blocks)
    yield Edit(start, start, lines)


def _has_graph(site: FaultSite, statement: ast.stmt, names: set[str]) -> bool:
    tensors = (site.tensor(name, statement) for name in names)
    return any(each is not None and each.grad_fn is not None for each in tensors)


def scalar_loss(site: FaultSite) -> Iterator[Proposal]:
    """Make a number of the loss, or say how its elements count."""
    if site.verdict is not Verdict.NOT_A_SCALAR:
        return
    call = _backward(site, site.reader)
    if call is None or site.reader is None or not isinstance(call.func, ast.Attribute):
        return
    loss, reader = call.func.value, site.reader
    if last_name(loss) == "autograd" and call.args:
        loss = call.args[0]
    elif keyword(call, "gradient") is None and not call.args and is_assignable(loss):
        weights = f"torch.ones_like({site.text.of(loss)})"
        yield propose(
            "weights",
            reader,
            set_argument(site, call, "gradient", weights),
            cost=site.nbytes(loss, reader),
        )
    yield propose("sum", reader, site.text.append(loss, ".sum()"), name=site.text.of(loss))
