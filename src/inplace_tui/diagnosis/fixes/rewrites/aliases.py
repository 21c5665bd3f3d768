"""Copies where an alias was made or is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.syntax import nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edits
from inplace_tui.diagnosis.fixes.expressions import (
    dotted_name,
    free_name,
    in_hook,
    is_assignable,
    is_for_caller,
    last_name,
    tensor_part,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.copies import may_be_copied

PIECES = frozenset({"split", "chunk", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit"})
"""Calls that return several views at once."""

ARRAYS = frozenset({"numpy", "asarray", "__array__"})


def copy_first(site: FaultSite) -> Iterator[Proposal]:
    """Write into a copy: `y = y.clone()` before the write."""
    for statement in site.culprits:
        if not _in_loop(site, statement):
            yield from _copied_first(site, [statement])


def copy_each_round(site: FaultSite) -> Iterator[Proposal]:
    """Write into a copy in a loop: one in every round, where another copy may do for all."""
    yield from _copied_first(site, [each for each in site.culprits if _in_loop(site, each)])


def _in_loop(site: FaultSite, statement: ast.stmt) -> bool:
    function = site.function(statement)
    return any(site.function(each) is function for each in site.loops_around(statement))


def _copied_first(site: FaultSite, statements: list[ast.stmt]) -> Iterator[Proposal]:
    for statement in statements:
        if isinstance(statement, ast.With | ast.For | ast.If | ast.While):
            continue
        if in_hook(site, statement) or site.updates_leaf(statement):
            continue
        if is_for_caller(site, statement):
            continue
        for part in written_parts(site, statement):
            name = site.text.of(part)
            yield propose(
                "copy_first",
                statement,
                site.text.before(statement, f"{name} = {name}.clone()"),
                cost=site.nbytes(part, statement),
                name=name,
            )


def copy_inference(site: FaultSite) -> Iterator[Proposal]:
    """Make a normal tensor of one from inference mode."""
    statement = site.raised
    if statement is None:
        return
    for node in site.parts(statement):
        if not isinstance(node, ast.Name | ast.Attribute) or not is_assignable(node):
            continue
        tensor = site.tensor(ast.unparse(node), statement)
        name = site.text.of(node)
        if tensor is not None and tensor.is_inference:
            yield propose(
                "copy_first",
                statement,
                site.text.before(statement, f"{name} = {name}.clone()"),
                cost=copied_bytes(tensor),
                name=name,
            )


def copy_alias(site: FaultSite) -> Iterator[Proposal]:
    """Make a copy where an alias was made: `.detach().clone()` instead of `.detach()`."""
    bindings: list[ast.stmt] = []
    if site.verdict is Verdict.GRAPH_FREED:
        return
    for statement in (*site.culprits, *([] if site.saver is None else [site.saver])):
        for node in site.parts(statement):
            name = dotted_name(node)
            if name is not None:
                found = binding(site, name, statement)
                if found is not None and found is not statement and found not in bindings:
                    bindings.append(found)
    for statement in bindings:
        yield from _copied_alias(site, statement)


def binding(site: FaultSite, name: str, statement: ast.stmt) -> ast.stmt | None:
    """Return the statement above that gave a name its value last."""
    function = site.function(statement)
    found = None
    for node in ast.walk(site.tree):
        if not isinstance(node, ast.Assign | ast.For) or node.lineno > statement.lineno:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        bound = {dotted_name(part) for target in targets for part in _unpacked(target)}
        is_later = found is None or node.lineno > found.lineno
        if is_later and name in bound and site.function(node) is function:
            found = node
    return found


def _unpacked(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        return [part for each in target.elts for part in _unpacked(each)]
    return [target.value] if isinstance(target, ast.Starred) else [target]


def _copied_alias(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    text = site.text
    if not isinstance(statement, ast.Assign):
        return
    target, value = statement.targets[0], statement.value
    is_array = isinstance(value, ast.Call) and last_name(value.func) in ARRAYS
    made = site.made(ast.unparse(target), statement) if is_assignable(target) else None
    if made is not None and not (is_array or may_be_copied(site, target, statement)):
        return
    is_tuple = isinstance(value, ast.Call) and last_name(value.func) in PIECES
    if made is None and not (is_array or is_tuple):
        return
    written = text.of(target)
    if is_tuple:
        pieces = f"[piece.clone() for piece in {text.of(value)}]"
        whole = tensor_part(site, value, statement)
        yield propose(
            "copy_pieces",
            statement,
            [text.replace(value, pieces)],
            cost=_pieces_bytes(site, target, statement)
            or (site.nbytes(whole, statement) if whole else 0),
            name=written,
        )
        return
    yield propose(
        "copy_alias" if _is_alias(site, target, statement) else "copy_result",
        statement,
        _cloned(site, value),
        cost=copied_bytes(made),
        name=written,
    )
    if _is_detached_result(site, value, statement):
        yield propose(
            "copy_detached",
            statement,
            _cloned(site, value),
            cost=copied_bytes(made),
            usual=True,
            name=written,
        )


def _is_detached_result(site: FaultSite, value: ast.expr, statement: ast.stmt) -> bool:
    """Whether this is `y.detach()` of a computed `y`: a target that is written, as a rule.

    Through what is detached from a leaf one means to update the leaf.
    """
    match value:
        case ast.Call(func=ast.Attribute(value=base, attr="detach"), args=[], keywords=[]):
            tensor = site.tensor(ast.unparse(base), statement)
            return tensor is not None and tensor.requires_grad and tensor.is_leaf is False
        case _:
            return False


def _is_alias(site: FaultSite, target: ast.expr, statement: ast.stmt) -> bool:
    """Whether a name was given to memory that others look at, too."""
    steps = site.steps(statement)
    tensor = site.made(ast.unparse(target), statement)
    if not steps or tensor is None:
        return True
    others = site.timeline.at(site.timeline.steps[steps[-1]].began - 1).tensors.values()
    return any(each.storage == tensor.storage for each in others)


def _pieces_bytes(site: FaultSite, target: ast.expr, statement: ast.stmt) -> int:
    """Return how much memory copies of the pieces take that a line gave names to."""
    targets = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    found: dict[int, Tensor] = {}
    for each in targets:
        made = site.made(ast.unparse(each), statement)
        within = site.names_under(ast.unparse(each), statement)
        found |= {tensor.id: tensor for tensor in ([made] if made else within)}
    return sum(map(copied_bytes, found.values()))


def _cloned(site: FaultSite, value: ast.expr) -> Edits:
    """Write `.clone()` where the alias is made: before `.numpy()` and `.requires_grad_()`."""
    text = site.text
    match value:
        case ast.Attribute(attr="data"):
            return text.drop(value, ".data", ".detach().clone()")
        case ast.Call(func=ast.Attribute(value=base, attr="numpy" | "requires_grad_")):
            return text.append(base, ".clone()")
        case ast.Call(func=function) if last_name(function) in ARRAYS:
            return text.append(value, ".copy()")
        case _:
            return text.append(value, ".clone()")


def indices(site: FaultSite) -> Iterator[Proposal]:
    """Loop over indices instead of rows, which are all views of one call.

    The write may stand in a function that the loop calls.
    """
    places = [place for each in site.culprits for place in (each, *site.callers(each))]
    loops = [above for place in places for above in (place, *site.around(place))]
    for loop in dict.fromkeys(each for each in loops if isinstance(each, ast.For)):
        yield from _indexed(site, loop)


def _indexed(site: FaultSite, loop: ast.For) -> Iterator[Proposal]:
    text = site.text
    others: list[tuple[str, str]] = []
    match loop.target, loop.iter:
        case ast.Name(id=row), whole if is_assignable(whole):
            pass
        case (
            ast.Tuple(elts=[ast.Name(id=row), *targets]),
            ast.Call(func=ast.Name(id="zip"), args=[whole, *values], keywords=[]),
        ) if is_assignable(whole) and len(targets) == len(values) > 0:
            others = [(text.of(t), text.of(v)) for t, v in zip(targets, values, strict=True)]
        case _:
            return
    if tensor_part(site, whole, loop) is None:
        return
    index, name = free_name(site, "i", "j", "k", f"{row}_index"), text.of(whole)
    uses = [node for node in nodes(ast.Name, *loop.body) if node.id == row]

    beside = ", ".join(target for target, _ in others)
    rows = ", ".join(value for _, value in others)
    if len(others) > 1:
        beside, rows = f"({beside})", f"zip({rows})"

    def edits() -> Edits:
        yield text.replace(loop.target, f"{index}, {beside}" if others else index)
        yield text.replace(loop.iter, f"enumerate({rows})" if others else f"range(len({name}))")
        for use in uses:
            yield text.replace(use, f"{name}[{index}]")

    yield propose("indices", loop, edits(), name=name)
