"""What is asked of a tensor: a gradient, keeping it, another dtype."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from typing import TypeGuard

from inplace_tui.common.blame import SilentCause
from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.syntax import bindings, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.expressions import (
    dotted_name,
    is_assignable,
    is_in_place,
    keyword,
    last_name,
    set_argument,
    tensor_part,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.aliases import binding

CREATORS = frozenset(
    [
        "tensor",
        "zeros",
        "ones",
        "full",
        "empty",
        "rand",
        "randn",
        "arange",
        "linspace",
        "eye",
        "zeros_like",
        "ones_like",
        "full_like",
        "rand_like",
        "randn_like",
        "empty_like",
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
            made = binding(site, name, site.reader)
            if made is not None:
                yield propose(
                    "retain_grad", made, site.text.after(made, f"{name}.retain_grad()"), name=name
                )


def create_graph(site: FaultSite) -> Iterator[Proposal]:
    """Record the first backward, where a second one goes back through its gradient."""
    if site.verdict is not Verdict.NO_GRAD_FN:
        return
    for node in nodes(ast.Call, site.tree):
        if last_name(node.func) in {"grad", "backward"}:
            statement = site.statement_of(node)
            if statement is not site.reader:
                edits = set_argument(site, node, "create_graph", "True")
                yield propose("create_graph", statement, edits)


def require_grad(site: FaultSite) -> Iterator[Proposal]:
    """Let what the loss is computed from require grad.

    Where something requires it already, a new leaf would only make the error go away.
    """
    if site.verdict is not Verdict.NO_GRAD_FN:
        return
    asks = not _has_leaf(site)
    if asks:
        yield from _asked_of_optimized(site)
    for node in ast.walk(site.tree):
        if asks:
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
        asks = (set_argument(site, each, "requires_grad", "True") for _, each in made)
        statement = site.statement_of(made[0][1])
        yield propose("ask", statement, asks, name=tuple(name for name, _ in made))


def _creates(value: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(value, ast.Call) and last_name(value.func) in CREATORS


def _asked(site: FaultSite, node: ast.AST) -> Iterator[Proposal]:
    """Ask for the gradient of a new tensor that has a name, or of what was frozen."""
    match node:
        case ast.Assign(targets=[target], value=ast.Call(func=function) as call) if (
            is_assignable(target) and last_name(function) in CREATORS
        ):
            edits = set_argument(site, call, "requires_grad", "True")
            yield propose("ask", node, edits, name=site.text.of(target))
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


def _has_leaf(site: FaultSite) -> bool:
    """Whether the program has a leaf that requires grad when it fails."""
    raising = raising_step(site.timeline)
    before = site.timeline.at((len(site.timeline) if raising is None else raising.began) - 1)
    tensors = before.tensors.values()
    return any(each.requires_grad and each.is_leaf is True for each in tensors)


def _target(site: FaultSite, node: ast.expr) -> str:
    statement = site.statement_of(node)
    if isinstance(statement, ast.Assign):
        return dotted_name(statement.targets[0]) or site.text.of(node)
    return site.text.of(node)


def to_floating_point(site: FaultSite) -> Iterator[Proposal]:
    """Make a tensor of floats where gradients are asked of integers."""
    if site.verdict is not Verdict.INTEGER_GRADIENT:
        return
    for node in () if site.raised is None else site.parts(site.raised):
        match node:
            case ast.Call(func=function) if last_name(function) in CREATORS:
                yield propose(
                    "floats",
                    site.statement_of(node),
                    set_argument(site, node, "dtype", "torch.float32"),
                    name=_target(site, node),
                )
            case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")):
                yield from _as_floats(site, value)
            case ast.Attribute(value=value, attr="requires_grad", ctx=ast.Store()):
                yield from _as_floats(site, value)
            case _:
                continue


def _as_floats(site: FaultSite, value: ast.expr) -> Iterator[Proposal]:
    statement = site.statement_of(value)
    name = site.text.of(value)
    if is_assignable(value):
        yield propose(
            "floats",
            statement,
            site.text.before(statement, f"{name} = {name}.float()"),
            cost=4 * site.nbytes(value, statement) // 8,
            name=name,
        )


def cast_arguments(site: FaultSite) -> Iterator[Proposal]:
    """Give the values that are written the dtype of what they are written to."""
    statement = site.raised
    for node in site.calls(statement):
        if statement is None or not isinstance(node.func, ast.Attribute):
            continue
        if not is_in_place(node.func.attr) or not node.args:
            continue
        part = tensor_part(site, node.func.value, statement)
        if part is not None and not isinstance(node.args[-1], ast.Constant):
            last, name = node.args[-1], site.text.of(part)
            yield propose(
                "cast",
                statement,
                site.text.append(last, f".to({name}.dtype)"),
                name=site.text.of(last),
            )


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
    wanted = {"checkpoint", "checkpoint_sequential"}
    calls = [each for each in nodes(ast.Call, site.tree) if last_name(each.func) in wanted]
    asked = [set_argument(site, each, "use_reentrant", "False") for each in calls]
    if calls:
        yield propose("not_reentrant", site.statement_of(calls[0]), chain.from_iterable(asked))


def explicit_options(site: FaultSite) -> Iterator[Proposal]:
    """Pass what torch asks for: `randomness` to `vmap`, a coalesced tensor, a dense gradient."""
    raised = [] if site.raised is None else [site.raised, *site.callers(site.raised)]
    calls = list(site.calls(*raised))
    for call in calls:
        if last_name(call.func) == "vmap" and keyword(call, "randomness") is None:
            yield propose(
                "randomness",
                site.statement_of(call),
                set_argument(site, call, "randomness", "'different'"),
            )
        if isinstance(call.func, ast.Attribute) and call.func.attr in {"values", "indices"}:
            statement, name = site.statement_of(call), site.text.of(call.func.value)
            first = site.text.before(statement, f"{name} = {name}.coalesce()")
            yield propose("coalesce", statement, first, name=name)
    for node in nodes(ast.Call, site.tree) if calls else ():
        if (flag := keyword(node, "sparse")) is not None:
            edit = site.text.replace(flag.value, "False")
            yield propose("dense", site.statement_of(node), [edit])
