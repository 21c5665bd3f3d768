"""Out of place instead of in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    free_name,
    in_hook,
    is_assignable,
    is_for_caller,
    is_in_place,
    is_tight,
    keyword,
    last_name,
    tensor_part,
    without_argument,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite, copied_bytes
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose

ONLY_IN_PLACE = frozenset(
    [
        "zero_",
        "fill_",
        "normal_",
        "uniform_",
        "random_",
        "bernoulli_",
        "exponential_",
        "geometric_",
        "log_normal_",
        "cauchy_",
        "copy_",
        "set_",
        "resize_",
        "resize_as_",
        "apply_",
        "map_",
        "map2_",
        "fill_diagonal_",
        "as_strided_",
        "rename_",
    ]
)
"""Methods that exist in place only, or mean something else without the underscore."""


def out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Compute a new tensor where one was written."""
    for statement in site.culprits:
        if in_hook(site, statement) or site.updates_leaf(statement):
            continue
        if is_for_caller(site, statement):
            continue
        yield from out_of_place_statement(site, statement)


def argument_kept(site: FaultSite) -> Iterator[Proposal]:
    """Have a module leave its input alone, where others read what it wrote there."""
    for statement in site.culprits:
        function = site.function(statement)
        if function is None or function.name != "forward" or is_for_caller(site, statement):
            continue
        given = {each.arg for each in function.args.args}
        if given.isdisjoint(ast.unparse(part) for part in written_parts(site, statement)):
            continue
        for each in out_of_place_statement(site, statement):
            if each.kind == "out_of_place":
                yield replace(each, kind="argument_kept", traits=each.traits | {"usual": True})


def out_of_place_statement(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Yield one statement out of place, in the ways that its writes allow."""
    if isinstance(statement, ast.AugAssign):
        yield from _augmented(site, statement)
    if isinstance(statement, ast.Assign):
        yield from _masked(site, statement)
    for call in site.calls(statement):
        inner = site.parent(call)
        within_chain = isinstance(inner, ast.Attribute) and is_in_place(inner.attr)
        if is_in_place(last_name(call.func)) and not within_chain:
            yield from _call(site, statement, call)
        if (out := keyword(call, "out")) is not None and is_assignable(out.value):
            # `torch.add(a, 1, out=y)` as `y = torch.add(a, 1)`.
            yield from assigned(site, statement, call, out.value, [without_argument(site, out)])


def _augmented(site: FaultSite, statement: ast.AugAssign) -> Iterator[Proposal]:
    """Rewrite `y += 1` as `y = y + 1`."""
    target, text = statement.target, site.text
    written = text.of(target)
    if not is_assignable(target):
        return
    tensor = site.tensor(ast.unparse(target), statement)
    whole = isinstance(target, ast.Subscript) and site.tensor(ast.unparse(target.value), statement)
    if whole:
        return  # an element of a tensor: assigning to it writes too

    def edits() -> Edits:
        start, end = text.span(target)[1], text.span(statement.value)[0]
        operator = text.source[start:end].replace("=", "", 1)
        yield Edit(start, end, f" = {written}{operator}")
        first, last = text.span(statement.value)
        if not is_tight(statement) and text.source[first - 1 : first] != "(":
            yield Edit(first, first, "(")
            yield Edit(last, last, ")")

    yield propose("out_of_place", statement, edits(), cost=copied_bytes(tensor), name=written)
    if isinstance(target, ast.Subscript):
        name = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}.get(
            type(statement.op)
        )
        if name is not None:
            value = text.of(statement.value)
            edit = text.replace(statement, f"{written}.{name}({value})")
            yield propose("as_method", statement, [edit], name=written)


def _masked(site: FaultSite, statement: ast.Assign) -> Iterator[Proposal]:
    """Rewrite `y[mask] = 0` as `y = y.masked_fill(mask, 0)`."""
    if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Subscript):
        return
    target, text = statement.targets[0], site.text
    part = tensor_part(site, target.value, statement)
    if part is None or part is not target.value:
        return
    name, value, index = text.of(part), text.of(statement.value), text.of(target.slice)
    tensor = site.tensor(ast.unparse(part), statement)
    mask = site.tensor(ast.unparse(target.slice), statement)
    is_mask = isinstance(target.slice, ast.Compare) or (mask is not None and mask.dtype == "bool")
    if is_mask:
        yield propose(
            "masked_fill",
            statement,
            [text.replace(statement, f"{name} = {name}.masked_fill({index}, {value})")],
            cost=copied_bytes(tensor),
            name=name,
        )
    if isinstance(target.slice, ast.Slice) and index == ":":
        filled = f"{name} = torch.full_like({name}, {value})"
        yield propose(
            "full_like",
            statement,
            [text.replace(statement, filled)],
            cost=copied_bytes(tensor),
            name=name,
        )


def _call(site: FaultSite, statement: ast.stmt, call: ast.Call) -> Iterator[Proposal]:
    """Rewrite `y.add_(1)`, a chain of such, or `F.relu_(y)`."""
    text = site.text
    methods = []
    cuts = False
    place: ast.expr = call
    while isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute):
        if not is_in_place(place.func.attr):
            break
        methods.append(place.func)
        place = place.func.value
    if methods and not _is_module(place):
        edits = [edit for each in methods for edit in _renamed(site, each)]
    elif isinstance(call.func, ast.Attribute) and call.args:
        place = call.args[0]
        edits = _renamed(site, call.func)
    else:
        return
    match place:
        case ast.Attribute(value=base, attr="data") if text.of(place).endswith(".data"):
            edits += text.drop(place, ".data")
            place = base
        case ast.Call(func=ast.Attribute(value=base, attr="detach")):
            held = site.tensor(ast.unparse(base), statement)
            place, cuts = base, held is not None and held.requires_grad
        case _:
            pass
    target = tensor_part(site, place, statement)
    if target is None or target is not place:
        return
    if isinstance(target, ast.Subscript) and site.tensor(ast.unparse(target.value), statement):
        return  # an element of a tensor: assigning to it writes too
    yield from assigned(site, statement, call, target, edits, cuts=cuts)


def _is_module(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in {"torch", "F", "nn"}) or (
        isinstance(node, ast.Attribute) and node.attr in {"functional", "nn", "init", "special"}
    )


def _renamed(site: FaultSite, function: ast.Attribute) -> list[Edit]:
    """Drop the underscore of a method, or let one that has no twin write into a copy."""
    _, end = site.text.span(function)
    if function.attr in ONLY_IN_PLACE:
        place = end - len(function.attr)
        return [Edit(place, place, "clone().")]
    return [Edit(end - 1, end, "")]


def assigned(
    site: FaultSite,
    statement: ast.stmt,
    call: ast.expr,
    target: ast.expr,
    edits: list[Edit],
    *,
    cuts: bool = False,
) -> Iterator[Proposal]:
    """Give the new tensor the old one's name, or use it only where it is made."""
    text = site.text
    name = text.of(target)
    cost = site.nbytes(target, statement)
    start, end = text.span(call)

    def new() -> str:
        inner = [Edit(each.start - start, each.end - start, each.text) for each in edits]
        source = text.source[start:end]
        for each in sorted(inner, key=lambda edit: edit.start, reverse=True):
            source = source[: each.start] + each.text + source[each.end :]
        return source

    if isinstance(statement, ast.Expr) and statement.value is call:
        yield propose(
            "out_of_place",
            statement,
            [Edit(start, start, f"{name} = "), *edits],
            cost=cost,
            cuts=cuts,
            name=name,
        )
        return
    if not _runs_always(site, statement, call):
        yield propose("only_here", statement, edits, cost=cost, cuts=cuts, consumed=True, name=name)
        return
    yield propose(
        "out_of_place",
        statement,
        [text.before(statement, f"{name} = {new()}"), Edit(start, end, name)],
        cost=cost,
        cuts=cuts,
        name=name,
    )
    yield propose("only_here", statement, edits, cost=cost, cuts=cuts, consumed=True, name=name)


def _runs_always(site: FaultSite, statement: ast.stmt, part: ast.expr) -> bool:
    """Whether a part of a statement runs exactly once whenever the statement does."""
    inner: ast.AST = part
    for each in site.around(part):
        match each:
            case ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]) if inner is not first:
                return False
            case ast.Lambda() | ast.comprehension() | ast.ListComp() | ast.GeneratorExp():
                return False
            case ast.SetComp() | ast.DictComp():
                return False
            case _:
                pass
        if each is statement:
            break
        inner = each
    return True


