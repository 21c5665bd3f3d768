"""Loops whose iterations share a graph: made before the first, or handed from one to the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from inplace_tui.common.syntax import DOTTED, names, names_read, names_stored, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.expressions import (
    arguments_of,
    graphs_not_kept,
    is_assignable,
    is_in_place,
    last_name,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose


def make_in_each_iteration(site: FaultSite) -> Iterator[Proposal]:
    """Make in every iteration what was made before the loop, or detach it."""
    if site.reader is None or not runs_graph_again(site):
        return
    for loop in site.around(site.reader):
        if isinstance(loop, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        if isinstance(loop, ast.For | ast.While):
            yield from _lists_emptied(site, loop)
            shared = list(_shared_between_iterations(site, loop))
            yield from _computed_in_loop(site, loop, [name for name, _ in shared])
            for name, made in shared:
                yield _detached_before(site, [(name, made)])
            if len(shared) > 1:
                yield _detached_before(site, shared)


ANOTHER_GRADIENT: dict[str, Any] = {"own_truth": True, "usual": True}
"""From the second iteration on the gradient is another one, and should be."""


def _detached_before(site: FaultSite, shared: list[tuple[str, ast.Assign]]) -> Proposal:
    names = tuple(name for name, _ in shared)
    values = [each.value for _, each in shared]
    traits = {"cuts": True, **ANOTHER_GRADIENT}
    return append(site, "detach_before", values, ".detach()", name=names, **traits)


def _computed_in_loop(
    site: FaultSite, loop: ast.For | ast.While, shared: list[str]
) -> Iterator[Proposal]:
    """Begin every round with the computation whose results it uses, from its first line on."""
    function = site.function(loop)
    above = [
        each
        for each in nodes(ast.Assign, site.tree)
        if each.lineno < loop.lineno and site.function(each) is function
    ]
    needed, chain = names_read(*loop.body) | set(shared), list[ast.Assign]()
    bound_later: set[str] = set()
    for each in sorted(above, key=lambda statement: statement.lineno, reverse=True):
        bound = names_stored(*each.targets)
        made = (site.made(name, each) for name in bound & needed - bound_later)
        if any(tensor is not None and isinstance(tensor.grad_fn, int) for tensor in made):
            chain.insert(0, each)
            needed |= names_read(each)
        bound_later |= bound - names_read(each)
    if not 0 < len(chain) <= MAX_COMPUTED:
        return
    text = site.text
    targets = [target for each in chain for target in each.targets]
    bound = names_stored(*targets)
    between = (
        each
        for each in nodes(ast.stmt, site.tree)
        if chain[0].lineno < each.lineno < loop.lineno and each not in chain
    )
    block = site.block(loop)
    moves = bound.isdisjoint(names_read(*between)) and all(each in block for each in chain)
    taken = map(text.removed, chain if moves else ())
    edits = [*taken, text.repeated(chain, loop.body[0]), graphs_not_kept(site, [site.reader])]
    names = tuple(dict.fromkeys(n.id for n in nodes(ast.Name, *targets) if n.id in bound))
    values = {"rebuilt": tuple(sorted(bound)), **ANOTHER_GRADIENT}
    yield propose("anew_each_round", chain[0], edits, name=names, **values)


MAX_COMPUTED = 8
"""Lines of a computation that is done in every round."""


def _shared_between_iterations(
    site: FaultSite, loop: ast.For | ast.While
) -> Iterator[tuple[str, ast.Assign]]:
    """Yield the names with a graph that a loop only reads, and where each is made."""
    inside = list(nodes(ast.Name, *loop.body))
    stored = {node.id for node in inside if not isinstance(node.ctx, ast.Load)}
    read = {node.id for node in inside} - stored
    for statement in site.block(loop):
        if statement is loop:
            return
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in read:
                tensor = site.made(name, statement)
                if tensor is not None and tensor.grad_fn is not None:
                    yield name, statement
            case _:
                continue


def _lists_emptied(site: FaultSite, loop: ast.For | ast.While) -> Iterator[Proposal]:
    """Begin with empty lists in every iteration, where the last ones are used again."""
    appends = {
        node.func.value.id: site.statement_of(node)
        for node in nodes(ast.Call, loop)
        if isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and isinstance(node.func.value, ast.Name)
    }
    last = loop.body[-1]
    graphs = [
        statement
        for name, statement in appends.items()
        if any(isinstance(each.grad_fn, int) for each in site.held_in(name, last))
    ]
    # What is collected beside them has to fit them: rewards, and the steps that earned them.
    beside = [each for statement in graphs for each in site.block(statement)]
    wanted = {name for name, statement in appends.items() if statement in beside}
    made = [
        each
        for each in site.block(loop)
        if isinstance(each, ast.Assign) and each.lineno < loop.lineno and _lists(each) & wanted
    ]
    if made:
        edits = [site.text.moved(each, each, loop.body[0]) for each in made]
        names = tuple(sorted(set[str]().union(*map(_lists, made))))
        yield propose("empty_each_round", made[0], edits, name=names, **ANOTHER_GRADIENT)


def _lists(statement: ast.Assign) -> set[str]:
    """Return the names that a statement makes empty lists, if it makes nothing else."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
            return {name}
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            empty = all(isinstance(each, ast.List) and not each.elts for each in values)
            plain = [each.id for each in names if isinstance(each, ast.Name)]
            return set(plain) if empty and len(plain) == len(names) else set()
        case _:
            return set()


