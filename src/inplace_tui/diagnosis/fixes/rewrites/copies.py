"""Copies: of what an op saves, of what is passed on, of an alias, of what is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import DOTTED, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    binding,
    dotted_name,
    free_name,
    is_assignable,
    is_in_place,
    last_name,
    must_write,
    tensor_part,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose, rebind

PIECES = frozenset({"split", "chunk", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit"})
"""Calls that return several views at once."""

ARRAYS = frozenset({"numpy", "asarray", "__array__"})


def copy_saved(site: FaultSite) -> Iterator[Proposal]:
    """Let the op that saved a tensor have its own copy: of no use once its node was freed."""
    refused = site.verdict is not None and site.verdict.is_refused_write
    if refused or site.verdict is Verdict.GRAPH_FREED:
        return
    for statement in _savers(site):
        yield from _copied_arguments(site, statement)
        yield from _copied_result(site, statement)
        yield from _copied_parameters(site, statement)
    savers = dict.fromkeys(each for lines in site.probes.changed for each in site.on(lines[0]))
    yield from _copied_arguments(site, *savers)


def _savers(site: FaultSite) -> list[ast.stmt]:
    """Return the statements that saved, and those that called them."""
    known = [each for lines in site.probes.changed for line in lines for each in site.on(line)]
    if site.saver is not None:
        known = [*site.on(site.saver.lineno), *site.callers(site.saver), *known]
    return list(dict.fromkeys(known))


def _loads(site: FaultSite, statement: ast.stmt) -> Iterator[ast.expr]:
    for node in site.parts(statement):
        if isinstance(node, DOTTED) and isinstance(node.ctx, ast.Load):
            yield node


def _copied_arguments(
    site: FaultSite, *statements: ast.stmt, only_calls: bool = False
) -> Iterator[Proposal]:
    """Clone what statements read of the memory that was written."""
    places = {
        place: site.bytes_of(node, statement)
        for statement in statements
        for node in _at_fault(site, statement)
        for place in [_viewed(site, node)]
        if not _is_written(site, place) and (not only_calls or _is_argument(site, place))
    }
    if places:
        kind = "copy_weights" if any(write.is_step for write in site.writes) else "copy_saved"
        if site.verdict is not None and site.verdict.is_refused_write:
            kind = "copy_passed"  # nobody has saved it
        yield append(site, kind, list(places), ".clone()", cost=sum(places.values()))


def _at_fault(site: FaultSite, statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield what a statement computes or names that had the memory which was written.

    Its whole value is no argument of it, and a write in place is the writer.
    """
    whole = getattr(statement, "value", None)
    for node in site.parts(statement):
        if not isinstance(node, ast.expr):
            continue
        named = isinstance(node, DOTTED) and tensor_part(site, node, statement) is node
        if not (site.shares(node, statement) if named else site.had_memory(node)):
            continue
        writes = isinstance(node, ast.Call) and is_in_place(last_name(node.func))
        if named or not (node is whole or writes):
            yield node


def _viewed(site: FaultSite, part: ast.expr) -> ast.expr:
    """Return the part of a tensor that is read: `h[t - 1]` rather than `h`, `h.view(-1)`."""
    while True:
        match site.parent(part):
            case ast.Subscript(value=inner, ctx=ast.Load()) as above if inner is part:
                part = above
            case ast.Attribute() as above if site.had_memory(above):
                part = above
            case ast.Attribute(attr=method) as above if not is_in_place(method):
                call = site.parent(above)
                if not (isinstance(call, ast.Call) and site.had_memory(call)):
                    return part
                part = call
            case _:
                return part


def _is_argument(site: FaultSite, node: ast.expr) -> bool:
    above = site.parent(node)
    if isinstance(above, ast.keyword | ast.Starred):
        above = site.parent(above)
    if not isinstance(above, ast.Call) or above.func is node:
        return False
    # A call whose value nobody takes is there to write its arguments, if it is no method.
    is_method = isinstance(above.func, ast.Attribute) and is_in_place(above.func.attr)
    return is_method or not isinstance(site.parent(above), ast.Expr)


