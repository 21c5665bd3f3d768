"""Grad mode and leaves: writes that are not recorded, tensors that have no graph or lose it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.snapshot import Unreadable
from inplace_tui.common.syntax import bindings, names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.expressions import (
    arguments_of,
    is_assignable,
    is_pure_write,
    last_name,
    names_gradient,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose, set_option
from inplace_tui.diagnosis.fixes.rewrites.swaps import CREATORS, LEAVES_GRAPH, Swap, swaps_of


def under_no_grad(site: FaultSite) -> Iterator[Proposal]:
    """Put a refused write under `torch.no_grad()`."""
    refused = site.blame is None or site.blame.verdict.is_refused_write
    statement = site.raised
    if not (refused and statement in site.culprits and is_pure_write(statement)):
        return
    # A write into the middle of a graph has to be recorded: gradients must go through it.
    targets = (site.tensor(part, statement) for part in site.written_parts(statement))
    if not writes_computed(site, statement) and all(
        not isinstance(each.values, Unreadable)
        and (each.grad_fn is None or site.verdict is Verdict.LEAF_VIEW_MODIFIED)
        for each in targets
        if each is not None
    ):
        yield _unrecorded(site, statement, "no_grad")


def _unrecorded(site: FaultSite, statement: ast.stmt, mode: str) -> Proposal:
    """Put a refused write, and those behind it that would be refused alike, into a block.

    `w -= …` and `b -= …` one after the other: the second has not had its turn to raise.
    """
    block, last = site.block(statement), statement
    for behind in block[block.index(statement) + 1 :]:
        target = next(nodes(ast.expr, behind), behind)
        sets_gradient = isinstance(behind, ast.Assign) and last_name(target) == "grad"
        writes = is_pure_write(behind) or sets_gradient
        part = site.tensor_part(target, statement) if writes else None
        tensor = None if part is None else site.tensor(part, statement)
        if tensor is not None and tensor.takes_gradient:
            last = behind
        elif part is None or last_name(part) != "grad":  # that may stand between two such writes
            break
    edits = site.text.wrapped(statement, last, f"with torch.{mode}():")
    return propose("under_no_grad", statement, edits)


def writes_computed(site: FaultSite, statement: ast.stmt) -> bool:
    """Whether what is written has a graph of its own: unrecorded, its gradient would be lost."""
    match statement:
        case ast.Expr(value=ast.Call(args=values)):
            pass
        case ast.AugAssign(value=value) | ast.Assign(value=value):
            values = [value]
        case _:
            values = []
    # From its own old values, and by no gradient: a step of a computation, and of no update.
    own = set() if names_gradient(statement) else names(*site.written_parts(statement))
    for node in (node for value in values for node in _read(value)):
        tensor, above = site.tensor(node, statement), site.parent(node)
        is_called = isinstance(above, ast.Call) and above.func is node
        if is_called and any(each.is_parameter for each in site.held_in(node, statement)):
            return True
        is_own = ast.unparse(node) in own and tensor is not None and not tensor.is_parameter
        if is_own or (tensor is not None and isinstance(tensor.grad_fn, int)):
            return True
    return False


def _read(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the names whose own values a value is computed from: not those of gradients."""
    match value:
        case ast.Attribute(attr="grad" | "data" | "shape"):
            return
        case ast.Call(func=ast.Attribute(attr="detach" | "item" | "size" | "tolist")):
            return
        case ast.Name() | ast.Attribute():
            yield value
        case _:
            pass
    for inner in ast.iter_child_nodes(value):
        if isinstance(inner, ast.expr):
            yield from _read(inner)


def with_write_allowed(site: FaultSite) -> str | None:
    """Return the program with the refused write let through: it shows what would be written."""
    if site.blame is None or not site.blame.verdict.is_refused_write or not site.culprits:
        return None
    mode = "inference_mode" if site.verdict is Verdict.INFERENCE_MODIFIED else "no_grad"
    allowed = _unrecorded(site, site.culprits[0], mode)(site)
    return None if allowed is None else allowed.source


def with_gradients(site: FaultSite) -> Iterator[Proposal]:
    """Switch gradients on around the call whose backward needs a graph."""
    raising = raising_step(site.timeline)
    if site.verdict is not Verdict.NO_GRAD_FN or raising is None or raising.grad_enabled:
        return
    for statement in site.reading[1:]:
        if isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign):
            edits = site.text.wrapped(statement, statement, "with torch.enable_grad():")
            yield propose("with_gradients", statement, edits)
    yield from _of_own_leaf(site)


