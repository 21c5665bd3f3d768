"""Loops whose iterations share a graph: made before the first, or handed from one to the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from types import UnionType

from inplace_tui.common.run.probes import Carried, Span
from inplace_tui.common.syntax import names, names_read, names_stored, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edits
from inplace_tui.diagnosis.fixes.expressions import (
    arguments_of,
    defaults,
    graphs_not_kept,
    is_assignable,
    last_name,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose


def make_in_each_iteration(site: FaultSite) -> Iterator[Proposal]:
    """Make in every iteration what was made before the loop, or detach it."""
    if site.reader is None or not runs_graph_again(site):
        return
    for loop in site.around(site.reader):
        if isinstance(loop, ast.For | ast.While):
            yield from _lists_emptied(site, loop)
        if isinstance(loop, ast.For | ast.While | ast.FunctionDef):
            yield from _computed_in_loop(site, loop)
        if isinstance(loop, ast.FunctionDef):
            break
    yield from _detached_before(site, list(site.loops_around(site.reader)))


def _detached_before(site: FaultSite, loops: Sequence[ast.AST]) -> Iterator[Proposal]:
    """Detach what was made before the rounds: where it is made, or where one of them reads it."""
    carried = [each for each in site.probes.carried if not _is_state(site, each, loops)]
    kept = (_kept(site, each.made, ast.expr) for each in carried)
    made = list(dict.fromkeys(value for value in kept if value is not None))
    read = [node for each in carried for node in _uses(site, each.read)]
    alone = dict.fromkeys([*made, *read[: 2 * MAX_READS]])
    for values in [*([each] for each in alone), *([made] if len(made) > 1 else [])]:
        above = map(site.parent, values)
        targets = [each.targets[0] if isinstance(each, ast.Assign) else None for each in above]
        places = [target or value for target, value in zip(targets, values, strict=True)]
        names = tuple(map(site.text.of, places))
        yield append(site, "detach_before", values, ".detach()", name=names)


def _computed_in_loop(
    site: FaultSite, loop: ast.For | ast.While | ast.FunctionDef
) -> Iterator[Proposal]:
    """Begin every round with the computation whose results it uses, from its first line on.

    A closure that an optimizer calls is a round, too.
    """
    function = site.function(loop)
    above = [
        each
        for each in nodes(ast.Assign, site.tree)
        if each.lineno < loop.lineno and site.function(each) is function
    ]
    needed, chain = names_read(*loop.body), list[ast.Assign]()
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
    rebuilt = tuple(sorted(bound))
    yield propose("anew_each_round", chain[0], edits, rebuilt=rebuilt, name=names)


MAX_COMPUTED = 8
"""Lines of a computation that is done in every round."""


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
        yield propose("empty_each_round", made[0], edits, name=names)


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
    updated = bool(site.writes) and site.writes[0].is_step
    modified = site.verdict is Verdict.SAVED_TENSOR_MODIFIED
    return site.verdict is Verdict.GRAPH_FREED or (updated and modified)


def detach_state(site: FaultSite) -> Iterator[Proposal]:
    """Detach what crosses a backward: where it is read after it, kept, or between two rounds."""
    if site.reader is None or not runs_graph_again(site):
        return
    yield from _detached_itself(site)
    loops = list(site.loops_around(site.reader))
    carried = [each for each in site.probes.carried if _is_state(site, each, loops)]
    reads = [found for each in carried if (found := _uses(site, each.read))]
    states = [state for found in reads for state in found if is_assignable(state)]
    names = {site.text.of(each): _kind(site, each) for each in states}
    here = site.function(site.reader)
    assigned = nodes(ast.Assign, site.tree)
    for each in sorted(assigned, key=lambda each: site.function(each) is not here):
        kept = {name: names[name] for name in names if _keeps(each, name)}
        yield from _detached_behind(site, each, kept)
    owned = (each.value if isinstance(each, ast.Subscript) else each for each in states)
    attributes = {each.attr for each in owned if isinstance(each, ast.Attribute)}
    for last in [loop.body[-1] for loop in loops] or [site.reader]:
        known = _known_as(site, last, attributes)
        plain = {name: names[name] for name in names if loops and name in site.names(last)}
        yield from _detached_behind(site, last, plain | known)
    for place in range(MAX_READS):
        # The first one after a backward may be that of its own round: a `return`.
        yield from _detached_where(site, [found[min(place, len(found) - 1)] for found in reads])
    values = (_kept(site, each.made, ast.Attribute | ast.Subscript) for each in carried)
    yield from _detached_where(site, [value for value in values if value is not None])


def _is_state(site: FaultSite, carried: Carried, loops: Sequence[ast.AST]) -> bool:
    """Whether a value is made anew in the rounds, and not once before them."""
    made = filter(None, map(site.expression, carried.made))
    return not loops or all(
        site.function(each) is not site.function(loops[0]) or loops[0] in site.around(each)
        for each in made
    )


def _keeps(statement: ast.Assign, name: str) -> bool:
    """Whether a statement keeps a state beside what its round goes on with."""
    bound = [part for target in statement.targets for part in ast.walk(target)]
    spelled = {ast.unparse(each) for each in bound if isinstance(each, ast.Name | ast.Attribute)}
    is_plain = isinstance(statement.targets[0], ast.Name)
    return name in spelled and not (is_plain or isinstance(statement.value, ast.Constant))


def _known_as(site: FaultSite, last: ast.stmt, attributes: set[str]) -> dict[str, str]:
    """Return what attributes of `self` are called where a round ends, and of what kind they are."""
    found = (_ATTRIBUTE.fullmatch(name) for name in site.names(last))
    places = {each[1]: each[3] is not None for each in found if each and each[2] in attributes}
    return {
        name: ("tuple" if _is_sequence(site, name, last) else "dict") if held else "tensor"
        for name, held in places.items()
        if _graph_of(site, name, last)
    }


_ATTRIBUTE = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*\.(\w+))(\[.+\])?")
"""`model.hidden`, or `model.hidden[0]` of what is held there."""

MAX_READS = 3
"""Places that read a state, of which each one is tried."""

ASKED = frozenset({"backward", "data", "detach", "grad", "item", "shape", "size"})
"""Attributes of a tensor by which no graph goes on."""


def _uses(site: FaultSite, places: Iterable[Span]) -> list[ast.expr]:
    """Return the expressions that were such a tensor, or a tuple of it, and not merely asked."""
    found: list[ast.expr] = []
    for place in places:
        node = site.expression(place)
        probed = None if node is None else site.probed(node)
        if node is None or probed is None or probed.kind in {"list", "dict"}:
            continue
        above = site.parent(node)
        is_asked = isinstance(above, ast.Attribute) and above.attr in ASKED
        if not is_asked and not isinstance(above, ast.Compare):
            found.append(node)
    return found


def start_anew(site: FaultSite) -> Iterator[Proposal]:
    """Begin each round with the state that the object had when it was made."""
    if site.reader is None or not runs_graph_again(site):
        return
    reads = [state for each in site.probes.carried for state in _uses(site, each.read)]
    begun = {last_name(each): value for each in reads if (value := _begun(site, each))}
    for loop in site.loops_around(site.reader):
        known = _known_as(site, loop.body[-1], set(begun))
        lines = [f"{each} = {site.text.of(begun[each.rpartition('.')[2]])}" for each in known]
        if lines:
            edits = [site.text.before(loop.body[0], line) for line in lines]
            edits.append(graphs_not_kept(site, [site.reader]))
            yield propose("start_anew", loop, edits, name=tuple(lines))


def _begun(site: FaultSite, state: ast.expr) -> ast.expr | None:
    """Return what `__init__` gave to an attribute of `self`, if it was given nothing for that."""
    owner = next((each for each in site.around(state) if isinstance(each, ast.ClassDef)), None)
    for method in nodes(ast.FunctionDef, owner):
        for each in nodes(ast.Assign, method) if method.name == "__init__" else ():
            if ast.unparse(state) in map(ast.unparse, each.targets):
                given = {"self", *arguments_of(method)} & names(each.value)
                return None if given else each.value
    return None


def _kept(
    site: FaultSite, places: Iterable[Span], target: type[ast.expr] | UnionType
) -> ast.expr | None:
    """Return the last value that was stored in such a target."""
    for node in filter(None, map(site.expression, reversed(list(places)))):
        match site.parent(node):
            case ast.Assign(targets=[first, *_]) if isinstance(first, target):
                return node
    return None


def _detached_where(site: FaultSite, places: list[ast.expr]) -> Iterator[Proposal]:
    """Detach expressions where they stand: all, then each one."""
    several = list(dict.fromkeys(places))
    for found in [several, *([each] for each in several if len(several) > 1)] if several else ():
        names = {site.text.of(each): _kind(site, each) for each in found}
        edits = [
            site.text.replace(each, _cut(site.text.of(each), "tuple"))
            if names[site.text.of(each)] == "tuple"
            else site.text.append(each, ".detach()")
            for each in found
        ]
        yield _between_rounds(site, site.statement_of(found[0]), names, edits)


def _detached_behind(
    site: FaultSite, statement: ast.stmt, names: dict[str, str]
) -> Iterator[Proposal]:
    """Bind states of some kinds to what is cut off behind a statement."""
    if names:
        cut = (_cut(name, kind) for name, kind in names.items())
        line = f"{', '.join(names)} = {', '.join(cut)}"
        yield _between_rounds(site, statement, names, site.text.after(statement, line))


def _between_rounds(
    site: FaultSite, statement: ast.stmt, names: Iterable[str], edits: Edits
) -> Proposal:
    edits = chain(edits, graphs_not_kept(site, [site.reader]))
    return propose("detach_state", statement, edits, name=tuple(names))


def _cut(name: str, kind: str) -> str:
    match kind:
        case "tuple":
            return f"tuple(each.detach() for each in {name})"
        case "dict":
            return f"{{key: each.detach() for key, each in {name}.items()}}"
        case _:
            return f"{name}.detach()"


def _kind(site: FaultSite, state: ast.expr) -> str:
    probed = site.probed(state)
    return "tensor" if probed is None else probed.kind


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
                yield propose("detach_itself", node, edits, name=name)
            case _:
                continue


def _is_given(site: FaultSite, statement: ast.stmt, name: str) -> bool:
    """Whether a name is that of a loop's round or a function's argument: others hold it, too."""
    loops = (each for each in site.around(statement) if isinstance(each, ast.For))
    given = names(*(loop.target for loop in loops))
    return name in given | arguments_of(site.function(statement))


def _graph_of(site: FaultSite, place: str, last: ast.stmt) -> bool:
    """Whether a tensor that a place holds, or one in a tuple there, was computed."""
    tensor = site.made(place, last)
    held = site.held_in(place, last) if tensor is None else [tensor]
    return any(isinstance(each.grad_fn, int) for each in held)


def _is_sequence(site: FaultSite, place: str, last: ast.stmt) -> bool:
    """Whether a place holds tensors under numbers only, and the program writes no dict there."""
    inner = [each for each in site.names(last) if each.startswith((f"{place}.", f"{place}["))]
    dicts = {
        last_name(target)  # `self.kept` is `memo.kept` elsewhere
        for each in ast.walk(site.tree)
        if isinstance(each, ast.Assign | ast.AnnAssign)
        and isinstance(each.value, ast.Dict | ast.DictComp)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
    }
    return place.rpartition(".")[2] not in dicts and all(
        _ITEM.match(each, len(place)) for each in inner
    )


_ITEM = re.compile(r"\[\d+\]$")


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
        yield append(site, "detach_stored", values, ".detach()", name=names)


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


def own_default(site: FaultSite) -> Iterator[Proposal]:
    """Begin each call with a container of its own, where a default one has kept a graph."""
    if site.reader is None or not runs_graph_again(site):
        return
    text = site.text
    for function in nodes(ast.FunctionDef, site.tree):
        for argument, default in defaults(function).items():
            if (empty := text.of(default)) in {"{}", "[]", "dict()", "list()"}:
                made = f"{argument} = {empty} if {argument} is None else {argument}"
                first = function.body[bool(ast.get_docstring(function))]
                edits = [text.replace(default, "None"), *text.before(first, made)]
                yield propose("own_default", function, edits, name=argument)
