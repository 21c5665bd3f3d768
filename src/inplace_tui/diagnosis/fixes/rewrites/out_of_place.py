"""Out of place instead of in place: methods, operators, `out=`, and `inplace=True`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.source_text import AUGMENTED
from inplace_tui.common.syntax import nodes
from inplace_tui.diagnosis.blame.modules import flags_set, in_place_flag
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    ONLY_IN_PLACE,
    bound_to,
    calls_of,
    defaults,
    free_name,
    is_assignable,
    is_in_place,
    is_mask,
    keyword,
    last_name,
    must_write,
    new_value,
    tensor_part,
    without_argument,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose, set_option


def out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Compute a new tensor where one was written."""
    for statement in site.culprits:
        if not must_write(site, statement):
            yield from out_of_place_statement(site, statement)


def out_of_place_statement(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Yield one statement out of place, in the ways that its writes allow."""
    match statement:
        case ast.AugAssign(target=ast.Subscript(value=part, slice=index)) if is_mask(
            site, index, statement
        ):
            yield from _chosen(site, statement, part, index, new_value(site, statement))
        case ast.AugAssign(target=target) if is_assignable(target):
            yield from _augmented(site, statement)
        case ast.Assign(targets=[ast.Subscript(value=part, slice=index)], value=value) if is_mask(
            site, index, statement
        ):
            is_number = isinstance(value, ast.Constant | ast.UnaryOp)
            yield from _chosen(site, statement, part, index, site.text.of(value), is_number)
        case _:
            pass
    for call in site.calls(statement):
        inner = site.parent(call)
        within_chain = isinstance(inner, ast.Attribute) and is_in_place(inner.attr)
        if is_in_place(last_name(call.func)) and not within_chain:
            yield from _call(site, statement, call)
        if (out := keyword(call, "out")) is not None and is_assignable(out.value):
            # `torch.add(a, 1, out=y)` as `y = torch.add(a, 1)`.
            yield from _assigned(site, statement, call, out.value, [without_argument(site, out)])
        given = tensor_part(site, call.args[0], statement) if call.args else None
        if (flag := in_place_flag(call)) is not None and given is not None:
            yield from _assigned(site, statement, call, given, [site.text.replace(flag, "False")])


def _chosen(  # noqa: PLR0917  # as a statement has them
    site: FaultSite,
    statement: ast.stmt,
    part: ast.expr,
    index: ast.expr,
    new: str,
    is_number: bool = False,
) -> Iterator[Proposal]:
    """Rewrite `y[mask] = v` as `y = torch.where(mask, v, y)`, of a number by `masked_fill`."""
    name, place, cost = site.text.of(part), site.text.of(index), site.bytes_of(part, statement)
    new = new.replace(f"{name}[{place}]", name)
    kind, value = "where", f"torch.where({place}, {new}, {name})"
    if is_number:
        kind, value = "masked_fill", f"{name}.masked_fill({place}, {new})"
    edits = [site.text.replace(statement, f"{name} = {value}")]
    yield propose(kind, statement, edits, cost=cost, name=name)


def _augmented(site: FaultSite, statement: ast.AugAssign) -> Iterator[Proposal]:
    """Rewrite `y += 1` as `y = y + 1`."""
    target, text = statement.target, site.text
    if _is_element(site, target, statement):
        return
    name, cost = text.of(target), site.bytes_of(target, statement)
    edits = [text.replace(statement, f"{name} = {new_value(site, statement)}")]
    yield propose("out_of_place", statement, edits, cost=cost, name=name)
    method = AUGMENTED[type(statement.op)][0]
    if isinstance(target, ast.Subscript) and is_in_place(method):
        edits = [text.replace(statement, f"{name}.{method}({text.of(statement.value)})")]
        yield propose("as_method", statement, edits, name=name)


def _is_element(site: FaultSite, node: ast.expr, statement: ast.stmt) -> bool:
    """Whether it is an element of a tensor: assigning to it writes, too."""
    return isinstance(node, ast.Subscript) and site.tensor(node.value, statement) is not None


def _call(site: FaultSite, statement: ast.stmt, call: ast.Call) -> Iterator[Proposal]:
    """Rewrite `y.add_(1)`, a chain of such, or `F.relu_(y)`."""
    text, methods, cuts = site.text, list[ast.Attribute](), False
    place: ast.expr = call
    while isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute):
        if not is_in_place(place.func.attr):
            break
        methods.append(place.func)
        place = place.func.value
    if not methods or _is_module(place):
        if not isinstance(call.func, ast.Attribute) or not call.args:
            return
        place, methods = call.args[0], [call.func]
    edits = [_renamed(site, each) for each in methods]
    match place:
        case ast.Attribute(value=base, attr="data") if text.of(place).endswith(".data"):
            edits += text.drop(place, ".data")
            place = base
        case ast.Call(func=ast.Attribute(value=base, attr="detach")):
            held = site.tensor(base, statement)
            place, cuts = base, held is not None and held.requires_grad
        case _:
            pass
    match call:
        case ast.Call(func=ast.Attribute(attr="copy_"), args=[value], keywords=[]):
            edits = [text.replace(call, text.cloned(value))]
        case _:
            pass
    is_named = tensor_part(site, place, statement) is place
    if is_named and not _is_element(site, place, statement):
        yield from _assigned(site, statement, call, place, edits, cuts=cuts)
    elif not is_named and site.had_memory(place):
        name, cost = text.of(place), site.written_bytes
        yield propose("only_here", statement, edits, cost=cost, cuts=cuts, name=name)


def _is_module(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in {"torch", "F", "nn"}) or (
        isinstance(node, ast.Attribute) and node.attr in {"functional", "nn", "init", "special"}
    )


def _renamed(site: FaultSite, function: ast.Attribute) -> Edit:
    """Drop the underscore of a method, or let one that has no twin write into a copy."""
    _, end = site.text.span(function)
    if function.attr in ONLY_IN_PLACE:
        place = end - len(function.attr)
        return Edit(place, place, "clone().")
    return Edit(end - 1, end, "")


def _assigned(
    site: FaultSite,
    statement: ast.stmt,
    call: ast.expr,
    target: ast.expr,
    edits: list[Edit],
    *,
    cuts: bool = False,
) -> Iterator[Proposal]:
    """Give the new tensor the old one's name, or use it only where it is made."""
    text, name = site.text, site.text.of(target)
    start, end = text.span(call)

    def proposed(kind: str, edits: Edits) -> Proposal:
        cost = site.bytes_of(target, statement)
        return propose(kind, statement, edits, cost=cost, cuts=cuts, name=name)

    if isinstance(statement, ast.Expr) and statement.value is call:
        yield proposed("out_of_place", [Edit(start, start, f"{name} = "), *edits])
        return
    if text.of(bound_to(site, call)) == name:
        yield proposed("out_of_place", edits)  # `y = y.add_(1)`
        return
    if _runs_always(site, statement, call):
        edited = text.applied(edits)
        new = edited[start : end + len(edited) - len(text.source)]
        before = text.before(statement, f"{name} = {new}")
        yield proposed("out_of_place", [before, Edit(start, end, name)])
    yield proposed("only_here", edits)


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


# Options of functions and modules.


def flags_off(site: FaultSite) -> Iterator[Proposal]:
    """Have what writes its input return a new tensor: wherever `inplace` is on, and all of it."""
    flags = {
        flag: last_name(call.func)
        for call in nodes(ast.Call, site.tree)
        if (flag := in_place_flag(call)) is not None
    }
    flags |= {flag: site.text.of(module) for _, module, flag in flags_set(site.tree)}
    for each in nodes(ast.FunctionDef, site.tree):
        if (flag := _on_by_default(each, "inplace")) is not None:
            above = site.parent(each)
            flags[flag] = above.name if isinstance(above, ast.ClassDef) else each.name
    edits = {flag: site.text.replace(flag, "False") for flag in flags}
    cost = site.written_bytes
    for flag, name in flags.items():
        at, line = site.statement_of(flag), flag.lineno
        yield propose("not_in_place", at, [edits[flag]], cost=cost, name=name, line=line)
    if len(flags) > 1:
        first = site.statement_of(next(iter(flags)))
        yield propose("none_in_place", first, edits.values(), cost=cost)


def options_off(site: FaultSite) -> Iterator[Proposal]:
    """Switch off, where an object is made, an option without which a write is left out.

    Only where the write leaves the values that were there: buffers that are sent to who has them.
    """
    if not all(map(site.leaves_values, site.writes)):
        return
    for culprit in site.culprits:
        for above in (a for each in (culprit, *site.callers(culprit)) for a in site.around(each)):
            match above:
                case ast.If(test=ast.Attribute(value=ast.Name(), attr=option), orelse=[]):
                    pass
                case _:
                    continue
            owners = [each for each in site.around(above) if isinstance(each, ast.ClassDef)]
            for method in nodes(ast.FunctionDef, *owners[:1]):
                if method.name == "__init__" and _on_by_default(method, option):
                    values = {"name": owners[0].name, "option": option}
                    for call in calls_of(site, owners[0].name):
                        yield set_option(site, "option_off", [call], option, "False", **values)


def _on_by_default(function: ast.FunctionDef, option: str) -> ast.expr | None:
    """Return the `True` that an argument of a function is where nobody says otherwise."""
    found = defaults(function).get(option)
    return found if isinstance(found, ast.Constant) and found.value is True else None


# Rows.


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
    targets, rows = [loop.target], [loop.iter]
    match loop.target, loop.iter:
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=rows, keywords=[]):
            pass
        case _:
            pass
    row, whole = targets[0], rows[0]
    is_tensor = tensor_part(site, whole, loop) is not None and is_assignable(whole)
    if not (isinstance(row, ast.Name) and is_tensor and len(targets) == len(rows)):
        return
    index, name = free_name(site, "i", "j", "k", f"{row.id}_index"), text.of(whole)
    beside, others = (", ".join(map(text.of, each[1:])) for each in (targets, rows))
    if len(rows) > 2:
        beside, others = f"({beside})", f"zip({others})"
    edits = [
        text.replace(loop.target, f"{index}, {beside}" if others else index),
        text.replace(loop.iter, f"enumerate({others})" if others else f"range(len({name}))"),
    ]
    uses = (node for node in nodes(ast.Name, *loop.body) if node.id == row.id)
    edits += [text.replace(use, f"{name}[{index}]") for use in uses]
    yield propose("indices", loop, edits, name=name)
