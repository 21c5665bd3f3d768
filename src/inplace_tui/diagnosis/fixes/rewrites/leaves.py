"""Updates that give the name of a leaf to something computed from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import dotted_name, is_assignable, last_name
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose


def update_leaf_in_place(site: FaultSite) -> Iterator[Proposal]:
    """Update leaves under `no_grad` instead of giving their names to something computed."""
    if site.blame is None or site.blame.cut is None:
        return
    statement = site.statement(site.blame.cut)
    if not isinstance(statement, ast.Assign) or not is_assignable(statement.targets[0]):
        return
    text, updates = site.text, _updates(site, statement)
    names = tuple(text.of(each.targets[0]) for each in updates)
    leaves = [text.append(each.value, _LEAF) for each in updates]
    lines = [_in_place(site, each) for each in updates]
    if _unrecorded(site, statement):
        edits = [text.replace(each, line) for each, line in zip(updates, lines, strict=True)]
        yield propose("leaf_updated", statement, edits, name=names)
        yield propose("new_leaf", statement, leaves, name=names)
        return
    yield propose("new_leaf", statement, leaves, name=names)

    def updated() -> Edits:
        start, end = text.block(statement, updates[-1])
        indent, line = text.indent(statement), text.newline
        writes = "".join(f"{indent}{text.unit}{each}{line}" for each in lines)
        clears = "".join(f"{indent}{each}.grad = None{line}" for each in names)
        yield Edit(start, end, f"{indent}with torch.no_grad():{line}{writes}{clears}")

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


def _unrecorded(site: FaultSite, statement: ast.stmt) -> bool:
    """Whether a statement stands in a block that autograd does not record."""
    return any(
        isinstance(item.context_expr, ast.Call) and last_name(item.context_expr.func) == "no_grad"
        for above in site.around(statement)
        if isinstance(above, ast.With)
        for item in above.items
    )


def leaf_for_optimizer(site: FaultSite) -> Iterator[Proposal]:
    """Make leaves of what an optimizer is given, where they were made."""
    if site.verdict is not Verdict.OPTIMIZER_NEEDS_LEAF or site.raised is None:
        return
    text, raised = site.text, site.raised
    named = [each.id for each in site.parts(raised) if isinstance(each, ast.Name)]
    computed = {
        name
        for name in named
        if (tensor := site.tensor(name, raised)) is not None and tensor.is_leaf is False
    }
    made = {
        dotted_name(statement.targets[0]): statement
        for statement in site.block(raised)
        if isinstance(statement, ast.Assign) and statement.lineno < raised.lineno
    }
    found = {name: made[name] for name in named if name in computed and name in made}
    if found:
        yield propose(
            "new_leaf",
            next(iter(found.values())),
            [e for each in found.values() for e in text.append(each.value, _LEAF)],
            name=tuple(found),
        )


_LEAF = ".detach().requires_grad_()"