def new_list(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `p *= 2` in `for p in ps` so that `ps[i]` is new, and the like of a comprehension."""
    for statement in site.culprits:
        match statement, site.parent(statement):
            case _, ast.For(target=target, iter=iterated, body=[_], orelse=[]):
                found, edits_for = _written_value(site, statement), _put_in_place
            case (
                ast.Expr(
                    value=ast.ListComp(
                        elt=element, generators=[ast.comprehension(target, iterated, ifs=[])]
                    )
                ),
                _,
            ):
                found, edits_for = _called_value(site, element), _collected
            case _:
                continue
        name = None if found is None else _container(target, iterated, found[0])
        if found is not None and name is not None:
            edits = edits_for(site, statement, (target, iterated), (*found, name))
            yield propose("new_list", statement, edits, cost=site.written_bytes, name=name)


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


def _collected(
    site: FaultSite,
    statement: ast.stmt,
    loop: tuple[ast.expr, ast.expr],
    write: tuple[str, str, str],
) -> Edits:
    (target, iterated), (_, value, container) = loop, write
    comprehension = f"[{value} for {site.text.of(target)} in {site.text.of(iterated)}]"
    return [site.text.replace(statement, f"{container} = {comprehension}")]


def _written_value(site: FaultSite, statement: ast.stmt) -> tuple[str, str] | None:
    """Return the name that a statement writes, and the value as an expression."""
    match statement:
        case ast.Expr(value=value):
            return _called_value(site, value)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            source = site.text.source
            between = source[site.text.span(statement.target)[1] : site.text.span(value)[0]]
            operator = between.replace("=", "", 1).rstrip("(").strip()
            right = site.text.of(value)
            return name, f"{name} {operator} {right if is_tight(statement) else f'({right})'}"
        case _:
            return None


def _called_value(site: FaultSite, value: ast.expr) -> tuple[str, str] | None:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if (
            is_in_place(method) and method not in ONLY_IN_PLACE
        ):
            rest = site.text.of(value).removeprefix(f"{name}.{method}")
            return name, f"{name}.{method[:-1]}{rest}"
        case _:
            return None


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
