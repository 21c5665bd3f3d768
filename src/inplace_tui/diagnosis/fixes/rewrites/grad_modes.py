"""Grad mode: writes that are not recorded, tensors that have no graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.run.lookup import raising_step
from inplace_tui.common.run.snapshot import Unreadable
from inplace_tui.common.syntax import names, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.expressions import (
    arguments_of,
    is_assignable,
    is_pure_write,
    last_name,
    names_gradient,
    names_of_contexts,
    tensor_part,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose


def under_no_grad(site: FaultSite) -> Iterator[Proposal]:
    """Put a refused write under `torch.no_grad()`."""
    refused = site.blame is None or site.blame.verdict.is_refused_write
    for statement in site.culprits:
        if not (refused and statement is site.raised and is_pure_write(statement)):
            continue
        # A write into the middle of a graph has to be recorded: gradients must go through it.
        targets = (site.tensor(part, statement) for part in written_parts(site, statement))
        if not writes_computed(site, statement) and all(
            not isinstance(each.values, Unreadable)
            and (each.grad_fn is None or site.verdict is Verdict.LEAF_VIEW_MODIFIED)
            for each in targets
            if each is not None
        ):
            yield _unrecorded(site, statement, "no_grad")


def _unrecorded(site: FaultSite, statement: ast.stmt, mode: str) -> Proposal:
    """Put a refused write, and those behind it that would be refused alike, into a block."""
    last = _last_refused(site, statement)
    edits = site.text.wrapped(statement, last, f"with torch.{mode}():")
    return propose("under_no_grad", statement, edits)


def writes_computed(site: FaultSite, statement: ast.stmt) -> bool:
    """Whether what is written has a graph of its own: unrecorded, its gradient would be lost."""
    match statement:
        case ast.AugAssign(value=value) | ast.Assign(value=value):
            values = [value]
        case ast.Expr(value=ast.Call(args=values)):
            pass
        case _:
            return False
    read = [node for value in values for node in _read(value)]
    if any(_is_computed(site, node, statement) for node in read):
        return True
    # From its own old values, and by no gradient: a step of a computation, and of no update.
    written = names(*written_parts(site, statement))
    return not names_gradient(statement) and any(
        ast.unparse(node) in written
        and (tensor := site.tensor(node, statement)) is not None
        and not tensor.is_parameter
        for node in read
    )


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


def _is_computed(site: FaultSite, node: ast.expr, statement: ast.stmt) -> bool:
    called = site.parent(node)
    if isinstance(called, ast.Call) and called.func is node:
        return any(each.is_parameter for each in site.held_in(node, statement))
    tensor = site.tensor(node, statement)
    return tensor is not None and isinstance(tensor.grad_fn, int)


def _last_refused(site: FaultSite, statement: ast.stmt) -> ast.stmt:
    """Return the last of the writes from a refused one on that would be refused alike.

    `w -= …` and `b -= …` one after the other: the second has not had its turn to raise.
    """
    block, last = site.block(statement), statement
    for behind in block[block.index(statement) + 1 :]:
        target = _target(behind)
        part = None if target is None else tensor_part(site, target, statement)
        if part is None:
            break
        if isinstance(part, ast.Attribute) and part.attr == "grad":
            continue  # it may stand between two such writes
        tensor = site.tensor(part, statement)
        if tensor is None or not (tensor.requires_grad and tensor.is_leaf is True):
            break
        last = behind
    return last


def _target(statement: ast.stmt) -> ast.expr | None:
    """Return what a statement writes, or sets the gradient of, and does nothing else."""
    match statement:
        case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript() as target]):
            return target
        case ast.Assign(targets=[ast.Attribute(attr="grad") as target]):
            return target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target))) if is_pure_write(statement):
            return target
        case _:
            return None


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


def in_other_mode(site: FaultSite) -> Iterator[Proposal]:
    """Make tensors under `no_grad` instead of inference mode, or with a graph instead of none."""
    modes = {"inference_mode": "no_grad"}
    if site.verdict is Verdict.NO_GRAD_FN:
        modes["no_grad"] = "enable_grad"
    for node in ast.walk(site.tree):
        if isinstance(node, ast.Attribute | ast.Name) and (old := last_name(node)) in modes:
            _, end = site.text.span(node)
            edits = [Edit(end - len(old), end, modes[old])]
            yield propose("other_mode", site.statement_of(node), edits, old=old, new=modes[old])


BANS = frozenset({"disable_saved_tensors_hooks", "allow_mutation_on_saved_tensors"})
"""Contexts in which another one is refused."""


def without_context(site: FaultSite) -> Iterator[Proposal]:
    """Leave out the context around a block in which what the block does is refused."""
    refused = {Verdict.SAVED_HOOKS_DISABLED, Verdict.MUTATION_CONTEXT_NESTED}
    if site.verdict not in refused or site.raised is None:
        return
    for above in site.around(site.raised):
        if isinstance(above, ast.With) and len(above.items) == 1:
            for name in sorted(names_of_contexts(above) & BANS):
                yield propose("without_context", above, site.text.unwrapped(above), name=name)


def numbers_kept(site: FaultSite) -> Iterator[Proposal]:
    """Keep numbers in a list of losses, and not their tensors with all that made them."""
    for call in nodes(ast.Call, site.tree) if site.verdict is Verdict.NEEDS_DETACH else ():
        match call:
            case ast.Call(func=ast.Attribute(value=listed, attr="append"), args=[kept]):
                tensor = site.tensor(kept, site.statement_of(call))
                if tensor is not None and tensor.requires_grad and tensor.shape == ():
                    rebuilt = (site.text.of(listed),)
                    yield append(site, "number_kept", [kept], ".item()", rebuilt=rebuilt)
            case _:
                continue


def detached(site: FaultSite) -> Iterator[Proposal]:
    """Detach where the program asks for less gradient in a way that is refused."""
    statement, text = site.raised, site.text
    if statement is None:
        return
    match statement:
        case (
            ast.Assign(targets=[ast.Attribute(value=target, attr="requires_grad")])
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr="requires_grad_")))
        ) if is_assignable(target):
            name = text.of(target)
            edits = [text.replace(statement, f"{name} = {name}.detach()")]
            yield propose("detach", statement, edits, name=name)
        case _:
            pass
    for call in site.calls(statement):
        function = last_name(call.func)
        match call:
            # No gradient goes through an array: there is none to cut.
            case ast.Call(func=ast.Attribute(value=value, attr="numpy" | "tolist")):
                yield append(site, "detach_array", [value], ".detach()")
            case ast.Call(args=[value, *_]) if not _is_tensor(site, value):
                continue
            case ast.Call(args=[value, *_]) if function in {"asarray", "array"}:
                yield append(site, "detach_array", [value], ".detach()")
            case ast.Call(args=[value]) if function == "deepcopy":
                edits = [text.replace(call, f"({text.of(value)}).clone()")]
                yield propose("clone_instead", statement, edits)
            case _:
                continue


def _is_tensor(site: FaultSite, node: ast.expr) -> bool:
    probed = site.probed(node)
    return probed is not None and probed.kind == "tensor"
