"""The same statements in another order, and steps of optimizers where they do no harm."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from inplace_tui.common.syntax import names_read, names_stored, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    called,
    dotted_name,
    free_name,
    graphs_not_kept,
    is_pure_write,
    keyword,
    last_name,
    leading_to,
    names_of_contexts,
    plain_backward,
    set_argument,
    without_argument,
    written_and_new,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, append, propose
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
        pairs = (site.in_order(each, site.reader) for each in calls)
        if (pair := next(filter(None, pairs), None)) is None:
            continue
        write, reader = pair
        # A step that comes behind another backward applies what that one added, too.
        steps = called(write) == "step"
        earlier = site.text.moved(reader, reader, write)
        yield propose("backward_first", reader, earlier, adds_up=steps, line=write.lineno)
        later = site.text.moved(write, write, reader, behind=True)
        yield propose("write_later", write, later, adds_up=steps, line=reader.lineno)


def update_later(site: FaultSite) -> Iterator[Proposal]:
    """Do the whole update of one optimizer behind that of the other.

    From clearing the gradients to the step: a step alone would apply what the other
    backward added, too.
    """
    if site.verdict not in TOO_EARLY or site.reader is None:
        return
    for culprit in site.culprits:
        pair = site.in_order(culprit, site.reader)
        if pair is None or called(culprit) != "step":
            continue
        block, (step, reader) = site.block(pair[0]), pair
        first = _first_of_update(block, step)
        later = block[block.index(reader) :]
        last = next((each for each in later if called(each) == "step"), reader)
        if first is not step:
            moved = list(site.text.moved(first, step, last, behind=True))
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


def into_block(site: FaultSite) -> Iterator[Proposal]:
    """Do it inside the `with` block above that has what it needs."""
    for statement in dict.fromkeys(filter(None, (site.reader, *site.culprits))):
        above = [each for each in site.block(statement) if each.lineno < statement.lineno]
        if not above or not isinstance(block := above[-1], ast.With):
            continue
        # Without gradients, only what merely writes may be done: a result would lose its own.
        cuts = not names_of_contexts(block).isdisjoint({"no_grad", "inference_mode"})
        if is_pure_write(statement) or not cuts:
            cuts = cuts and writes_computed(site, statement)
            moved = site.text.moved(statement, statement, block.body[-1], behind=True)
            yield propose("into_block", statement, moved, cuts=cuts, line=block.lineno)


def require_grad_later(site: FaultSite) -> Iterator[Proposal]:
    """Fill a leaf first, and let it require grad afterwards."""
    for statement in site.culprits:
        above = [each for each in site.block(statement) if each.lineno < statement.lineno]
        for part in written_parts(site, statement):
            for each in above:
                edits = _asked_later(site, each, statement, ast.unparse(part))
                if edits is not None:
                    yield propose("ask_later", each, edits, name=ast.unparse(part))


def _asked_later(site: FaultSite, asking: ast.stmt, statement: ast.stmt, name: str) -> Edits | None:
    """Return the edits by which a gradient is asked for behind a write; None where it is not."""
    match asking:
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")))
            | ast.Assign(targets=[ast.Attribute(value=value, attr="requires_grad")])
        ) if ast.unparse(value) == name:
            return site.text.moved(asking, asking, statement, behind=True)
        case ast.Assign(targets=[target, *_], value=ast.Call() as call) if dotted_name(
            target
        ) == name and (flag := keyword(call, "requires_grad")):
            asked = site.text.after(statement, f"{name}.requires_grad_()")
            return [without_argument(site, flag), asked]
        case _:
            return None


def new_name_for_result(site: FaultSite) -> Iterator[Proposal]:
    """Leave the leaf its name, and give the result a new one."""
    statement, text = site.raised, site.text
    if statement is None or statement not in site.culprits:
        return
    target, value = written_and_new(site, statement) or (None, "")
    tensor = None if target is None else site.tensor(target, statement)
    if target is None or tensor is None or tensor.is_view:
        return
    uses = _uses_behind(site, statement, target.id)
    if uses and tensor.requires_grad and tensor.is_leaf is True:
        name = target.id
        new = free_name(site, f"new_{name}", f"{name}_2", f"{name}_new")
        edits = [text.replace(use, new) for use in uses]
        edits.append(text.replace(statement, f"{new} = {value}"))
        yield propose("another_name", statement, edits, cost=tensor, name=name, new=new)


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


# Steps of optimizers.


def _step_between(site: FaultSite) -> tuple[ast.stmt, ast.stmt] | None:
    """Return an optimizer's step, and the backward behind it that needs the old parameters."""
    updated = bool(site.writes) and site.writes[0].is_step
    if site.verdict is not Verdict.SAVED_TENSOR_MODIFIED or not updated or site.reader is None:
        return None
    first = site.culprits[0]
    for step in (first, *site.callers(first)):
        for reader in site.reading:
            if (pair := site.in_order(step, reader)) is not None:
                return pair
    return None


