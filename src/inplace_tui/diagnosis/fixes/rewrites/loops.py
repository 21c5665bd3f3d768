"""Graphs that are used up: shared by rounds, handed from one to the next, kept and asked again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import UnionType
from typing import TypeVar

from inplace_tui.common.run.probes import Carried, Span
from inplace_tui.common.syntax import bindings, names, names_read, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import arguments_of, defaults, is_assignable, last_name
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose, set_option
from inplace_tui.diagnosis.fixes.rewrites.order import computed_again, stored_in_order

T = TypeVar("T")

MAX_READS = 3
"""Places that read a value, of which each one is tried."""

ASKED = frozenset({"backward", "data", "detach", "grad", "item", "shape", "size"})
"""Attributes of a tensor by which no graph goes on."""

CUTS = {
    "tensor": "{}.detach()",
    "tuple": "tuple(each.detach() for each in {})",
    "dict": "{{key: each.detach() for key, each in {}.items()}}",
}
"""How what an expression is, by its kind, is cut off from its graph."""


def carry_less(site: FaultSite) -> Iterator[Proposal]:
    """Detach what crosses a backward: where it is kept, between two rounds, or where it is read."""
    if not site.runs_graph_again():
        return
    yield from _detached_itself(site)
    before = [each for each in site.probes.carried if _is_from_before(site, each)]
    states = [each for each in site.probes.carried if each not in before]
    yield from _detached_between(site, states, "tensor", "tuple")
    yield from _detached_where(site, "detach_state", states, ast.Attribute | ast.Subscript)
    yield from _detached_between(site, states, "dict")
    yield from _detached_where(site, "detach_before", before, ast.expr)


def _loops(site: FaultSite) -> list[ast.For | ast.While]:
    return [] if site.reader is None else list(site.loops_around(site.reader))


def _is_from_before(site: FaultSite, carried: Carried) -> bool:
    """Whether a value was made once, before the rounds."""
    made = filter(None, map(site.expressions.get, carried.made))
    return any(
        loop not in site.around(each)
        for loop in _loops(site)[:1]
        for each in made
        if site.function(each) is site.function(loop)
    )


def _detached_itself(site: FaultSite) -> Iterator[Proposal]:
    """Have `h.detach()` do something where nobody takes what it returns."""
    for call in nodes(ast.Call, site.tree):
        match call.func:
            case ast.Attribute(value=part, attr="detach") as method if site.probed(
                part
            ) and isinstance(site.parent(call), ast.Expr):
                yield append(site, "detach_itself", [method], "_", name=site.text.of(part))
            case _:
                continue


def _detached_between(site: FaultSite, states: Sequence[Carried], *held: str) -> Iterator[Proposal]:
    """Detach states behind what gives them with other results, or where a round ends."""
    read = [node for each in states for node in _uses(site, each.read, *held)]
    kinds = {site.text.of(each): _kind(site, each) for each in read if is_assignable(each)}
    places: list[tuple[ast.stmt, dict[str, str]]] = []
    for each in nodes(ast.Assign, site.tree):
        if isinstance(each.targets[0], ast.Tuple):
            bound = {ast.unparse(part) for part in nodes(ast.expr, each.targets[0])}
            places.append((each, {name: kinds[name] for name in kinds if name in bound}))
    here = None if site.reader is None else site.function(site.reader)
    places.sort(key=lambda pair: site.function(pair[0]) is not here)
    ends = (loop.body[-1] for loop in _loops(site))
    places += [(last, _known_at(site, kinds, last)) for last in ends]
    for statement, known in places:
        if known:
            lines = [f"{name} = {CUTS[kind].format(name)}" for name, kind in known.items()]
            behind = (site.text.after(statement, line) for line in lines)
            edits = chain(*behind, site.graphs_not_kept())
            yield propose("detach_state", statement, edits, name=tuple(known))


def _known_at(site: FaultSite, states: Mapping[str, T], last: ast.stmt) -> dict[str, T]:
    """Return what is said of states, by what they are called where a round ends.

    What is an attribute of `self` where it is read has another owner there.
    """
    ways = [way for name in site.names(last) for way in (name, name.rpartition("[")[0])]
    return {
        way: said
        for state, said in states.items()
        for way in ways
        if way == state or ("." in state and way.endswith(state[state.rindex(".") :]))
    }


def _detached_where(
    site: FaultSite, kind: str, carried: Sequence[Carried], targets: type[ast.expr] | UnionType
) -> Iterator[Proposal]:
    """Detach values where they go to such targets, or where they are read: all, then each one."""
    stored: list[ast.expr] = []
    for each in carried:
        made = reversed(_uses(site, each.made, "tensor"))
        stored += [node for node in made if isinstance(_target(site, node), targets)][:1]
    reads = [found for each in carried if (found := _uses(site, each.read, "tensor", "tuple"))]
    # The first one after a backward may be that of its own round: a `return`.
    places = [[found[min(at, len(found) - 1)] for found in reads] for at in range(MAX_READS)]
    for several in (stored, *places):
        alone = dict.fromkeys(several)
        for cut in ([*alone], *([each] for each in alone)) if alone else ():
            edits = chain(*(_cut(site, each) for each in cut), site.graphs_not_kept())
            name = tuple(dict.fromkeys(site.text.of(_target(site, e) or e) for e in cut))
            yield propose(kind, site.statement_of(cut[0]), edits, name=name)


def _target(site: FaultSite, node: ast.expr) -> ast.expr | None:
    """Return what a value is assigned to, or the list that it is added to."""
    match site.parent(node):
        case ast.Assign(targets=[target, *_]):
            return target
        case ast.Call(func=ast.Attribute(value=target, attr="append")):
            return target
        case _:
            return None


def _cut(site: FaultSite, node: ast.expr) -> Edits:
    if (kind := _kind(site, node)) == "tensor":
        return site.text.append(node, ".detach()")
    return [site.text.replace(node, CUTS[kind].format(site.text.of(node)))]


def _kind(site: FaultSite, node: ast.expr) -> str:
    probed = site.probed(node)
    return "tensor" if probed is None else probed.kind


def _uses(site: FaultSite, places: Iterable[Span], *kinds: str) -> list[ast.expr]:
    """Return the expressions that were such a tensor, or held it, and were not merely asked."""
    found = [
        node for node in map(site.expressions.get, places) if node and _kind(site, node) in kinds
    ]
    users = [(node, site.parent(node)) for node in found]
    return [
        node
        for node, user in users
        if not isinstance(user, ast.Compare) and getattr(user, "attr", "") not in ASKED
    ]


def start_anew(site: FaultSite) -> Iterator[Proposal]:
    """Begin each round with what its state, or what it collects, was before the first."""
    if not site.runs_graph_again():
        return
    states = (each for each in site.probes.carried if not _is_from_before(site, each))
    spans = (span for each in states for span in each.read)
    read = [node for node in map(site.expressions.get, spans) if node is not None]
    # What is collected beside them has to fit them: rewards, and the steps that earned them.
    beside = list(nodes(ast.Name, *map(site.statement_of, read)))
    goals: list[tuple[ast.stmt, type[ast.expr]]]
    goals = [(loop.body[0], ast.expr) for loop in _loops(site)]
    if pair := site.in_one_block(site.culprits[0]) if site.culprits else None:
        behind = site.block(pair[0])[site.block(pair[0]).index(pair[0]) + 1 :]
        used = (each for each in behind if names(each) & names(*read))
        goals += [(each, ast.Constant) for each in used][:1]
    for goal, values in goals:
        begun = {
            ast.unparse(node): value
            for node in (*read, *beside)
            if (value := _begun(site, node, goal)) is not None
            if isinstance(value, values if node in read else ast.List)
        }
        plain = {name: value for name, value in begun.items() if "." not in name}
        known = plain | _known_at(site, begun, site.block(goal)[-1])
        lines = [f"{name} = {site.text.of(value)}" for name, value in known.items()]
        if lines:
            edits = [*(site.text.before(goal, line) for line in lines), site.graphs_not_kept()]
            yield propose("start_anew", goal, edits, name=tuple(lines))


def _begun(site: FaultSite, node: ast.expr, goal: ast.stmt) -> ast.expr | None:
    """Return what a state was before a line, or what `__init__` gave it, if given nothing."""
    owner = next((each for each in site.around(node) if isinstance(each, ast.ClassDef)), None)
    found: ast.expr | None = None
    for each in nodes(ast.Assign, site.tree):
        function = site.function(each)
        above = function is site.function(goal) and each.lineno < goal.lineno
        made = owner is not None and function in owner.body and function.name == "__init__"
        given = {"self", *arguments_of(function)} if made else set()
        for target, value in bindings(each) if above or made else ():
            if ast.unparse(target) == ast.unparse(node) and given.isdisjoint(names(value)):
                found = value
    return found


def own_default(site: FaultSite) -> Iterator[Proposal]:
    """Begin each call with a container of its own, where a default one has kept a graph."""
    for function in nodes(ast.FunctionDef, site.tree) if site.runs_graph_again() else ():
        for argument, default in defaults(function).items():
            if (empty := site.text.of(default)) in {"{}", "[]", "dict()", "list()"}:
                made = f"{argument} = {empty} if {argument} is None else {argument}"
                edits = [site.text.replace(default, "None")]
                edits += site.text.before(function.body[bool(ast.get_docstring(function))], made)
                yield propose("own_default", function, edits, name=argument)


def make_in_each_iteration(site: FaultSite) -> Iterator[Proposal]:
    """Begin every round with the computation whose results it uses, from its first line on.

    A closure that an optimizer calls is a round, too.
    """
    rounds = site.around(site.reader) if site.reader and site.runs_graph_again() else ()
    for loop in rounds:
        if isinstance(loop, ast.For | ast.While | ast.FunctionDef):
            here = site.function(loop)
            above = [
                each
                for each in nodes(ast.Assign, site.tree)
                if each.lineno < loop.lineno and site.function(each) is here
            ]
            if again := site.computing(above, names_read(*loop.body)):
                bound = stored_in_order(again)
                edits = [*computed_again(site, again, loop, loop.body[0]), site.graphs_not_kept()]
                yield propose("anew_each_round", again[0], edits, rebuilt=bound, name=bound)
        if isinstance(loop, ast.FunctionDef):
            break


def new_elements(site: FaultSite) -> Iterator[Proposal]:
    """Compute the elements of a list anew, where a loop does nothing but write each of them."""
    for statement in site.culprits:
        written, new = site.written_and_new(statement) or (None, "")
        match site.parent(statement):
            case ast.For(target=ast.Name(id=name), iter=listed, body=[_]) as loop if (
                written and written.id == name and is_assignable(listed)
            ):
                place = site.text.of(listed)
                edits = [site.text.replace(loop, f"{place} = [{new} for {name} in {place}]")]
                yield propose("new_elements", loop, edits, rebuilt=(name, place), name=place)
            case _:
                continue


# Backwards that need a graph which is used up, and results that keep one where none may be.


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
            name, new = site.text.of(target), site.free_name(target.attr, f"{target.attr}_now")
            same = nodes(ast.Attribute, site.function(each))
            edits = [site.text.replace(n, new) for n in same if site.text.of(n) == name]
            yield propose("local", each, edits, name=name, new=new)
