"""Backwards that need a graph which is used up, and results that keep one where none may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import free_name, last_name
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose, set_option


def not_kept(site: FaultSite) -> Iterator[Proposal]:
    """Compute anew each time what the program computes once and looks up afterwards."""
    if site.verdict is not Verdict.GRAPH_FREED or site.saver is None:
        return
    text = site.text
    for statement in (site.saver, *site.callers(site.saver)):
        name = text.of(getattr(statement, "value", None) or statement)
        for way in (_unasked, _undecorated, _in_methods):
            for edits in way(site, statement):
                yield propose("not_kept", statement, edits, name=name)


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


def _in_methods(site: FaultSite, statement: ast.stmt) -> Iterator[Edits]:
    """Yield the edits by which methods compute for themselves what another one has computed."""
    function, text = site.function(statement), site.text
    owner = None if function is None else site.parent(function)
    if not isinstance(owner, ast.ClassDef) or not isinstance(statement, ast.Assign):
        return
    place = text.of(statement.targets[0])
    firsts = [
        each.body[bool(ast.get_docstring(each))]
        for each in nodes(ast.FunctionDef, *owner.body)
        if each is not function and place in map(text.of, nodes(ast.Attribute, each))
    ]
    if firsts:
        computed = (text.before(each, text.of(statement)) for each in firsts)
        yield [text.removed(statement), *computed]


def _undecorated(site: FaultSite, statement: ast.stmt) -> Iterator[Edits]:
    """Yield the edits by which a function keeps none of its results."""
    function, text = site.function(statement), site.text
    for each in () if function is None else function.decorator_list:
        name = last_name(each.func if isinstance(each, ast.Call) else each)
        if name == "cached_property":
            yield [text.replace(each, "property")]
        elif name in {"cache", "lru_cache"}:
            yield [Edit(text.at(each.lineno, 0), text.at((each.end_lineno or 0) + 1, 0), "")]


def backward_once(site: FaultSite) -> Iterator[Proposal]:
    """Leave out a backward where the one before it went through the same loss, or a part of it."""
    calls = site.calls(*site.culprits[:1], site.reader)
    losses = [
        {site.text.of(each) for each in nodes(ast.expr, call.func) if each is not call.func}
        for call in calls
        if last_name(call.func) == "backward"
    ]
    reader = site.reader if site.verdict is Verdict.GRAPH_FREED and len(losses) == 2 else None
    if reader and (losses[0] < losses[1] or losses[1] < losses[0]):
        name = site.text.of(reader)
        yield propose("backward_once", reader, site.text.removed(reader), name=name)


def retain_graph(site: FaultSite) -> Iterator[Proposal]:
    """Keep the graph for the backward that comes through it again."""
    freed = site.culprits if site.verdict is Verdict.GRAPH_FREED else ()
    ways = (place for each in freed for place in (each, *site.callers(each)))
    calls = (call for call in site.calls(*ways) if last_name(call.func) in {"backward", "grad"})
    for call in calls:
        yield set_option(site, "retain_graph", [call], "retain_graph", "True", cost=_held(site))


def _held(site: FaultSite) -> int:
    """Return how many bytes nodes held when the graph was freed: what retaining keeps."""
    steps = [index for each in site.culprits for index in site.steps(each)]
    if not steps:
        return 0
    before = site.timeline.at(site.timeline.steps[steps[0]].began - 1)
    held = {each.storage for each in before.saved.values() if each.storage is not None}
    return sum(before.storages[each].nbytes for each in held if each in before.storages)


def kept_in_local(site: FaultSite) -> Iterator[Proposal]:
    """Keep a result in a local variable, where a module that is to be copied kept it."""
    for each in nodes(ast.Assign, site.tree) if site.verdict is Verdict.COPY_OF_RESULT else ():
        target, made = each.targets[0], site.made(each.targets[0], each)
        if isinstance(target, ast.Attribute) and made and isinstance(made.grad_fn, int):
            name, new = site.text.of(target), free_name(site, target.attr, f"{target.attr}_now")
            same = nodes(ast.Attribute, site.function(each))
            edits = [site.text.replace(n, new) for n in same if site.text.of(n) == name]
            yield propose("local", each, edits, name=name, new=new)
