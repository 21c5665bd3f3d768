"""Copies of what an op saves, and of what is passed on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.syntax import DOTTED
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.expressions import is_assignable, is_in_place, tensor_part
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose

MAX_SAVERS = 6
"""Statements that may have saved what was written, where the node does not say."""


def copy_saved(site: FaultSite) -> Iterator[Proposal]:
    """Let the op that saved a tensor have its own copy: of no use once its node was freed."""
    if site.verdict is Verdict.GRAPH_FREED:
        return
    for statement in savers(site):
        yield from copied_arguments(site, statement)
        yield from _copied_result(site, statement)
        yield from _copied_parameters(site, statement)


def savers(site: FaultSite) -> list[ast.stmt]:
    """Return the statement that saved, and those that called it; or those that may have."""
    if site.saver is not None:
        return list(dict.fromkeys([*site.on(site.saver.lineno), *site.callers(site.saver)]))
    if site.blame is None or not site.storages:
        return []
    found: list[ast.stmt] = []
    for step in reversed(site.timeline.steps[: site.fault + 1]):
        statement = site.statement(step.line)
        if statement is None or statement in found:
            continue
        if any(site.shares(ast.unparse(each), statement) for each in _loads(site, statement)):
            found.append(statement)
        if len(found) == MAX_SAVERS:
            break
    return found


def _loads(site: FaultSite, statement: ast.stmt) -> list[ast.expr]:
    """Return the places that a statement reads, the longest of each chain."""
    found = [
        node
        for node in site.parts(statement)
        if isinstance(node, DOTTED) and isinstance(node.ctx, ast.Load) and is_assignable(node)
    ]
    inner = {id(each.value) for each in found if isinstance(each, ast.Attribute | ast.Subscript)}
    return [each for each in found if id(each) not in inner]


def copied_arguments(
    site: FaultSite, statement: ast.stmt, *, only_calls: bool = False
) -> Iterator[Proposal]:
    """Clone what a statement reads of the memory that was written."""
    places: list[ast.expr] = []
    for node in site.parts(statement):
        if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        part = tensor_part(site, node, statement)
        if part is None or part is not node or not site.shares(ast.unparse(part), statement):
            continue
        place = _viewed(site, part)
        if only_calls and not _is_argument(site, place):
            continue
        if place not in places and not _is_written(site, place):
            places.append(place)
    if not places:
        return
    names = tuple(dict.fromkeys(site.text.of(each) for each in places))
    parts = (tensor_part(site, each, statement) for each in places)
    cost = sum(site.nbytes(part, statement) for part in parts if part)

    edits = [site.text.append(each, ".clone()") for each in places]
    is_stepped = any(write.is_step for write in site.writes)
    kind = "copy_weights" if is_stepped else "copy_saved"
    yield propose(kind, statement, edits, cost=cost, name=names)


def _viewed(site: FaultSite, part: ast.expr) -> ast.expr:
    """Return the part of a tensor that is read: `h[t - 1]` rather than `h`."""
    above = site.parent(part)
    while isinstance(above, ast.Subscript) and above.value is part:
        if not isinstance(above.ctx, ast.Load):
            break
        part, above = above, site.parent(above)
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
    above = site.parent(node)
    while isinstance(above, ast.Subscript) and above.value is node:
        if not isinstance(above.ctx, ast.Load):
            return True
        node, above = above, site.parent(above)
    if isinstance(above, ast.AugAssign):
        return above.target is node
    if isinstance(above, ast.Attribute):
        return above.attr.endswith("_") or above.attr in {"requires_grad", "grad", "data"}
    return False


def _copied_result(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Clone the result, so that the op keeps the only hold of what it saved."""
    text = site.text
    returned = statement.value if isinstance(statement, ast.Return) else None
    if returned is not None and _may_be_tensor(site, statement, returned):
        part = tensor_part(site, returned, statement)
        yield propose(
            "copy_result",
            statement,
            text.append(returned, ".clone()"),
            cost=(site.nbytes(part, statement) if part else 0) or site.written_bytes,
            name=text.of(returned),
        )
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, value = statement.targets[0], statement.value
    known = may_be_copied(site, target, statement)
    if is_assignable(target) and not isinstance(target, ast.Subscript) and known:
        yield propose(
            "copy_result",
            statement,
            text.append(value, ".clone()"),
            cost=site.nbytes(target, statement, made=True),
            name=text.of(target),
        )
    if isinstance(target, ast.Tuple):
        for each in target.elts:
            if is_assignable(each) and site.shares(ast.unparse(each), statement):
                name = text.of(each)
                yield propose(
                    "copy_result",
                    statement,
                    text.after(statement, f"{name} = {name}.clone()"),
                    cost=site.nbytes(each, statement, made=True),
                    name=name,
                )