def _of_own_leaf(site: FaultSite) -> Iterator[Proposal]:
    """Have a function go back to a copy of its argument, where nothing is recorded."""
    function, text = site.function(site.reading[0]) if site.reading else None, site.text
    for call in site.calls(*site.reading[:1]):
        given = names(*call.args[1:2]) & arguments_of(function)
        if function is not None and last_name(call.func) == "grad" and len(given) == 1:
            name, last = min(given), function.body[-1]
            first = function.body[bool(ast.get_docstring(function))]
            leaf = f"{text.indent(first)}{text.unit}{name} = {name}.clone().requires_grad_()"
            edits = text.wrapped(first, last, f"with torch.enable_grad():{text.newline}{leaf}")
            yield propose("own_leaf", first, edits, name=name)


def _without(site: FaultSite, kind: str, contexts: set[str]) -> Iterator[Proposal]:
    """Leave out each context of some names around what it is the only one of."""
    for block in nodes(ast.With, site.tree):
        named = {last_name(part) for each in block.items for part in ast.walk(each)}
        for name in named & contexts if len(block.items) == 1 else ():
            yield propose(kind, block, site.text.unwrapped(block), name=name)


def reached(site: FaultSite) -> Iterator[Proposal]:
    """Let a gradient reach parameters that have none at any step of their optimizer."""
    yield from swaps_of(site, Swap("reached", None, LEAVES_GRAPH, "X"))
    yield from swaps_of(site, Swap("reached", None, "tensor(X)", "torch.stack(X)"))
    yield from _without(site, "reached_in_block", {"no_grad", "inference_mode"})


def without_context(site: FaultSite) -> Iterator[Proposal]:
    """Leave out a context in which what its block does is refused."""
    if site.verdict in {Verdict.SAVED_HOOKS_DISABLED, Verdict.MUTATION_CONTEXT_NESTED}:
        bans = {"disable_saved_tensors_hooks", "allow_mutation_on_saved_tensors"}
        yield from _without(site, "without_context", bans)


def retain_grad(site: FaultSite) -> Iterator[Proposal]:
    """Ask a tensor inside the graph to keep its gradient."""
    # Of an update in a loop, which raises, it would keep the graphs of all iterations.
    only_read = site.verdict is Verdict.LEAF_LOST and site.raised is None
    if site.reader is None or not (only_read or site.verdict is Verdict.NON_LEAF_GRAD_READ):
        return
    parts = (each for each in site.parts(site.reader) if isinstance(each, ast.Attribute))
    read = {site.text.of(each.value) for each in parts if each.attr == "grad"}
    for made in nodes(ast.Assign, site.tree):
        for name in read.intersection(map(site.text.of, made.targets)):
            edits = site.text.after(made, f"{name}.retain_grad()")
            yield propose("retain_grad", made, edits, name=name)


def require_grad(site: FaultSite) -> Iterator[Proposal]:
    """Let what the loss is computed from require grad: what was frozen, or was made new.

    Where something requires it already, a new leaf would only make the error go away.
    """
    raising = raising_step(site.timeline)
    before = site.timeline.at((len(site.timeline) if raising is None else raising.began) - 1)
    tensors = before.tensors.values()
    has_leaf = any(each.takes_gradient for each in tensors)
    if has_leaf or site.verdict is not Verdict.NO_GRAD_FN:
        return
    flags = [e for e in nodes(ast.Assign, site.tree) if last_name(e.targets[0]) == "requires_grad"]
    # What sets it and takes it back freezes for a reason.
    if all(isinstance(each.value, ast.Constant) and not each.value.value for each in flags):
        frozen = "X.requires_grad = False | X.requires_grad_(False)"
        yield from swaps_of(site, Swap("ask", None, frozen, "X.requires_grad_()"))
    calls = {site.bound_to(each): each for each in site.calls_of(*CREATORS)}
    made = {site.text.of(name): call for name, call in calls.items() if name is not call}
    # What an optimizer is given comes first, all of it.
    makers = (each for each in nodes(ast.Call, site.tree) if "optim" in ast.unparse(each.func))
    given = names(*(argument for each in makers for argument in each.args[:1]))
    for chosen in (made.keys() & given, *({name} for name in made)):
        if name := tuple(each for each in made if each in chosen):
            asked = [made[each] for each in name]
            yield set_option(site, "ask", asked, "requires_grad", "True", name=name)


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
    yield append(site, "new_leaf", [each.value for each in updates], ".detach().requires_grad_()")


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
        yield append(site, "new_leaf", found, ".detach().requires_grad_()")
