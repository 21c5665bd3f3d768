"""The same statements in another order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    called,
    dotted_name,
    free_name,
    is_pure_write,
    is_tight,
    keyword,
    last_name,
    set_argument,
    without_argument,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.grad_modes import writes_computed

TOO_EARLY = frozenset(
    {Verdict.SAVED_TENSOR_MODIFIED, Verdict.SAVED_TENSOR_DETACHED, Verdict.SILENTLY_WRONG}
)
"""A write came before the backward that needed what was there."""


def backward_first(site: FaultSite) -> Iterator[Proposal]:
    """Run the backward that still needs the tensor before the write, or write after it.

    A write inside a function is moved with the call of that function.
    """
    if site.verdict not in TOO_EARLY or site.reader is None:
        return
    for culprit in site.culprits:
        calls = (culprit, *site.callers(culprit))
        pairs = (site.siblings(each, site.reader) for each in calls)
        pair = next((each for each in pairs if each is not None), None)
        if pair is not None and pair[0].lineno < pair[1].lineno:
            yield from _swapped(site, *pair)


def _swapped(site: FaultSite, write: ast.stmt, reader: ast.stmt) -> Iterator[Proposal]:
    # A step that comes behind another backward applies what that one added, too.
    steps = called(write) == "step"
    earlier = site.text.moved_before(reader, reader, write)
    yield propose("backward_first", reader, earlier, adds_up=steps, line=write.lineno)
    later = site.text.moved_after(write, write, reader)
    yield propose("write_later", write, later, adds_up=steps, line=reader.lineno)


def update_later(site: FaultSite) -> Iterator[Proposal]:
    """Do the whole update of one optimizer behind that of the other.

    From clearing the gradients to the step: a step alone would apply what the other
    backward added, too.
    """
    if site.verdict not in TOO_EARLY or site.reader is None:
        return
    for culprit in site.culprits:
        pair = site.siblings(culprit, site.reader)
        if pair is None or pair[0].lineno >= pair[1].lineno or called(culprit) != "step":
            continue
        block, (step, reader) = site.block(pair[0]), pair
        first = _first_of_update(block, step)
        later = block[block.index(reader) :]
        last = next((each for each in later if called(each) == "step"), reader)
        if first is not step:
            moved = list(site.text.moved_after(first, step, last))
            keep = _keeping(site, block[block.index(first) : block.index(step)], reader)
            yield propose("update_later", step, [*moved, *keep], line=last.lineno)
            if (clearing := _clearing(site, first, step)) is not None:
                edits = [*site.text.after(last, clearing), *moved, *keep]
                yield propose("update_later", step, edits, line=last.lineno)


def _clearing(site: FaultSite, first: ast.stmt, step: ast.stmt) -> str | None:
    """Return what clears the gradients of an update that begins with its backward.

    Cleared further up, they would have what the backward added that comes first now.
    """
    match step:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=optimizer))):
            cleared = _called(first) == "zero_grad"
            return None if cleared else f"{site.text.of(optimizer)}.zero_grad()"
        case _:
            return None


def _keeping(site: FaultSite, moved: list[ast.stmt], reader: ast.stmt) -> list[Edit]:
    """Have the backward that comes first now keep the graph, if that which was first did."""
    calls = [each.value for each in moved if isinstance(each, ast.Expr)]
    keeps = any(isinstance(each, ast.Call) and keyword(each, "retain_graph") for each in calls)
    match reader:
        case ast.Expr(value=ast.Call() as call) if keeps:
            return set_argument(site, call, "retain_graph", "True")
        case _:
            return []


def _first_of_update(block: list[ast.stmt], step: ast.stmt) -> ast.stmt:
    """Return where the update begins that a step ends: at a backward, or a clearing before it."""
    first = step
    for statement in reversed(block[: block.index(step)]):
        name = _called(statement)
        if name not in _OF_UPDATE:
            break
        if name in {"backward", "zero_grad"}:
            first = statement
        if name == "zero_grad":
            break
    return first


def _called(statement: ast.stmt) -> str:
    """Return what a statement calls, also where it does so under a condition."""
    match statement:
        case ast.If(body=[only], orelse=[]):
            return called(only)
        case _:
            return called(statement)


_OF_UPDATE = frozenset({"backward", "zero_grad", "clip_grad_norm_", "clip_grad_value_", "unscale_"})
"""Calls between clearing the gradients and the step."""


def write_first(site: FaultSite) -> Iterator[Proposal]:
    """Write before the op that saves, not after it."""
    if site.saver is None:
        return
    for culprit in site.culprits:
        pair = site.siblings(culprit, site.saver)
        if pair is not None and pair[1].lineno < pair[0].lineno:
            write, saver = pair
            first = site.text.moved_before(write, write, saver)
            yield propose("write_first", write, first, line=saver.lineno)


def into_block(site: FaultSite) -> Iterator[Proposal]:
    """Do it inside the `with` block above that has what it needs."""
    for statement in dict.fromkeys(
        each for each in (site.reader, *site.culprits) if each is not None
    ):
        block = site.block(statement)
        above = [each for each in block if each.lineno < statement.lineno]
        if not above or not isinstance(above[-1], ast.With):
            continue
        # Without gradients, only what merely writes may be done: a result would lose its own.
        modes = {last_name(part) for item in above[-1].items for part in ast.walk(item)}
        cuts = bool(modes & {"no_grad", "inference_mode"})
        if is_pure_write(statement) or not cuts:
            cuts = cuts and writes_computed(site, statement)
            moved = site.text.moved_after(statement, statement, above[-1].body[-1])
            yield propose("into_block", statement, moved, cuts=cuts, line=above[-1].lineno)


def require_grad_later(site: FaultSite) -> Iterator[Proposal]:
    """Fill a leaf first, and let it require grad afterwards."""
    for statement in site.culprits:
        for part in written_parts(site, statement):
            name = ast.unparse(part)
            for other in site.block(statement):
                if other.lineno < statement.lineno:
                    yield from _asked_later(site, other, statement, name)


def _asked_later(
    site: FaultSite, other: ast.stmt, statement: ast.stmt, name: str
) -> Iterator[Proposal]:
    text = site.text
    if _asks(other, name):
        yield propose("ask_later", other, text.moved_after(other, other, statement), name=name)
    if not isinstance(other, ast.Assign) or dotted_name(other.targets[0]) != name:
        return
    value = other.value
    flag = keyword(value, "requires_grad") if isinstance(value, ast.Call) else None
    if flag is not None and isinstance(value, ast.Call):
        yield propose(
            "ask_later",
            other,
            [without_argument(site, flag), text.after(statement, f"{name}.requires_grad_()")],
            name=name,
        )


def _asks(statement: ast.stmt, name: str) -> bool:
    """Whether a statement does nothing but ask for a tensor's gradient."""
    match statement:
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")))
            | ast.Assign(targets=[ast.Attribute(value=value, attr="requires_grad")])
        ):
            return ast.unparse(value) == name
        case _:
            return False


