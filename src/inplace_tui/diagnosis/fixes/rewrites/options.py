"""What is asked of a tensor: to be a leaf, a gradient, keeping it, another dtype."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from inplace_tui.common.blame import SilentCause
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.syntax import bindings, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    binding,
    calls_of,
    dotted_name,
    is_assignable,
    is_in_place,
    keyword,
    last_name,
    names_of_contexts,
    tensor_part,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose, rebind, set_option

CREATORS = frozenset(
    [
        *("tensor", "zeros", "ones", "full", "empty", "rand", "randn", "arange", "linspace", "eye"),
        *("zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "empty_like"),
    ]
)
"""Functions that take `requires_grad`."""


def retain_grad(site: FaultSite) -> Iterator[Proposal]:
    """Ask a tensor inside the graph to keep its gradient."""
    # Of an update in a loop, which raises, it would keep the graphs of all iterations.
    only_read = site.verdict is Verdict.LEAF_LOST and site.raised is None
    if site.reader is None or not (only_read or site.verdict is Verdict.NON_LEAF_GRAD_READ):
        return
    for node in site.parts(site.reader):
        if isinstance(node, ast.Attribute) and node.attr == "grad" and is_assignable(node.value):
            name = site.text.of(node.value)
            if (made := binding(site, name, site.reader)) is not None:
                edits = site.text.after(made, f"{name}.retain_grad()")
                yield propose("retain_grad", made, edits, name=name)


def create_graph(site: FaultSite) -> Iterator[Proposal]:
    """Record the first backward, where a second one goes back through its gradient."""
    for call in calls_of(site, "grad", "backward"):
        is_first = site.statement_of(call) is not site.reader
        if is_first and site.verdict is Verdict.NO_GRAD_FN:
            yield set_option(site, "create_graph", [call], "create_graph", "True")


def require_grad(site: FaultSite) -> Iterator[Proposal]:
    """Let what the loss is computed from require grad.

    Where something requires it already, a new leaf would only make the error go away.
    """
    if site.verdict is not Verdict.NO_GRAD_FN:
        return
    raising = raising_step(site.timeline)
    before = site.timeline.at((len(site.timeline) if raising is None else raising.began) - 1)
    tensors = before.tensors.values()
    has_leaf = any(each.requires_grad and each.is_leaf is True for each in tensors)
    if not has_leaf:
        yield from _asked_of_optimized(site)
    for node in ast.walk(site.tree):
        if not has_leaf:
            yield from _asked(site, node)
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]):
                kept, name = site.text.drop(node, ".detach()"), site.text.of(value)
                yield propose("attached", site.statement_of(node), kept, name=name)
            case _:
                continue


def _asked_of_optimized(site: FaultSite) -> Iterator[Proposal]:
    """Ask for the gradients of all tensors that an optimizer is given by name."""
    makers = (each for each in nodes(ast.Call, site.tree) if "optim" in ast.unparse(each.func))
    optimized = names(*(argument for each in makers for argument in each.args[:1]))
    made = [
        (target.id, value)
        for node in nodes(ast.Assign, site.tree)
        for target, value in bindings(node)
        if isinstance(target, ast.Name) and target.id in optimized and _creates(value)
    ]
    if made:
        names_made, calls = zip(*made, strict=True)
        yield set_option(site, "ask", calls, "requires_grad", "True", name=names_made)


def _creates(value: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(value, ast.Call) and last_name(value.func) in CREATORS


def _asked(site: FaultSite, node: ast.AST) -> Iterator[Proposal]:
    """Ask for the gradient of a new tensor that has a name, or of what was frozen."""
    match node:
        case ast.Assign(targets=[target], value=ast.Call(func=function) as call) if (
            is_assignable(target) and last_name(function) in CREATORS
        ):
            name = site.text.of(target)
            yield set_option(site, "ask", [call], "requires_grad", "True", name=name)
        case (
            ast.Assign(
                targets=[ast.Attribute(value=frozen, attr="requires_grad")],
                value=ast.Constant(value=False) as flag,
            )
            | ast.Call(
                func=ast.Attribute(value=frozen, attr="requires_grad_"),
                args=[ast.Constant(value=False) as flag],
            )
        ):
            edits = [site.text.replace(flag, "True")]
            statement = site.statement_of(flag)
            yield propose("ask", statement, edits, name=site.text.of(frozen))
        case _:
            return


def to_floating_point(site: FaultSite) -> Iterator[Proposal]:
    """Make a tensor of floats where gradients are asked of integers."""
    if site.verdict is not Verdict.INTEGER_GRADIENT or (raised := site.raised) is None:
        return
    for node in site.parts(raised):
        match node:
            case ast.Call(func=function) if last_name(function) in CREATORS:
                target = dotted_name(raised.targets[0]) if isinstance(raised, ast.Assign) else None
                name = target or site.text.of(node)
                yield set_option(site, "floats", [node], "dtype", "torch.float32", name=name)
            case (
                ast.Call(func=ast.Attribute(value=value, attr="requires_grad_"))
                | ast.Attribute(value=value, attr="requires_grad", ctx=ast.Store())
            ) if is_assignable(value):
                cost = copied_bytes(site.tensor(value, raised)) // 2
                yield rebind(site, "floats", raised, value, ".float()", cost=cost)
            case _:
                continue


def cast_arguments(site: FaultSite) -> Iterator[Proposal]:
    """Give the values that are written the dtype of what they are written to."""
    for call in site.calls(site.raised):
        match call:
            case ast.Call(func=ast.Attribute(value=value, attr=method), args=[*_, last]) if (
                is_in_place(method) and not isinstance(last, ast.Constant)
            ):
                if part := tensor_part(site, value, site.statement_of(call)):
                    yield append(site, "cast", [last], f".to({site.text.of(part)}.dtype)")
            case _:
                continue


def masked_scatter(site: FaultSite) -> Iterator[Proposal]:
    """Give each masked element a value of its own, where a tensor of values was given."""
    for node in site.calls(site.raised):
        if last_name(node.func) in {"masked_fill_", "masked_fill"}:
            _, end = site.text.span(node.func)
            start = end - len(last_name(node.func)) + len("masked_")
            edit = Edit(start, start + len("fill"), "scatter")
            yield propose("scatter", site.statement_of(node), [edit])


def not_reentrant(site: FaultSite) -> Iterator[Proposal]:
    """Have every checkpoint recorded, whatever is given to it."""
    if site.blame is None or site.blame.cause is not SilentCause.UNTRACKED:
        return
    if calls := list(calls_of(site, "checkpoint", "checkpoint_sequential")):
        yield set_option(site, "not_reentrant", calls, "use_reentrant", "False")


def explicit_options(site: FaultSite) -> Iterator[Proposal]:
    """Pass what torch asks for: `randomness` to `vmap`, a coalesced tensor, a dense gradient."""
    raised = [] if site.raised is None else [site.raised, *site.callers(site.raised)]
    calls = list(site.calls(*raised))
    for call in calls:
        if last_name(call.func) == "vmap" and keyword(call, "randomness") is None:
            yield set_option(site, "randomness", [call], "randomness", "'different'")
        if isinstance(call.func, ast.Attribute) and call.func.attr in {"values", "indices"}:
            statement = site.statement_of(call)
            yield rebind(site, "coalesce", statement, call.func.value, ".coalesce()")
    for node in nodes(ast.Call, site.tree) if calls else ():
        if (flag := keyword(node, "sparse")) is not None:
            edit = site.text.replace(flag.value, "False")
            yield propose("dense", site.statement_of(node), [edit])


# Updates that give the name of a leaf to something computed from it.


def update_leaf_in_place(site: FaultSite) -> Iterator[Proposal]:
    """Update leaves under `no_grad` instead of giving their names to something computed."""
    if site.blame is None or site.blame.cut is None:
        return
    statement = site.statement(site.blame.cut)
    if not isinstance(statement, ast.Assign) or not is_assignable(statement.targets[0]):
        return
    text, updates = site.text, _updates(site, statement)
    names = tuple(text.of(each.targets[0]) for each in updates)
    lines = [_in_place(site, each) for each in updates]
    blocks = (each for each in site.around(statement) if isinstance(each, ast.With))
    unrecorded = any("no_grad" in names_of_contexts(each) for each in blocks)
    if unrecorded:
        edits = [text.replace(each, line) for each, line in zip(updates, lines, strict=True)]
        yield propose("leaf_updated", statement, edits, name=names)
    yield append(site, "new_leaf", [each.value for each in updates], _LEAF, name=names)

    def updated() -> Edits:
        start, end = text.block(statement, updates[-1])
        indent, line = text.indent(statement), text.newline
        writes = "".join(f"{indent}{text.unit}{each}{line}" for each in lines)
        clears = "".join(f"{indent}{each}.grad = None{line}" for each in names)
        yield Edit(start, end, f"{indent}with torch.no_grad():{line}{writes}{clears}")

    if not unrecorded:
        yield propose("leaf_kept", statement, updated(), name=names)


def _updates(site: FaultSite, first: ast.Assign) -> list[ast.Assign]:
    """Return the statement that loses a leaf, and those behind it that lose theirs alike."""
    block, found = site.block(first), [first]
    for behind in block[block.index(first) + 1 :]:
        match behind:
            case ast.Assign(targets=[target]) if is_assignable(target):
                gradient = f"{ast.unparse(target)}.grad"
                attributes = nodes(ast.Attribute, behind.value)
                if not any(ast.unparse(each) == gradient for each in attributes):
                    break
                found.append(behind)
            case _:
                break
    return found


def _in_place(site: FaultSite, statement: ast.Assign) -> str:
    """Return an assignment as a write to what its name meant before."""
    text, target = site.text, statement.targets[0]
    match statement.value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if ast.unparse(left) == ast.unparse(target):
                sign = "+" if isinstance(op, ast.Add) else "-"
                return f"{text.of(target)} {sign}= {text.of(right)}"
        case _:
            pass
    return f"{text.of(target)}.copy_({text.of(statement.value)})"


def leaf_for_optimizer(site: FaultSite) -> Iterator[Proposal]:
    """Make leaves of what an optimizer is given, where they were made."""
    if site.verdict is not Verdict.OPTIMIZER_NEEDS_LEAF or (raised := site.raised) is None:
        return
    made = {
        dotted_name(each.targets[0]): each.value
        for each in site.block(raised)
        if isinstance(each, ast.Assign) and each.lineno < raised.lineno
    }
    given = (each.id for each in site.parts(raised) if isinstance(each, ast.Name))
    found = {
        name: made[name]
        for name in given
        if name in made
        and (tensor := site.tensor(name, raised)) is not None
        and tensor.is_leaf is False
    }
    if found:
        yield append(site, "new_leaf", list(found.values()), _LEAF, name=tuple(found))


_LEAF = ".detach().requires_grad_()"
