"""Out of place instead of in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.engine.fixes.editing import Edit
from inplace_tui.engine.fixes.expressions import (
    in_hook,
    is_in_place,
    is_place,
    keyword,
    last_name,
    tensor_part,
    without_argument,
)
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import Edits, propose
from inplace_tui.engine.fixes.scene import Scene, nbytes

WITHOUT_TWIN = frozenset(
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

_TIGHT = ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript


def out_of_place(scene: Scene) -> Iterator[Candidate]:
    """Compute a new tensor where one was written."""
    for statement in scene.culprits:
        if not in_hook(scene, statement):
            yield from rewritten(scene, statement)


def rewritten(scene: Scene, statement: ast.stmt) -> Iterator[Candidate]:
    """Yield one statement out of place, in the ways that its writes allow."""
    if isinstance(statement, ast.AugAssign):
        yield from _augmented(scene, statement)
    if isinstance(statement, ast.Assign):
        yield from _masked(scene, statement)
    for node in scene.parts(statement):
        if not isinstance(node, ast.Call):
            continue
        inner = scene.parent(node)
        within_chain = isinstance(inner, ast.Attribute) and is_in_place(inner.attr)
        if is_in_place(last_name(node.func)) and not within_chain:
            yield from _call(scene, statement, node)
        if keyword(node, "out") is not None:
            yield from _out(scene, statement, node)


def _augmented(scene: Scene, statement: ast.AugAssign) -> Iterator[Candidate]:
    """Rewrite `y += 1` as `y = y + 1`."""
    target, text = statement.target, scene.text
    written = text.of(target)
    if not is_place(target):
        return
    tensor = scene.tensor(ast.unparse(target), statement)
    whole = isinstance(target, ast.Subscript) and scene.tensor(ast.unparse(target.value), statement)
    if whole:
        return  # an element of a tensor: assigning to it writes too

    def edits() -> Edits:
        start, end = text.span(target)[1], text.span(statement.value)[0]
        operator = text.source[start:end].replace("=", "", 1)
        yield Edit(start, end, f" = {written}{operator}")
        tight = isinstance(statement.value, _TIGHT) or (
            isinstance(statement.op, ast.Add)
            and isinstance(statement.value, ast.BinOp)
            and isinstance(statement.value.op, ast.Mult | ast.Div | ast.MatMult | ast.Pow)
        )
        first, last = text.span(statement.value)
        if not tight and text.source[first - 1 : first] != "(":
            yield Edit(first, first, "(")
            yield Edit(last, last, ")")

    yield from propose(scene, "out_of_place", statement, edits, cost=nbytes(tensor), name=written)
    if isinstance(target, ast.Subscript):
        name = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}.get(
            type(statement.op)
        )
        if name is not None:
            value = text.of(statement.value)
            edit = text.replace(statement, f"{written}.{name}({value})")
            yield from propose(scene, "as_method", statement, lambda: [edit], name=written)


def _masked(scene: Scene, statement: ast.Assign) -> Iterator[Candidate]:
    """Rewrite `y[mask] = 0` as `y = y.masked_fill(mask, 0)`."""
    if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Subscript):
        return
    target, text = statement.targets[0], scene.text
    part = tensor_part(scene, target.value, statement)
    if part is None or part is not target.value:
        return
    name, value, index = text.of(part), text.of(statement.value), text.of(target.slice)
    tensor = scene.tensor(ast.unparse(part), statement)
    mask = scene.tensor(ast.unparse(target.slice), statement)
    is_mask = isinstance(target.slice, ast.Compare) or (mask is not None and mask.dtype == "bool")
    if is_mask:
        yield from propose(
            scene,
            "masked_fill",
            statement,
            lambda: [text.replace(statement, f"{name} = {name}.masked_fill({index}, {value})")],
            cost=nbytes(tensor),
            name=name,
        )
    if isinstance(target.slice, ast.Slice) and index == ":":
        filled = f"{name} = torch.full_like({name}, {value})"
        yield from propose(
            scene,
            "full_like",
            statement,
            lambda: [text.replace(statement, filled)],
            cost=nbytes(tensor),
            name=name,
        )


def _call(scene: Scene, statement: ast.stmt, call: ast.Call) -> Iterator[Candidate]:
    """Rewrite `y.add_(1)`, a chain of such, or `F.relu_(y)`."""
    text = scene.text
    methods = []
    cuts = False
    place: ast.expr = call
    while isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute):
        if not is_in_place(place.func.attr):
            break
        methods.append(place.func)
        place = place.func.value
    if methods and not _is_module(place):
        edits = [edit for each in methods for edit in _renamed(scene, each)]
    elif isinstance(call.func, ast.Attribute) and call.args:
        place = call.args[0]
        edits = _renamed(scene, call.func)
    else:
        return
    match place:
        case ast.Attribute(value=base, attr="data") if text.of(place).endswith(".data"):
            edits.append(text.drop(place, ".data"))
            place = base
        case ast.Call(func=ast.Attribute(value=base, attr="detach")):
            place, cuts = base, True
        case _:
            pass
    target = tensor_part(scene, place, statement)
    if target is None or target is not place:
        return
    if isinstance(target, ast.Subscript) and scene.tensor(ast.unparse(target.value), statement):
        return  # an element of a tensor: assigning to it writes too
    yield from bound(scene, statement, call, target, edits, cuts=cuts)


def _is_module(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in {"torch", "F", "nn"}) or (
        isinstance(node, ast.Attribute) and node.attr in {"functional", "nn", "init", "special"}
    )


def _renamed(scene: Scene, function: ast.Attribute) -> list[Edit]:
    """Drop the underscore of a method, or let one that has no twin write into a copy."""
    _, end = scene.text.span(function)
    if function.attr in WITHOUT_TWIN:
        place = end - len(function.attr)
        return [Edit(place, place, "clone().")]
    return [Edit(end - 1, end, "")]


def bound(
    scene: Scene,
    statement: ast.stmt,
    call: ast.expr,
    target: ast.expr,
    edits: list[Edit],
    *,
    cuts: bool = False,
) -> Iterator[Candidate]:
    """Give the new tensor the old one's name, or use it only where it is made."""
    text = scene.text
    name = text.of(target)
    cost = nbytes(scene.tensor(ast.unparse(target), statement))
    start, end = text.span(call)

    def new() -> str:
        inner = [Edit(each.start - start, each.end - start, each.text) for each in edits]
        source = text.source[start:end]
        for each in sorted(inner, key=lambda edit: edit.start, reverse=True):
            source = source[: each.start] + each.text + source[each.end :]
        return source

    if isinstance(statement, ast.Expr) and statement.value is call:
        yield from propose(
            scene,
            "out_of_place",
            statement,
            lambda: [Edit(start, start, f"{name} = "), *edits],
            cost=cost,
            cuts=cuts,
            name=name,
        )
        return
    yield from propose(
        scene,
        "out_of_place",
        statement,
        lambda: [*text.before(statement, f"{name} = {new()}"), Edit(start, end, name)],
        cost=cost,
        cuts=cuts,
        name=name,
    )
    yield from propose(
        scene, "only_here", statement, lambda: edits, cost=cost, cuts=cuts, consumed=True, name=name
    )


def _out(scene: Scene, statement: ast.stmt, call: ast.Call) -> Iterator[Candidate]:
    """Rewrite `torch.add(a, 1, out=y)` as `y = torch.add(a, 1)`."""
    out = keyword(call, "out")
    assert out is not None
    if not is_place(out.value):
        return
    yield from bound(scene, statement, call, out.value, [without_argument(scene, out)])
