"""Backwards that need a graph which is used up, and losses that have none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import names, names_stored, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    called,
    is_assignable,
    keyword,
    last_name,
    names_gradient,
    plain_backward,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose, set_option

BACKWARDS = frozenset({"backward", "grad"})

MAX_RECOMPUTED = 12
"""Statements that a second forward may have."""


def _is_freed(site: FaultSite) -> bool:
    return site.verdict is Verdict.GRAPH_FREED


def not_kept(site: FaultSite) -> Iterator[Proposal]:
    """Compute anew each time what the program computes once and looks up afterwards."""
    if not _is_freed(site) or site.saver is None:
        return
    for statement in (site.saver, *site.callers(site.saver)):
        value = getattr(statement, "value", None) or statement
        found = [
            *((edits, value, ()) for edits in _unasked(site, statement)),
            *((edits, value, ()) for edits in _undecorated(site, statement)),
            *((edits, value, ()) for edits in _in_methods(site, statement)),
            *_not_looked_up(site, statement),
        ]
        for edits, computed, rebuilt in found:
            name = site.text.of(computed)
            yield propose("not_kept", statement, edits, rebuilt=rebuilt, name=name)


def _unasked(site: FaultSite, statement: ast.stmt) -> Iterator[Edits]:
    """Yield the edits by which a statement runs each time, and not the first time only."""
    visits, text = site.timeline.index.visits, site.text
    times = len(visits.get(statement.lineno, ()))
    inner: ast.AST = statement
    for above in site.around(statement):
        match above:
            case ast.FunctionDef() | ast.For() | ast.While():
                break
            case ast.If(body=body, orelse=other) if len(visits.get(above.lineno, ())) > times:
                yield text.unwrapped(above, body if inner in body else other)
            case ast.Try(handlers=handlers, orelse=[], finalbody=[]) if inner in handlers:
                yield text.unwrapped(above, next(e.body for e in handlers if e is inner))
            case _:
                pass
        inner = above
    for asking in site.block(statement):
        match asking:
            case ast.If(body=[*_, ast.Return() as end], orelse=[]) if end.lineno in visits:
                yield text.removed(asking)
            case _:
                continue


def _not_looked_up(
    site: FaultSite, statement: ast.stmt
) -> Iterator[tuple[Edits, ast.expr, tuple[str, ...]]]:
    """Yield the edits by which an expression is its value, with that and what doesn't keep it."""
    for node in site.parts(statement):
        kept: tuple[str, ...] = ()
        match node:
            case ast.Call(func=ast.Attribute(value=place, attr="setdefault"), args=[_, value]):
                kept = (site.text.of(place),)
            case ast.IfExp(body=value, orelse=place) | ast.IfExp(body=place, orelse=value) if (
                is_assignable(place)
            ):
                pass
            case ast.BoolOp(op=ast.Or(), values=[_, value]):
                pass
            case _:
                continue
        yield [site.text.replace(node, site.text.of(value))], value, kept


def _in_methods(site: FaultSite, statement: ast.stmt) -> Iterator[Edits]:
    """Yield the edits by which methods compute for themselves what `__init__` computed."""
    init, text = site.function(statement), site.text
    owner = None if init is None else site.parent(init)
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self")) as target]) if (
            init is not None and init.name == "__init__" and isinstance(owner, ast.ClassDef)
        ):
            local = {each.arg for each in nodes(ast.arg, init)} | names_stored(*init.body)
        case _:
            return
    place = text.of(target)
    firsts = [
        each.body[min(bool(ast.get_docstring(each)), len(each.body) - 1)]
        for each in owner.body
        if isinstance(each, ast.FunctionDef) and each is not init
        if place in {ast.unparse(node) for node in nodes(ast.Attribute, each)}
    ]
    if firsts and names(statement) & local <= {"self"}:
        computed = (text.before(each, text.of(statement)) for each in firsts)
        yield [text.removed(statement), *computed]


