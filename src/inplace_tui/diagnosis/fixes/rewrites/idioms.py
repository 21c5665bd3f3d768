"""How such programs are usually written: losses that share a network, slots, masks, indices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from inplace_tui.common.syntax import names_read, names_stored, nodes
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.fixes.editing import Edit, EditError, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    called,
    free_name,
    graphs_not_kept,
    is_assignable,
    last_name,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.graphs import plain_backward


def _step_between(site: FaultSite) -> tuple[ast.stmt, ast.stmt] | None:
    """Return an optimizer's step, and the backward behind it that needs the old parameters."""
    updated = bool(site.writes) and site.writes[0].is_step
    if site.verdict is not Verdict.SAVED_TENSOR_MODIFIED or not updated or site.reader is None:
        return None
    first = site.culprits[0]
    for step in (first, *site.callers(first)):
        for reader in site.reading:
            pair = site.siblings(step, reader)
            if pair is not None and pair[0].lineno < pair[1].lineno:
                return pair
    return None


# A loss that goes through what another loss has just updated.


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
    # A network of one's own saves in its `forward`; what calls it is computed again.
    callers = (site.saver, *site.callers(site.saver))
    saver = next((each for each in callers if each in block), None)
    if saver is None:
        return
    again = _path(block[: block.index(step)], saver, reader, block)
    if not again:
        return
    text = site.text
    bound = tuple(dict.fromkeys(each for one in again for each in sorted(names_stored(one))))
    between = block[block.index(again[0]) : block.index(step)]
    behind = block[block.index(step) + 1 :]
    goal = next(each for each in behind if each is reader or names_read(each) & set(bound))
    moved = _not_needed(again, between)

    def anew() -> Iterator[Edit]:
        for each in moved:
            yield Edit(*text.block(each, each), "")
        lines = "".join(text.indented(*text.block(e, e), old="", new="") for e in again)
        place, _ = text.block(goal, goal)
        yield Edit(place, place, lines)

    detached = [] if moved == again else _detached(site, saver, block[: block.index(step)])
    if detached:
        names = tuple(text.of(each) for each in detached)
        freed = list(graphs_not_kept(site, between))
        yield propose(
            "detach_fake",
            saver,
            # Both the detached line and its copy behind the step: the copy is as it was.
            [anew(), *(e for each in detached for e in text.append(each, ".detach()")), *freed],
            usual=True,
            rebuilt=bound,
            detached=names,
            name=bound,
            line=step.lineno,
        )
    yield propose(
        "forward_again", saver, anew(), usual=True, rebuilt=bound, name=bound, line=step.lineno
    )


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
    for each in reversed(block[len(before) : block.index(reader)]):
        if isinstance(each, ast.Assign) and needed & names_stored(each):
            needed |= names_read(each)
    found: list[ast.Assign] = []
    for each in reversed(forward):
        if needed & names_stored(each):
            needed |= names_read(each)
            found.insert(0, each)
    # A line that makes both losses would give the first one, already used, another value.
    used = {name for each in before if called(each) == "backward" for name in names_read(each)}
    rebound = {name for each in found for name in names_stored(each)}
    return found if saver in found and not used & rebound - needed else []


def _not_needed(again: Sequence[ast.Assign], between: Sequence[ast.stmt]) -> list[ast.Assign]:
    """Return the assignments that nothing before the step reads, directly or through another."""
    needed = {name for each in between if each not in again for name in names_read(each)}
    found: list[ast.Assign] = []
    for each in reversed(again):
        if needed & names_stored(each):
            needed |= names_read(each)
        else:
            found.insert(0, each)
    return found


def _detached(site: FaultSite, saver: ast.stmt, before: Sequence[ast.stmt]) -> list[ast.Name]:
    """Return what a forward is given that was computed by the block: `fake` of `D(fake)`."""
    made = {name for each in before for name in names_stored(each) if each.lineno < saver.lineno}
    return [
        argument
        for call in nodes(ast.Call, saver)
        for argument in call.args
        if isinstance(argument, ast.Name)
        and argument.id in made
        and (tensor := site.tensor(argument.id, saver)) is not None
        and tensor.grad_fn is not None
    ]


