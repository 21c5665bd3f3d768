"""Tensors and lists that are filled piece by piece: by mask, index, slot or row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplace_tui.common.syntax import nodes
from inplace_tui.diagnosis.fixes.editing import Edit, EditError, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    binding,
    free_name,
    is_assignable,
    is_mask,
    new_value,
    tensor_part,
    written_and_new,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose


def new_list(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `p *= 2` in `for p in ps` so that `ps[i]` is new, and the like of a comprehension."""
    for statement in site.culprits:
        part: ast.AST = statement
        match statement, site.parent(statement):
            case _, ast.For(target=target, iter=iterated, body=[_], orelse=[]):
                pass
            case (
                ast.Expr(
                    value=ast.ListComp(
                        elt=part, generators=[ast.comprehension(target, iterated, ifs=[])]
                    )
                ),
                _,
            ):
                pass
            case _:
                continue
        written, value = written_and_new(site, part) or (None, "")
        name = None if written is None else _container(target, iterated, written.id)
        if written is None or name is None:
            continue
        if part is statement:
            edits = _put_in_place(site, statement, (target, iterated), (written.id, value, name))
        else:
            row, rows = site.text.of(target), site.text.of(iterated)
            edits = [site.text.replace(statement, f"{name} = [{value} for {row} in {rows}]")]
        yield propose("new_list", statement, edits, cost=site.written_bytes, name=name)


def _container(target: ast.expr, iterated: ast.expr, name: str) -> str | None:
    """Return the list from which a loop takes what it calls `name`."""
    match target, iterated:
        case ast.Name(id=each), ast.Name(id=container) if each == name:
            return container
        case ast.Tuple(elts=names), ast.Call(func=ast.Name(id="zip"), args=lists):
            pairs = zip(names, lists, strict=False)
            found = [source for mine, source in pairs if ast.unparse(mine) == name]
            return found[0].id if found and isinstance(found[0], ast.Name) else None
        case _:
            return None


def _put_in_place(
    site: FaultSite,
    statement: ast.stmt,
    loop: tuple[ast.expr, ast.expr],
    write: tuple[str, str, str],
) -> Edits:
    """Put each new tensor in its old one's place."""
    text, index = site.text, free_name(site, "i", "index")
    (target, iterated), (written, value, container) = loop, write
    several = isinstance(target, ast.Tuple) and not text.of(target).startswith("(")
    names = f"({text.of(target)})" if several else text.of(target)
    return [
        text.replace(target, f"{index}, {names}"),
        text.replace(iterated, f"enumerate({text.of(iterated)})"),
        text.replace(statement, f"{written} = {value}"),
        text.after(statement, f"{container}[{index}] = {written}"),
    ]


def chosen_elements(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `y[mask] = v` as `y = torch.where(mask, v, y)`; `x[index] += v` by `index_add`."""
    for statement in site.culprits:
        match statement:
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                new = site.text.of(value)
            case ast.AugAssign(target=ast.Subscript() as target):
                new = new_value(site, statement)
            case _:
                continue
        tensor = site.tensor(target.value, statement)
        if tensor is None or not is_assignable(target.value):
            continue
        name, place = site.text.of(target.value), site.text.of(target.slice)
        index = site.tensor(target.slice, statement)
        if is_mask(site, target.slice, statement):
            new = new.replace(f"{name}[{place}]", name)
            line = f"{name} = torch.where({place}, {new}, {name})"
            edits = [site.text.replace(statement, line)]
            yield propose("where", statement, edits, cost=tensor, name=name)
        elif index is not None and index.dtype.startswith("int") and len(index.shape) == 1:
            match statement:
                case ast.AugAssign(op=ast.Add() | ast.Sub() as sign, value=value):
                    alpha = ", alpha=-1" if isinstance(sign, ast.Sub) else ""
                    added = f"{place}, {site.text.of(value)}{alpha}"
                    edits = [site.text.replace(statement, f"{name} = {name}.index_add(0, {added})")]
                    yield propose("index_add", statement, edits, cost=tensor, name=name)
                case _:
                    continue


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
            ast.Call(func=ast.Name(id="range"), args=bounds),
        ):
            dimension, place = _slot(index)
        case _:
            return
    is_counted = isinstance(place, ast.Name) and place.id == counter
    if dimension is None or not is_counted or binding(site, name, loop) is None:
        return
    tensor = site.tensor(name, statement)
    first, extent = _counts(site, loop, bounds, tensor.shape[dimension] if tensor else 0)
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
            if each.id != name or each is buffer:
                continue
            use = site.parent(each)
            if not isinstance(use, ast.Subscript) or _slot(use.slice)[0] != dimension:
                raise EditError("the whole buffer is used in the loop")
            yield text.replace(use, f"{slots}[{ast.unparse(_slot(use.slice)[1])}]")
        dim = "" if dimension == 0 else f", dim={dimension}"
        yield text.after(loop, f"{name} = torch.stack({slots}{dim})")

    if extent:
        yield propose("stack", statement, edits(), cost=tensor, rebuilt=(name,), name=name)


def _slot(index: ast.expr) -> tuple[int | None, ast.expr]:
    """Return the dimension in which a subscript chooses one slot, and which: `t` of `[:, t]`."""
    match index:
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), place]):
            return 1, place
        case ast.Tuple(elts=[ast.Constant(value=value), place]) if value is ...:
            return -1, place
        case ast.Tuple() | ast.Slice():
            return None, index
        case _:
            return 0, index


def _counts(site: FaultSite, loop: ast.For, bounds: list[ast.expr], extent: int) -> tuple[int, int]:
    """Return the first slot that a loop fills and their number, if it fills all from there on."""
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


def indices(site: FaultSite) -> Iterator[Proposal]:
    """Loop over indices instead of rows, which are all views of one call.

    The write may stand in a function that the loop calls.
    """
    places = [place for each in site.culprits for place in (each, *site.callers(each))]
    loops = [above for place in places for above in (place, *site.around(place))]
    for loop in dict.fromkeys(each for each in loops if isinstance(each, ast.For)):
        yield from _indexed(site, loop)


def _indexed(site: FaultSite, loop: ast.For) -> Iterator[Proposal]:
    text = site.text
    others: list[tuple[str, str]] = []
    match loop.target, loop.iter:
        case ast.Name(id=row), whole if is_assignable(whole):
            pass
        case (
            ast.Tuple(elts=[ast.Name(id=row), *targets]),
            ast.Call(func=ast.Name(id="zip"), args=[whole, *values], keywords=[]),
        ) if is_assignable(whole) and len(targets) == len(values) > 0:
            others = [(text.of(t), text.of(v)) for t, v in zip(targets, values, strict=True)]
        case _:
            return
    if tensor_part(site, whole, loop) is None:
        return
    index, name = free_name(site, "i", "j", "k", f"{row}_index"), text.of(whole)
    uses = [node for node in nodes(ast.Name, *loop.body) if node.id == row]

    beside = ", ".join(target for target, _ in others)
    rows = ", ".join(value for _, value in others)
    if len(others) > 1:
        beside, rows = f"({beside})", f"zip({rows})"

    def edits() -> Edits:
        yield text.replace(loop.target, f"{index}, {beside}" if others else index)
        yield text.replace(loop.iter, f"enumerate({rows})" if others else f"range(len({name}))")
        for use in uses:
            yield text.replace(use, f"{name}[{index}]")

    yield propose("indices", loop, edits(), name=name)