def _undecorated(site: FaultSite, statement: ast.stmt) -> Iterator[Edits]:
    """Yield the edits by which a function keeps none of its results."""
    function = site.function(statement)
    for each in () if function is None else function.decorator_list:
        name = last_name(each.func if isinstance(each, ast.Call) else each)
        if name == "cached_property":
            yield [site.text.replace(each, "property")]
        elif name in {"cache", "lru_cache"}:
            below = (each.end_lineno or each.lineno) + 1
            yield [Edit(site.text.at(each.lineno, 0), site.text.at(below, 0), "")]


def _backward(site: FaultSite, statement: ast.stmt | None) -> ast.Call | None:
    return next((c for c in site.calls(statement) if last_name(c.func) in BACKWARDS), None)


def retain_graph(site: FaultSite) -> Iterator[Proposal]:
    """Keep the graph for the backward that comes through it again."""
    for statement in site.culprits if _is_freed(site) else ():
        if (call := _backward(site, statement)) is not None:
            cost = _held(site)
            yield set_option(site, "retain_graph", [call], "retain_graph", "True", cost=cost)


def _held(site: FaultSite) -> int:
    """Return how many bytes nodes held when the graph was freed: what retaining keeps."""
    steps = [index for each in site.culprits for index in site.steps(each)]
    if not steps:
        return 0
    before = site.timeline.at(site.timeline.steps[steps[0]].began - 1)
    held = {each.storage for each in before.saved.values() if each.storage is not None}
    return sum(before.storages[each].nbytes for each in held if each in before.storages)


def one_backward(site: FaultSite) -> Iterator[Proposal]:
    """Run one backward instead of two: only that of the whole loss, or one of the sum of both."""
    first, second = site.culprits[0] if site.culprits else None, site.reader
    if not _is_freed(site) or first is None or second is None or first is second:
        return
    one, other = plain_backward(first, keeps=True), plain_backward(second, keeps=True)
    if one is None or other is None:
        return
    text, block = site.text, site.block(first)
    parts, others = ({ast.unparse(node) for node in ast.walk(loss)} for loss in (one, other))
    if (parts < others or others < parts) and site.function(first) is site.function(second):
        edits, name = text.removed(second), text.of(second)
        yield propose("backward_once", second, edits, name=name)
    if second not in block or text.of(one) == text.of(other):
        return
    between = block[block.index(first) + 1 : block.index(second)]
    if any(called(each) in {"step", "zero_grad"} or names_gradient(each) for each in between):
        return  # each backward is for an update of its own
    if plain_backward(first) and plain_backward(second):
        loss, rest = text.of(one), text.of(other)
        joint = [*text.removed(first), text.replace(second, f"({loss} + {rest}).backward()")]
        yield propose("one_backward", second, joint, one=loss, other=rest)


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
        made = (site.tensor(name, statement) for name in bound if bound & needed)
        if any(each is not None and each.grad_fn is not None for each in made):
            again.insert(0, statement)
            needed |= names(statement)
    if 0 < len(again) <= MAX_RECOMPUTED:
        yield propose("recompute", reader, site.text.repeated(again, reader))


def scalar_loss(site: FaultSite) -> Iterator[Proposal]:
    """Make a number of the loss, or say how its elements count."""
    call = _backward(site, site.reader)
    if site.verdict is not Verdict.NOT_A_SCALAR or site.reader is None or call is None:
        return
    if not isinstance(call.func, ast.Attribute):
        return
    loss = call.func.value
    if last_name(loss) == "autograd" and call.args:
        loss = call.args[0]
    elif keyword(call, "gradient") is None and not call.args and is_assignable(loss):
        ones, cost = f"torch.ones_like({site.text.of(loss)})", site.tensor(loss, site.reader)
        yield set_option(site, "weights", [call], "gradient", ones, cost=cost)
    yield append(site, "sum", [loss], ".sum()")