def _may_be_tensor(site: FaultSite, statement: ast.stmt, value: ast.expr) -> bool:
    if isinstance(value, ast.Name):
        return may_be_copied(site, value, statement)
    return isinstance(value, ast.Attribute | ast.BinOp | ast.Call | ast.Subscript | ast.UnaryOp)


def may_be_copied(site: FaultSite, node: ast.expr, statement: ast.stmt) -> bool:
    """Whether a copy under this name can help: of what was written, and of no leaf.

    A parameter's copy is no parameter: neither an optimizer nor `.grad` has any use for it.
    """
    made = site.made(ast.unparse(node), statement)
    refused = site.blame is not None and site.blame.verdict.is_refused_write
    if made is None or (made.requires_grad and made.is_leaf is True and not refused):
        return False
    return not site.storages or site.ever_shared(ast.unparse(node), statement)


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
    held = site.names_under(ast.unparse(calls[0].func), statement)
    parameters = [tensor for tensor in held if tensor.is_parameter]
    if not parameters or any(isinstance(arg, ast.Starred) for call in calls for arg in call.args):
        return
    copies = f"{{name: p.clone() for name, p in {module}.named_parameters()}}"

    def called(call: ast.Call) -> str:
        given = [text.of(each) for each in call.args]
        arguments = f"({', '.join(given)}{',' if len(given) == 1 else ''})"
        keywords = [f"{each.arg!r}: {text.of(each.value)}" for each in call.keywords if each.arg]
        extra = f", {{{', '.join(keywords)}}}" if keywords else ""
        return f"torch.func.functional_call({module}, {copies}, {arguments}{extra})"

    yield propose(
        "copy_parameters",
        statement,
        [text.replace(call, called(call)) for call in calls],
        cost=sum(map(copied_bytes, parameters)) * len(calls),
        name=module,
    )


def copy_passed(site: FaultSite) -> Iterator[Proposal]:
    """Pass copies to the call that writes, or to the one that leads to it.

    Of a freed graph nothing was written: a copy would merely miss a cache that asks for an `id()`.
    """
    if site.verdict is Verdict.GRAPH_FREED:
        return
    for statement in site.culprits:
        yield from copied_arguments(site, statement, only_calls=True)
        for caller in site.callers(statement):
            yield from copied_arguments(site, caller, only_calls=True)
        if site.raised is statement or site.saver is None:
            yield from _any_argument(site, statement)


def _any_argument(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Clone one argument of a call, where it is not known which memory is at fault."""
    for node in site.parts(statement):
        if not isinstance(node, ast.expr) or not _is_argument(site, node):
            continue
        part = tensor_part(site, node, statement)
        if part is not None:
            yield from _clone_of(site, statement, node, site.tensor(ast.unparse(part), statement))
    if isinstance(statement, ast.Assign | ast.Expr | ast.Return):
        for node in site.parts(statement):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                if _is_written(site, node):
                    continue
                tensor = site.tensor(ast.unparse(node), statement)
                if tensor is not None and (tensor.is_inference or tensor.is_view):
                    yield from _clone_of(site, statement, node, tensor)


def _clone_of(
    site: FaultSite, statement: ast.stmt, node: ast.expr, tensor: Tensor | None
) -> Iterator[Proposal]:
    yield propose(
        "copy_passed",
        statement,
        site.text.append(node, ".clone()"),
        cost=copied_bytes(tensor),
        name=site.text.of(node),
    )