def new_name_for_result(site: FaultSite) -> Iterator[Proposal]:
    """Leave the leaf its name, and give the result a new one."""
    for statement in site.culprits:
        match statement:
            case (
                ast.AugAssign(target=ast.Name() as target)
                | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as target)))
            ):
                yield from _named_anew(site, statement, target)
            case _:
                continue


def _named_anew(site: FaultSite, statement: ast.stmt, target: ast.Name) -> Iterator[Proposal]:
    text, name = site.text, target.id
    tensor = site.tensor(name, statement)
    if statement is not site.raised or tensor is None:
        return
    if tensor.is_view or not (tensor.requires_grad and tensor.is_leaf is True):
        return
    uses = _uses_behind(site, statement, name)
    if not uses:
        return  # nobody would have the result
    new = free_name(site, f"new_{name}", f"{name}_2", f"{name}_new")

    def edits() -> Edits:
        if isinstance(statement, ast.AugAssign):
            start, end = text.span(target)[1], text.span(statement.value)[0]
            operator = text.source[start:end].replace("=", "", 1)
            first, last = text.span(statement)
            value = text.source[end:last]
            value = value if is_tight(statement) else f"({value})"
            yield Edit(first, last, f"{new} = {name}{operator}{value}")
        else:
            assert isinstance(statement, ast.Expr)
            assert isinstance(statement.value, ast.Call)
            assert isinstance(statement.value.func, ast.Attribute)
            method, (start, end) = statement.value.func.attr, text.span(statement.value.func)
            if method.endswith("_"):
                yield Edit(end - 1, end, "")
            yield Edit(text.span(statement)[0], text.span(statement)[0], f"{new} = ")
        yield from (text.replace(use, new) for use in uses)

    yield propose("another_name", statement, edits(), cost=copied_bytes(tensor), name=name, new=new)


def _uses_behind(site: FaultSite, statement: ast.stmt, name: str) -> list[ast.Name]:
    """Return where the value of a name is used later in the block; not where its gradient is."""
    found: list[ast.Name] = []
    for later in site.block(statement):
        if later.lineno <= statement.lineno:
            continue
        for node in nodes(ast.Name, later):
            if node.id == name:
                if isinstance(node.ctx, ast.Store):
                    return found
                above = site.parent(node)
                if not (isinstance(above, ast.Attribute) and above.attr in {"grad", "is_leaf"}):
                    found.append(node)
    return found