def runs_graph_again(site: FaultSite) -> bool:
    """Whether a graph is gone through twice: it was freed, or an update wrote in between."""
    if not site.writes:
        return False
    if site.verdict is Verdict.GRAPH_FREED:
        return True
    updated = site.writes[0].is_step
    return updated and site.verdict is Verdict.SAVED_TENSOR_MODIFIED


def detach_state(site: FaultSite) -> Iterator[Proposal]:
    """Cut what one iteration hands on to the next out of the graph."""
    reader = site.reader
    if reader is None or not runs_graph_again(site):
        return
    loops = [*site.loops_around(reader)]
    yield from _detached_itself(site)
    for loop in loops:
        last = loop.body[-1]
        carried = _carried_over(site, loop)
        yield from _detached_at_first_use(site, loop, carried)
        yield from _detached_states(site, last, [*carried, *_kept_in_attributes(site, last)])
    if not loops:  # it stands in a function that is called in every iteration
        yield from _detached_states(site, reader, _kept_in_attributes(site, reader))
    if site.verdict is Verdict.GRAPH_FREED:
        yield from _detached_writes(site)


def _detached_itself(site: FaultSite) -> Iterator[Proposal]:
    """Have `h.detach()` do something where nobody takes what it returns."""
    for node in nodes(ast.Expr, site.tree):
        match node.value:
            case ast.Call(func=ast.Attribute(value=part, attr="detach"), args=[]) if (
                is_assignable(part) and node.lineno in site.timeline.index.visits
            ):
                name = site.text.of(part)
                given = _is_given(site, node, name)
                line = f"{name}.detach_()" if given else f"{name} = {name}.detach()"
                edits = [site.text.replace(node, line)]
                yield propose("detach_itself", node, edits, name=name, **_cutting(site))
            case _:
                continue


def _cutting(site: FaultSite) -> dict[str, Any]:
    """Return what holds of a cut between two iterations.

    The true gradient would go back through all of them, which is what is given up; of a graph
    that was freed it is not known.
    """
    freed = site.verdict is Verdict.GRAPH_FREED
    return {"cuts": True, "own_truth": not freed, "usual": not freed}


def _is_given(site: FaultSite, statement: ast.stmt, name: str) -> bool:
    """Whether a name is that of a loop's round or a function's argument: others hold it, too."""
    loops = (each for each in site.around(statement) if isinstance(each, ast.For))
    given = names(*(loop.target for loop in loops))
    return name in given | arguments_of(site.function(statement))


def _detached_at_first_use(
    site: FaultSite, loop: ast.For | ast.While, carried: list[str]
) -> Iterator[Proposal]:
    """Detach a state before the round uses it, or behind the line that makes it: as is usual."""
    for name in carried:
        uses = [each for each in loop.body if name in names_read(each)]
        makes = [each for each in loop.body if name in names_stored(each)]
        if not uses or not makes or uses[0] is loop.body[-1]:
            continue
        yield from _detached_state(site, uses[0], [name], first=True)
        if uses[-1].lineno <= makes[-1].lineno and makes[-1] is not loop.body[-1]:
            yield from _detached_state(site, makes[-1], [name])


def _detached_states(site: FaultSite, last: ast.stmt, places: list[str]) -> Iterator[Proposal]:
    for place in places:
        yield from _detached_state(site, last, [place])
    if len(places) > 1:
        yield from _detached_state(site, last, places)


def _carried_over(site: FaultSite, loop: ast.For | ast.While) -> list[str]:
    """Return the names that a loop reads before it gives them a value, and that have a graph."""
    read: list[str] = []
    given: set[str] = set()
    inside = (each for each in nodes(ast.stmt, loop) if each is not loop)
    for statement in sorted(inside, key=lambda each: (each.lineno, each.col_offset)):
        named = [each for each in site.parts(statement) if isinstance(each, ast.Name)]
        changed = [each.id for each in named if isinstance(each.ctx, ast.Store)]
        loads = [each.id for each in named if isinstance(each.ctx, ast.Load)]
        loads += changed if isinstance(statement, ast.AugAssign) else []
        read += [each for each in loads if each not in given and each not in read]
        given |= set(changed)
    last = loop.body[-1]
    return [name for name in read if name in given and _graph_of(site, name, last)]