def _is_written(site: FaultSite, node: ast.expr) -> bool:
    """Whether an expression is there to be written, not to be read."""
    node = _viewed(site, node)
    match site.parent(node):
        case ast.Subscript(value=part) if part is node:
            return True  # where no view is read, one is stored to
        case ast.AugAssign(target=target):
            return target is node
        case ast.Attribute(attr=attribute):
            return attribute.endswith("_") or attribute in {"requires_grad", "grad", "data"}
        case _:
            return False


def _copied_result(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Clone the result, so that the op keeps the only hold of what it saved."""
    match statement:
        case ast.Return(value=ast.expr() as returned) if site.had_memory(returned):
            cost = site.bytes_of(returned, statement)
            yield append(site, "copy_result", [returned], ".clone()", cost=cost)
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            if site.had_memory(value) or (
                is_assignable(target) and _may_be_copied(site, target, statement)
            ):
                values = {"cost": site.made(target, statement), "name": site.text.of(target)}
                yield append(site, "copy_result", [value], ".clone()", **values)
        case _:
            return


def _may_be_copied(site: FaultSite, node: ast.expr, statement: ast.stmt) -> bool:
    """Whether a copy under this name can help: of what was written, and of no leaf.

    A parameter's copy is no parameter: neither an optimizer nor `.grad` has any use for it.
    """
    made = site.made(node, statement)
    refused = site.blame is not None and site.blame.verdict.is_refused_write
    if made is None or (made.requires_grad and made.is_leaf is True and not refused):
        return False
    return not site.storages or site.ever_shared(node, statement)


def _copied_parameters(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Run a module with copies of its parameters; the gradients still go to the originals.

    All its calls on the statement, and then all in the block: a loss may need several.
    """
    around = [each for each in site.block(statement) if each is not statement]
    elsewhere = [call for call in site.calls(*around) if is_assignable(call.func)]
    here: dict[str, list[ast.Call]] = {}
    for call in site.calls(statement):
        if is_assignable(call.func):
            here.setdefault(ast.unparse(call.func), []).append(call)
    for module, calls in here.items():
        yield from _functional(site, statement, calls)
        others = [each for each in elsewhere if ast.unparse(each.func) == module]
        if others:
            yield from _functional(site, statement, calls + others)


def _functional(site: FaultSite, statement: ast.stmt, calls: list[ast.Call]) -> Iterator[Proposal]:
    text, module = site.text, site.text.of(calls[0].func)
    held = site.held_in(calls[0].func, statement)
    size = sum(copied_bytes(tensor) for tensor in held if tensor.is_parameter)
    probed = site.probed(calls[0].func)
    if probed is not None and probed.kind == "module":
        size = probed.nbytes
    if not size or any(isinstance(arg, ast.Starred) for call in calls for arg in call.args):
        return
    copies = free_name(site, "copies", "parameters")

    def called(call: ast.Call) -> str:
        given = [text.of(each) for each in call.args]
        arguments = f"({', '.join(given)}{',' if len(given) == 1 else ''})"
        keywords = [f"{each.arg!r}: {text.of(each.value)}" for each in call.keywords if each.arg]
        extra = f", {{{', '.join(keywords)}}}" if keywords else ""
        return f"torch.func.functional_call({module}, {copies}, {arguments}{extra})"

    made = f"{copies} = {{name: p.clone() for name, p in {module}.named_parameters()}}"
    at = dict.fromkeys(map(site.statement_of, calls))
    edits: list[Edit | Iterator[Edit]] = [text.before(each, made) for each in at]
    edits += [text.replace(call, called(call)) for call in calls]
    cost = size * len(at)
    yield propose("copy_parameters", statement, edits, cost=cost, name=module)


def copy_passed(site: FaultSite) -> Iterator[Proposal]:
    """Pass copies to the call that writes, or to the one that leads to it.

    Of a freed graph nothing was written: a copy would merely miss a cache that asks for an `id()`.
    """
    if site.verdict is Verdict.GRAPH_FREED:
        return
    for statement in site.culprits:
        for caller in (statement, *site.callers(statement)):
            yield from _copied_arguments(site, caller, only_calls=True)
        if site.raised is statement or site.saver is None:
            yield from _any_argument(site, statement)


def _any_argument(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Clone one argument of a call, where it is not known which memory is at fault."""
    if isinstance(statement, ast.Assign | ast.Expr | ast.Return):
        for node in _loads(site, statement):
            if isinstance(node, ast.Subscript) or _is_written(site, node):
                continue
            tensor = site.tensor(node, statement)
            if tensor is not None and (tensor.is_inference or tensor.is_view):
                yield append(site, "copy_passed", [node], ".clone()", cost=tensor)


# What is written.


def copy_first(site: FaultSite) -> Iterator[Proposal]:
    """Write into a copy: `y = y.clone()` before the write."""
    yield from _copied_first(site, in_loop=False)


def copy_each_round(site: FaultSite) -> Iterator[Proposal]:
    """Write into a copy in a loop: one in every round, where another copy may do for all."""
    yield from _copied_first(site, in_loop=True)


def _copied_first(site: FaultSite, *, in_loop: bool) -> Iterator[Proposal]:
    for statement in site.culprits:
        function = site.function(statement)
        loops = (each for each in site.loops_around(statement) if site.function(each) is function)
        if any(loops) is not in_loop or must_write(site, statement):
            continue
        if not isinstance(statement, ast.With | ast.For | ast.If | ast.While):
            for part in written_parts(site, statement):
                cost = site.bytes_of(part, statement)
                yield rebind(site, "copy_first", statement, part, ".clone()", cost=cost)


def copy_inference(site: FaultSite) -> Iterator[Proposal]:
    """Make a normal tensor of one from inference mode."""
    if (statement := site.raised) is None:
        return
    for node in site.parts(statement):
        if isinstance(node, ast.Name | ast.Attribute) and is_assignable(node):
            tensor = site.tensor(node, statement)
            if tensor is not None and tensor.is_inference:
                yield rebind(site, "copy_first", statement, node, ".clone()", cost=tensor)


# Aliases.


def copy_alias(site: FaultSite) -> Iterator[Proposal]:
    """Make a copy where an alias was made: `.detach().clone()` instead of `.detach()`."""
    if site.verdict is Verdict.GRAPH_FREED:
        return
    bindings: list[ast.Assign] = []
    for statement in filter(None, (*site.culprits, site.saver)):
        for name in filter(None, map(dotted_name, site.parts(statement))):
            found = binding(site, name, statement)
            if isinstance(found, ast.Assign) and found is not statement and found not in bindings:
                bindings.append(found)
    for each in bindings:
        yield from _copied_alias(site, each)


def _copied_alias(site: FaultSite, statement: ast.Assign) -> Iterator[Proposal]:
    target, value, name = statement.targets[0], statement.value, site.text.of(statement.targets[0])
    method = last_name(value.func) if isinstance(value, ast.Call) else ""
    made = site.made(target, statement) if is_assignable(target) else None
    is_known = made is not None and _may_be_copied(site, target, statement)
    if not (is_known or method in ARRAYS or (made is None and method in PIECES)):
        return
    if method in PIECES:
        edit = site.text.replace(value, f"[piece.clone() for piece in {site.text.of(value)}]")
        cost = max(site.bytes_of(each, statement) for each in nodes(ast.expr, value))
        yield propose("copy_pieces", statement, [edit], cost=cost, name=name)
        return
    is_alias = any(each is not value and site.had_memory(each) for each in ast.walk(value))
    kind = "copy_alias" if is_alias else "copy_result"
    yield propose(kind, statement, _cloned(site, value), cost=made, name=name)
    if _is_detached_result(site, value, statement):
        edits = _cloned(site, value)
        yield propose("copy_detached", statement, edits, cost=made, name=name)


def _is_detached_result(site: FaultSite, value: ast.expr, statement: ast.stmt) -> bool:
    """Whether this is `y.detach()` of a computed `y`: a target that is written, as a rule.

    Through what is detached from a leaf one means to update the leaf.
    """
    match value:
        case ast.Call(func=ast.Attribute(value=base, attr="detach"), args=[], keywords=[]):
            tensor = site.tensor(base, statement)
            return tensor is not None and tensor.requires_grad and tensor.is_leaf is False
        case _:
            return False


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