def forward_again(site: FaultSite) -> Iterator[Proposal]:
    """Compute the second loss anew after the step, from the updated parameters."""
    pair = _step_between(site)
    if pair is None or site.saver is None:
        return
    step, reader = pair
    block = site.block(step)
    # Another step may follow before the loss is needed: of the other one of two critics.
    others = block[block.index(step) : block.index(reader)]
    step = [each for each in others if called(each) == called(step)][-1]
    before, behind = block[: block.index(step)], block[block.index(step) + 1 :]
    # A network of one's own saves in its `forward`; what calls it is computed again.
    callers = (site.saver, *site.callers(site.saver))
    saver = next((each for each in callers if each in block), None)
    again = [] if saver is None else _path(before, saver, reader, block)
    if saver is None or not again:
        return
    text = site.text
    bound = tuple(dict.fromkeys(each for one in again for each in sorted(names_stored(one))))
    between = before[before.index(again[0]) :]
    goal = next(each for each in behind if each is reader or names_read(each) & set(bound))
    # What nothing before the step reads, directly or through another, is not computed twice.
    first = leading_to(names_read(*(each for each in between if each not in again)), again)
    moved = [each for each in again if each not in first]

    def anew() -> list[Iterator[Edit]]:
        return [*map(text.removed, moved), text.repeated(again, goal)]

    detached = _detached(site, saver, before) if first else []
    values: dict[str, Any] = {"rebuilt": bound, "name": bound, "line": step.lineno}
    if detached:
        # Both the detached line and its copy behind the step: the copy is as it was.
        edits = [*anew(), graphs_not_kept(site, between)]
        names = tuple(map(text.of, detached))
        kind = "detach_fake"
        yield append(site, kind, detached, ".detach()", *edits, detached=names, **values)
    yield propose("forward_again", saver, anew(), **values)


def _path(
    before: Sequence[ast.stmt], saver: ast.stmt, reader: ast.stmt, block: Sequence[ast.stmt]
) -> list[ast.Assign]:
    """Return the assignments before a step that lead from a saver to a backward behind it."""
    ahead: set[str] = set()
    forward: list[ast.Assign] = []
    for each in before:
        if isinstance(each, ast.Assign) and (each is saver or ahead & names_read(each)):
            ahead |= names_stored(each)
            forward.append(each)
    needed = names_read(reader)
    between = block[len(before) : block.index(reader)]
    found = [each for each in leading_to(needed, [*forward, *between]) if each in forward]
    # A line that makes both losses would give the first one, already used, another value.
    used = names_read(*(each for each in before if called(each) == "backward"))
    return found if saver in found and not used & names_stored(*found) - needed else []


def _detached(site: FaultSite, saver: ast.stmt, before: Sequence[ast.stmt]) -> list[ast.Name]:
    """Return what a forward is given that was computed by the block: `fake` of `D(fake)`."""
    made = names_stored(*(each for each in before if each.lineno < saver.lineno))
    return [
        argument
        for call in nodes(ast.Call, saver)
        for argument in call.args
        if isinstance(argument, ast.Name)
        and argument.id in made
        and (tensor := site.tensor(argument, saver)) is not None
        and tensor.grad_fn is not None
    ]


def step_after(site: FaultSite) -> Iterator[Proposal]:
    """Step with the gradient of this round, not with that of the round before."""
    pair = _step_between(site)
    if pair is None:
        return
    step, reader = pair
    if (called(step), called(reader)) != ("step", "backward"):
        return  # a function does it, and what else
    others = [each for each in site.block(step) if each is not step and each is not reader]
    calls = (last_name(call.func) for call in nodes(ast.Call, *others))
    if not {"backward", "step", "grad"}.isdisjoint(calls):
        return  # the step has a gradient of this round; of several losses each has its own order
    edits = site.text.moved(step, step, reader, behind=True)
    yield propose("step_after", step, edits, line=reader.lineno)


def steps_last(site: FaultSite) -> Iterator[Proposal]:
    """Run all backwards, or one of the sum of the losses, before the steps."""
    pair = _step_between(site)
    if pair is None:
        return
    step, reader = pair
    block, text = site.block(step), site.text
    inside = block[: block.index(reader) + 1]
    backwards = [each for each in inside if called(each) == "backward" and each is not reader]
    if not backwards or backwards[-1].lineno > step.lineno:
        return
    later = inside[inside.index(backwards[0]) :]
    above = {text.of(each) for each in inside[: inside.index(backwards[0])]}
    behind = block[block.index(reader) + 1 :]
    if not any(called(each) == "step" for each in behind):
        return  # what this backward adds is not for an optimizer
    behind_reader = set(map(text.of, behind))
    steps = [each for each in later if called(each) == "step"]
    edits: list[Edit] = []
    for each in (each for each in later if called(each) == "zero_grad"):
        is_there = text.of(each) in above
        edits += text.removed(each) if is_there else text.moved(each, each, backwards[0])
    for each in steps:
        edits += text.removed(each)
    again = [each for each in steps if text.of(each) not in behind_reader]
    edits += text.repeated(again, reader, behind=True)
    losses = [plain_backward(each, keeps=True) for each in (*backwards, reader)]
    plain = [text.of(each) for each in losses if each is not None]
    if len(plain) == len(losses) == 2 and plain[0] != plain[1]:
        one, other = plain
        together = text.replace(reader, f"({one} + {other}).backward()")
        joint = [*text.removed(backwards[0]), together, *edits]
        yield propose("joint_loss", reader, joint, one=one, other=other)
    yield propose("steps_last", step, edits)