def _kept_in_attributes(site: FaultSite, last: ast.stmt) -> list[str]:
    """Return the attributes that the program sets and that have a graph when an iteration ends."""
    attributes = nodes(ast.Attribute, site.tree)
    stored = {each.attr for each in attributes if isinstance(each.ctx, ast.Store)}
    places = (_ATTRIBUTE.fullmatch(name) for name in site.names(last))
    found = dict.fromkeys(each[1] for each in places if each is not None and each[2] in stored)
    return [place for place in found if _graph_of(site, place, last)]


_ATTRIBUTE = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*\.(\w+))(?:\[\d+\])?")
"""`model.hidden`, or `model.hidden[0]` of a tuple in it."""


def _graph_of(site: FaultSite, place: str, last: ast.stmt) -> bool:
    """Whether a tensor that a place holds, or one in a tuple there, was computed."""
    tensor = site.made(place, last)
    held = site.held_in(place, last) if tensor is None else [tensor]
    if tensor is None and not _is_sequence(site, place, last):
        return False
    return any(isinstance(each.grad_fn, int) for each in held)


def _is_sequence(site: FaultSite, place: str, last: ast.stmt) -> bool:
    """Whether a place holds tensors under numbers only, and the program writes no dict there."""
    inner = [each for each in site.names(last) if each.startswith((f"{place}.", f"{place}["))]
    dicts = {
        last_name(target)  # `self.kept` is `memo.kept` elsewhere
        for each in nodes(ast.Assign, site.tree)
        if isinstance(each.value, ast.Dict | ast.DictComp)
        for target in each.targets
    }
    return place.rpartition(".")[2] not in dicts and all(
        _ITEM.match(each, len(place)) for each in inner
    )


_ITEM = re.compile(r"\[\d+\]$")


def _detached_state(
    site: FaultSite, last: ast.stmt, places: list[str], *, first: bool = False
) -> Iterator[Proposal]:
    plain = [
        f"tuple(each.detach() for each in {place})"
        if site.made(place, last) is None
        else f"{place}.detach()"
        for place in places
    ]
    cut = f"{', '.join(places)} = {', '.join(plain)}"
    put = site.text.before(last, cut) if first else site.text.after(last, cut)
    edits = [put, graphs_not_kept(site, [site.reader])]
    yield propose("detach_state", last, edits, name=tuple(places), **_cutting(site))


def detach_stored(site: FaultSite) -> Iterator[Proposal]:
    """Detach what is collected before the rounds, and read in each: a rollout of an agent."""
    if site.reader is None or not runs_graph_again(site):
        return
    pairs = filter(None, map(_stored_value, ast.walk(site.tree)))
    stored = [pair for pair in pairs if _is_collected(site, *pair)]
    # What is computed from the collection is a local; without a graph there, it has none.
    chosen = [pair for pair in stored if isinstance(pair[0], ast.Attribute)] or stored
    if chosen:
        names = tuple(dict.fromkeys(site.text.of(target) for target, _ in chosen))
        values = [value for _, value in chosen]
        traits = {"cuts": True, **ANOTHER_GRADIENT}
        yield append(site, "detach_stored", values, ".detach()", name=names, **traits)


def _stored_value(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return what keeps a value, and the value: of `buffer[t] = v` and `values.append(v)`."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=target)], value=value):
            pass
        case ast.Call(func=ast.Attribute(value=target, attr="append"), args=[value]):
            pass
        case _:
            return None
    return (target, value) if is_assignable(target) else None


def _is_collected(site: FaultSite, target: ast.expr, value: ast.expr) -> bool:
    """Whether a value with a graph was stored, and no more after its graph was first used."""
    statement = site.statement_of(value)
    visits = site.timeline.index.visits.get(statement.lineno, ())
    if not visits or visits[-1] > site.fault or not site.timeline.steps[visits[-1]].grad_enabled:
        return False
    tensor = site.made(value, statement)
    if tensor is not None:
        return isinstance(tensor.grad_fn, int)
    return _graph_of(site, ast.unparse(target), statement)


def _detached_writes(site: FaultSite) -> Iterator[Proposal]:
    """Detach what is written into a tensor that lives on from iteration to iteration."""
    for node in ast.walk(site.tree):
        values: list[ast.expr] = []
        match node:
            case ast.Call(func=ast.Attribute(attr=method), args=args) if is_in_place(method):
                values = args
            case ast.AugAssign(value=value):
                values = [value]
            case _:
                continue
        for value in filter(partial(_has_graph, site), values):
            yield append(site, "detach_written", [value], ".detach()", cuts=True)


def _has_graph(site: FaultSite, value: ast.expr) -> bool:
    """Whether what is written is computed from anything with a gradient; a number is not."""
    statement = site.statement_of(value)
    return any(
        tensor is not None and tensor.requires_grad
        for each in ast.walk(value)
        if isinstance(each, DOTTED)
        for tensor in (site.tensor(each, statement), *site.held_in(each, statement))
    )
