"""What is asked of a tensor: to be a leaf, a gradient, keeping it, another dtype."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.syntax import bindings, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.expressions import (
    arguments_of,
    bound_to,
    calls_of,
    free_name,
    is_assignable,
    last_name,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose, set_option
from inplace_tui.diagnosis.fixes.rewrites.swaps import CREATORS, Swap, swaps_of


def retain_grad(site: FaultSite) -> Iterator[Proposal]:
    """Ask a tensor inside the graph to keep its gradient."""
    # Of an update in a loop, which raises, it would keep the graphs of all iterations.
    only_read = site.verdict is Verdict.LEAF_LOST and site.raised is None
    if site.reader is None or not (only_read or site.verdict is Verdict.NON_LEAF_GRAD_READ):
        return
    for node in site.parts(site.reader):
        if isinstance(node, ast.Attribute) and node.attr == "grad" and is_assignable(node.value):
            name = site.text.of(node.value)
            for made in nodes(ast.Assign, site.tree):
                if name in map(site.text.of, made.targets):
                    edits = site.text.after(made, f"{name}.retain_grad()")
                    yield propose("retain_grad", made, edits, name=name)


def require_grad(site: FaultSite) -> Iterator[Proposal]:
    """Let what the loss is computed from require grad: what was frozen, or was made new.

    Where something requires it already, a new leaf would only make the error go away.
    """
    raising = raising_step(site.timeline)
    before = site.timeline.at((len(site.timeline) if raising is None else raising.began) - 1)
    tensors = before.tensors.values()
    has_leaf = any(each.requires_grad and each.is_leaf is True for each in tensors)
    if has_leaf or site.verdict is not Verdict.NO_GRAD_FN:
        return
    frozen = "X.requires_grad = False | X.requires_grad_(False)"
    yield from swaps_of(site, Swap("ask", None, frozen, "X.requires_grad_()"))
    calls = {bound_to(site, each): each for each in calls_of(site, *CREATORS)}
    made = {site.text.of(name): call for name, call in calls.items() if name is not call}
    # What an optimizer is given comes first, all of it.
    makers = (each for each in nodes(ast.Call, site.tree) if "optim" in ast.unparse(each.func))
    given = names(*(argument for each in makers for argument in each.args[:1]))
    for chosen in (made.keys() & given, *({name} for name in made)):
        if name := tuple(each for each in made if each in chosen):
            asked = [made[each] for each in name]
            yield set_option(site, "ask", asked, "requires_grad", "True", name=name)


def without_statistics(site: FaultSite) -> Iterator[Proposal]:
    """Have batch norms write no statistics: those are captured by the transform."""
    if site.verdict is not Verdict.TRANSFORM_CAPTURED or site.raised is None:
        return
    # The first statement on the way that names it: the transform begins there.
    found = {
        re.split(r"[.\[]", name)[0]: statement
        for statement in (site.raised, *site.callers(site.raised))
        for name in site.names(statement)
        if name.endswith(".running_mean")
    }
    for module, statement in found.items():
        line = f"torch.func.replace_all_batch_norm_modules_({module})"
        yield propose("no_statistics", statement, site.text.before(statement, line), name=module)


def batched(site: FaultSite) -> Iterator[Proposal]:
    """Make what is filled under `vmap` from an argument, so that it is batched as that is."""
    if site.verdict is not Verdict.VMAP_INPLACE or site.raised is None:
        return
    function = site.function(site.raised)
    for other in sorted(arguments_of(function)):
        for call in nodes(ast.Call, function):
            if (name := last_name(call.func)) in {"zeros", "ones", "empty", "full"}:
                edits = [site.text.replace(call.func, f"{other}.new_{name}")]
                made, at = site.text.of(bound_to(site, call)), site.statement_of(call)
                yield propose("batched", at, edits, rebuilt=(made,), name=made, other=other)


def kept_in_local(site: FaultSite) -> Iterator[Proposal]:
    """Keep a result in a local variable, where a module that is to be copied kept it."""
    for each in nodes(ast.Assign, site.tree) if site.verdict is Verdict.COPY_OF_RESULT else ():
        target, made = each.targets[0], site.made(each.targets[0], each)
        if isinstance(target, ast.Attribute) and made and isinstance(made.grad_fn, int):
            name, new = site.text.of(target), free_name(site, target.attr, f"{target.attr}_now")
            same = nodes(ast.Attribute, site.function(each))
            edits = [site.text.replace(n, new) for n in same if site.text.of(n) == name]
            yield propose("local", each, edits, name=name, new=new)


# Updates that give the name of a leaf to something computed from it.


def update_leaf_in_place(site: FaultSite) -> Iterator[Proposal]:
    """Update leaves under `no_grad` instead of giving their names to something computed."""
    statement = None if site.blame is None else site.statement(site.blame.cut)
    if not isinstance(statement, ast.Assign):
        return
    text = site.text
    # Those beside it that lose theirs alike are computed from their gradients, too.
    updates = [
        each
        for each in site.block(statement)
        if isinstance(each, ast.Assign) and is_assignable(each.targets[0])
        if each is statement or f"{text.of(each.targets[0])}.grad" in text.of(each.value)
    ]
    if statement not in updates:
        return
    names = tuple(text.of(each.targets[0]) for each in updates)
    edits = [text.replace(each, _in_place(site, each)) for each in updates]
    yield propose("leaf_updated", statement, edits, name=names)
    yield append(site, "new_leaf", [each.value for each in updates], _LEAF)


def _in_place(site: FaultSite, statement: ast.Assign) -> str:
    """Return an assignment as a write to what its name meant before."""
    name, value = site.text.of(statement.targets[0]), statement.value
    match value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op) if site.text.of(left) == name:
            sign = "+" if isinstance(op, ast.Add) else "-"
            return f"{name} {sign}= {site.text.of(value.right)}"
        case _:
            return f"{name}.copy_({site.text.of(value)})"


def leaf_for_optimizer(site: FaultSite) -> Iterator[Proposal]:
    """Make leaves of what an optimizer is given, where they were made."""
    if site.verdict is not Verdict.OPTIMIZER_NEEDS_LEAF or (raised := site.raised) is None:
        return
    found = [
        value
        for each in nodes(ast.Assign, site.tree)
        for target, value in bindings(each)
        if isinstance(target, ast.Name) and target.id in names(raised)
        if (tensor := site.tensor(target, raised)) is not None and tensor.is_leaf is False
    ]
    if found:
        yield append(site, "new_leaf", found, _LEAF)


_LEAF = ".detach().requires_grad_()"
