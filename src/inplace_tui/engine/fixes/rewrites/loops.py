"""Loops whose iterations share a graph: made before the first, or handed from one to the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.fixes.expressions import graphs_not_kept, is_in_place
from inplace_tui.engine.fixes.fault_site import FaultSite
from inplace_tui.engine.fixes.proposing import Proposal, propose


def make_in_each_iteration(site: FaultSite) -> Iterator[Proposal]:
    """Make in every iteration what was made before the loop, or detach it."""
    if site.reader is None or not runs_graph_again(site):
        return
    for loop in site.around(site.reader):
        if isinstance(loop, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        if isinstance(loop, ast.For | ast.While):
            yield from _lists_emptied(site, loop)
            for name, statement in _shared_between_iterations(site, loop):
                yield from _moved_into_loop(site, loop, name, statement)
                yield propose(
                    "detach_before",
                    statement,
                    site.text.append(statement.value, ".detach()"),
                    cuts=True,
                    own_truth=True,
                    usual=True,
                    name=name,
                )


def _shared_between_iterations(
    site: FaultSite, loop: ast.For | ast.While
) -> Iterator[tuple[str, ast.Assign]]:
    """Yield the names with a graph that a loop only reads, and where each is made."""
    inside = [node for each in loop.body for node in ast.walk(each) if isinstance(node, ast.Name)]
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


def _moved_into_loop(
    site: FaultSite, loop: ast.For | ast.While, name: str, statement: ast.Assign
) -> Iterator[Proposal]:
    moved = site.text.moved_before(statement, statement, loop.body[0])
    # From the second iteration on the gradient is another one, and should be.
    yield propose("anew_each_round", statement, moved, own_truth=True, usual=True, name=name)


def _lists_emptied(site: FaultSite, loop: ast.For | ast.While) -> Iterator[Proposal]:
    """Begin with empty lists in every iteration, where the last ones are used again."""
    appends = {
        node.func.value.id: site.statement_of(node)
        for node in ast.walk(loop)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and isinstance(node.func.value, ast.Name)
    }
    last = loop.body[-1]
    graphs = [
        statement
        for name, statement in appends.items()
        if any(isinstance(each.grad_fn, int) for each in site.names_under(name, last))
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
        yield propose(
            "empty_each_round",
            made[0],
            [site.text.moved_before(each, each, loop.body[0]) for each in made],
            own_truth=True,
            usual=True,
            name=", ".join(sorted(set[str]().union(*map(_lists, made)))),
        )


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
    updated = (site.writes[0].op or "").endswith(".step")
    return updated and site.verdict is Verdict.SAVED_TENSOR_MODIFIED


def detach_state(site: FaultSite) -> Iterator[Proposal]:
    """Cut what one iteration hands on to the next out of the graph."""
    reader = site.reader
    if reader is None or not runs_graph_again(site):
        return
    loops = [each for each in site.around(reader) if isinstance(each, ast.For | ast.While)]
    for loop in loops:
        last = loop.body[-1]
        places = [*_carried_over(site, loop), *_kept_in_attributes(site, last)]
        yield from _detached_states(site, last, places)
    if not loops:  # it stands in a function that is called in every iteration
        yield from _detached_states(site, reader, _kept_in_attributes(site, reader))
    if site.verdict is Verdict.GRAPH_FREED:
        yield from _detached_writes(site)


def _detached_states(site: FaultSite, last: ast.stmt, places: list[str]) -> Iterator[Proposal]:
    for place in places:
        yield from _detached_state(site, last, [place])
    if len(places) > 1:
        yield from _detached_state(site, last, places)


def _carried_over(site: FaultSite, loop: ast.For | ast.While) -> list[str]:
    """Return the names that a loop reads before it gives them a value, and that have a graph."""
    read: list[str] = []
    given: set[str] = set()
    inside = (each for each in ast.walk(loop) if isinstance(each, ast.stmt) and each is not loop)
    for statement in sorted(inside, key=lambda each: (each.lineno, each.col_offset)):
        names = [each for each in site.parts(statement) if isinstance(each, ast.Name)]
        changed = [each.id for each in names if isinstance(each.ctx, ast.Store)]
        loads = [each.id for each in names if isinstance(each.ctx, ast.Load)]
        loads += changed if isinstance(statement, ast.AugAssign) else []
        read += [each for each in loads if each not in given and each not in read]
        given |= set(changed)
    last = loop.body[-1]
    return [name for name in read if name in given and _graph_of(site, name, last)]


def _kept_in_attributes(site: FaultSite, last: ast.stmt) -> list[str]:
    """Return the attributes that the program sets and that have a graph when an iteration ends."""
    stored = {
        each.attr
        for each in ast.walk(site.tree)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
    places = (_ATTRIBUTE.fullmatch(name) for name in site.names(last))
    found = dict.fromkeys(each[1] for each in places if each is not None and each[2] in stored)
    return [place for place in found if _graph_of(site, place, last)]


_ATTRIBUTE = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*\.(\w+))(?:\[\d+\])?")
"""`model.hidden`, or `model.hidden[0]` of a tuple in it."""


def _graph_of(site: FaultSite, place: str, last: ast.stmt) -> bool:
    """Whether a tensor that a place holds, or one in a tuple there, was computed."""
    tensor = site.made(place, last)
    held = site.names_under(place, last) if tensor is None else [tensor]
    return any(isinstance(each.grad_fn, int) for each in held)


def _detached_state(site: FaultSite, last: ast.stmt, places: list[str]) -> Iterator[Proposal]:
    name = ", ".join(places)
    plain = [
        f"tuple(each.detach() for each in {place})"
        if site.made(place, last) is None
        else f"{place}.detach()"
        for place in places
    ]
    cut = f"{name} = {', '.join(plain)}"
    freed = site.verdict is Verdict.GRAPH_FREED
    kept = [] if site.reader is None else list(graphs_not_kept(site, [site.reader]))
    yield propose(
        "detach_state",
        last,
        [site.text.after(last, cut), *kept],
        cuts=True,
        # The true gradient would go back through all iterations: that is what is given up.
        own_truth=not freed,
        usual=not freed,
        name=name,
    )


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
        for value in values:
            if not isinstance(value, ast.Constant):
                yield from _detached_write(site, value)


def _detached_write(site: FaultSite, value: ast.expr) -> Iterator[Proposal]:
    statement = site.statement_of(value)
    yield propose(
        "detach_written",
        statement,
        site.text.append(value, ".detach()"),
        cuts=True,
        name=site.text.of(value),
    )