# One loss, one optimizer.


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
    edits = list(site.text.moved_after(step, step, reader))
    yield propose("step_after", step, edits, usual=True, line=reader.lineno)


# Several losses, each with an optimizer.


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
    behind_reader = {text.of(each) for each in behind}
    steps = [each for each in later if called(each) == "step"]
    early: list[Edit] = []
    try:
        for each in (each for each in later if called(each) == "zero_grad"):
            is_there = text.of(each) in above
            moved = text.moved_before(each, each, backwards[0])
            early += text.removed(each) if is_there else moved
        _, end = text.block(reader, reader)
        late = [Edit(*text.block(each, each), "") for each in steps]
        lines = "".join(
            text.indented(*text.block(each, each), old="", new="")
            for each in steps
            if text.of(each) not in behind_reader
        )
    except EditError:
        return
    anew = Edit(end, end, lines)
    losses = [plain_backward(each, keeps=True) for each in (*backwards, reader)]
    plain = [text.of(each) for each in losses if each is not None]
    if len(plain) == len(losses) == 2 and plain[0] != plain[1]:
        one, other = plain
        joint = [
            *early,
            *late,
            *text.removed(backwards[0]),
            text.replace(reader, f"({one} + {other}).backward()"),
            anew,
        ]
        yield propose("joint_loss", reader, joint, usual=True, adds_up=True, one=one, other=other)
    yield propose("steps_last", step, [*early, *late, anew], usual=True, adds_up=True)


# Slots, masks and indices: the same values, out of place.


def stack(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `h[t] = …` in a loop: a list of the slots, and `torch.stack` behind the loop."""
    for statement in site.culprits:
        loop = site.parent(statement)
        if isinstance(loop, ast.For) and isinstance(statement, ast.Assign):
            yield from _stacked(site, loop, statement)


def _stacked(site: FaultSite, loop: ast.For, statement: ast.Assign) -> Iterator[Proposal]:
    text = site.text
    match statement.targets, loop.target, loop.iter:
        case (
            [ast.Subscript(value=ast.Name(id=name) as buffer, slice=index)],
            ast.Name(id=counter),
            ast.Call(func=ast.Name(id="range")),
        ):
            dimension = _dimension(index, counter)
        case _:
            return
    made = _made_above(site, loop, name)
    if dimension is None or made is None:
        return
    tensor = site.tensor(name, statement)
    first, extent = _counts(site, loop, tensor.shape[dimension] if tensor is not None else 0)
    slots = free_name(site, f"{name}_slots", f"{name}_list")

    def edits() -> Edits:
        slot = text.of(statement.targets[0])
        begun = ", ".join(re.sub(rf"\b{counter}\b", str(i), slot) for i in range(first))
        yield text.before(loop, f"{slots} = [{begun}]")
        start, end = text.span(statement)
        sign = text.source.index("=", text.span(statement.targets[0])[1])
        after = len(text.source[sign + 1 :]) - len(text.source[sign + 1 :].lstrip(" "))
        yield Edit(start, sign + 1 + after, f"{slots}.append(")
        yield Edit(end, end, ")")
        for each in nodes(ast.Name, loop):
            use = site.parent(each)
            place = _place(use.slice, dimension) if isinstance(use, ast.Subscript) else None
            if each.id != name or each is buffer:
                continue
            if place is None or not isinstance(use, ast.Subscript):
                raise EditError("the whole buffer is used in the loop")
            yield text.replace(use, f"{slots}[{ast.unparse(place)}]")
        dim = "" if dimension == 0 else f", dim={dimension}"
        yield text.after(loop, f"{name} = torch.stack({slots}{dim})")

    if extent:
        cost = copied_bytes(tensor)
        yield propose("stack", statement, edits(), cost=cost, rebuilt=(name,), name=name)


def _dimension(index: ast.expr, counter: str) -> int | None:
    """Return the dimension that `t`, `:, t` or `..., t` counts; None for anything else."""
    match index:
        case ast.Name(id=name) if name == counter:
            return 0
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), ast.Name(id=name)]):
            return 1 if name == counter else None
        case ast.Tuple(elts=[ast.Constant(value=value), ast.Name(id=name)]) if value is ...:
            return -1 if name == counter else None
        case _:
            return None


def _place(index: ast.expr, dimension: int) -> ast.expr | None:
    """Return which slot a subscript reads, if it reads one: `t - 1` of `[:, t - 1]`."""
    if dimension == 0:
        return None if isinstance(index, ast.Tuple | ast.Slice) else index
    match index:
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), place]):
            return place
        case ast.Tuple(elts=[ast.Constant(value=value), place]) if value is ...:
            return place
        case _:
            return None


def _made_above(site: FaultSite, loop: ast.For, name: str) -> ast.stmt | None:
    above = [each for each in site.block(loop) if each.lineno < loop.lineno]
    return next((each for each in reversed(above) if name in names_stored(each)), None)


def _counts(site: FaultSite, loop: ast.For, extent: int) -> tuple[int, int]:
    """Return the first slot that a loop fills and their number, if it fills all from there on."""
    assert isinstance(loop.iter, ast.Call)
    bounds = loop.iter.args
    first = 0
    match bounds:
        case [_]:
            pass
        case [ast.Constant(value=int() as first), _]:
            pass
        case _:
            return 0, 0
    visits = len(site.timeline.index.visits.get(loop.body[0].lineno, ()))
    return first, extent if visits and visits % max(extent - first, 1) == 0 else 0


def where(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `y[mask] = v` as `y = torch.where(mask, v, y)`, and `y[mask] *= 2` likewise."""
    for statement in site.culprits:
        match statement:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                spelled = site.text.of(value)
            case ast.AugAssign(target=ast.Subscript() as target, op=operator, value=value):
                sign = _SIGNS.get(type(operator))
                right = site.text.of(value)
                spelled = "" if sign is None else f"{site.text.of(target)} {sign} ({right})"
            case _:
                continue
        part, mask = target.value, target.slice
        tensor = site.tensor(ast.unparse(part), statement)
        found = site.tensor(ast.unparse(mask), statement)
        is_mask = isinstance(mask, ast.Compare) or (found is not None and found.dtype == "bool")
        if not (spelled and is_mask and is_assignable(part) and tensor is not None):
            continue
        name, index = site.text.of(part), site.text.of(mask)
        chosen = spelled.replace(f"{name}[{index}]", name)
        line = f"{name} = torch.where({index}, {chosen}, {name})"
        edits = [site.text.replace(statement, line)]
        yield propose("where", statement, edits, cost=copied_bytes(tensor), name=name)


_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def index_add(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `x[index] += v` as `x = x.index_add(0, index, v)`."""
    for statement in site.culprits:
        match statement:
            case ast.AugAssign(
                target=ast.Subscript(value=part, slice=index), op=ast.Add() | ast.Sub() as sign
            ) if is_assignable(part):
                pass
            case _:
                continue
        tensor = site.tensor(ast.unparse(part), statement)
        chosen = site.tensor(ast.unparse(index), statement)
        if tensor is None or chosen is None or not chosen.dtype.startswith("int"):
            continue
        if len(chosen.shape) != 1:
            continue
        text = site.text
        name, value = text.of(part), text.of(statement.value)
        alpha = ", alpha=-1" if isinstance(sign, ast.Sub) else ""
        line = f"{name} = {name}.index_add(0, {text.of(index)}, {value}{alpha})"
        edits = [text.replace(statement, line)]
        yield propose("index_add", statement, edits, cost=copied_bytes(tensor), name=name)
