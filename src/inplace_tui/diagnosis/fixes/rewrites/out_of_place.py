"""Out of place instead of in place: methods, operators, `out=`, and `inplace=True`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from inplace_tui.common.source_text import AUGMENTED
from inplace_tui.common.syntax import nodes
from inplace_tui.diagnosis.blame.modules import CONTAINERS, flags_set, in_place_flag
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    ONLY_IN_PLACE,
    arguments_of,
    calls_of,
    is_assignable,
    is_for_caller,
    is_in_place,
    is_mask,
    keyword,
    last_name,
    must_write,
    new_value,
    tensor_part,
    without_argument,
    written_parts,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose, set_option


def out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Compute a new tensor where one was written."""
    for statement in site.culprits:
        if not must_write(site, statement):
            yield from out_of_place_statement(site, statement)


def argument_kept(site: FaultSite) -> Iterator[Proposal]:
    """Have a module leave its input alone, where others read what it wrote there."""
    for statement in site.culprits:
        function = site.function(statement)
        if function is None or function.name != "forward" or is_for_caller(site, statement):
            continue
        written = {ast.unparse(part) for part in written_parts(site, statement)}
        if written.isdisjoint(arguments_of(function)):
            continue
        for each in out_of_place_statement(site, statement):
            if each.kind == "out_of_place":
                yield replace(each, kind="argument_kept")


def out_of_place_statement(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Yield one statement out of place, in the ways that its writes allow."""
    match statement:
        case ast.AugAssign(target=target) if is_assignable(target):
            yield from _augmented(site, statement)
        case ast.Assign(targets=[ast.Subscript(value=part, slice=index)], value=value):
            if tensor_part(site, part, statement) is part:
                yield from _filled(site, statement, part, index, value)
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


def _augmented(site: FaultSite, statement: ast.AugAssign) -> Iterator[Proposal]:
    """Rewrite `y += 1` as `y = y + 1`."""
    target, text = statement.target, site.text
    if _is_element(site, target, statement):
        return
    name, cost = text.of(target), site.tensor(target, statement)
    edit = text.replace(statement, f"{name} = {new_value(site, statement)}")
    yield propose("out_of_place", statement, [edit], cost=cost, name=name)
    method = AUGMENTED[type(statement.op)][0]
    if isinstance(target, ast.Subscript) and is_in_place(method):
        edit = text.replace(statement, f"{name}.{method}({text.of(statement.value)})")
        yield propose("as_method", statement, [edit], name=name)


def _is_element(site: FaultSite, node: ast.expr, statement: ast.stmt) -> bool:
    """Whether it is an element of a tensor: assigning to it writes, too."""
    return isinstance(node, ast.Subscript) and site.tensor(node.value, statement) is not None


def _filled(
    site: FaultSite, statement: ast.stmt, part: ast.expr, index: ast.expr, value: ast.expr
) -> Iterator[Proposal]:
    """Rewrite `y[mask] = 0` as `y = y.masked_fill(mask, 0)`, and `y[:] = 0` likewise."""
    text, cost = site.text, site.tensor(part, statement)
    name, place, new = text.of(part), text.of(index), text.of(value)
    if is_mask(site, index, statement):
        edit = text.replace(statement, f"{name} = {name}.masked_fill({place}, {new})")
        yield propose("masked_fill", statement, [edit], cost=cost, name=name)
    if place == ":":
        edit = text.replace(statement, f"{name} = torch.full_like({name}, {new})")
        yield propose("full_like", statement, [edit], cost=cost, name=name)


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
        edits = [_renamed(site, each) for each in methods]
    elif isinstance(call.func, ast.Attribute) and call.args:
        place = call.args[0]
        edits = [_renamed(site, call.func)]
    else:
        return
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


# Functions and modules with `inplace=True`.


def calls_out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `F.relu(x, inplace=True)`."""
    for statement in site.culprits:
        for call in site.calls(statement):
            if (flag := in_place_flag(call)) is None:
                continue
            edit = site.text.replace(flag, "False")
            part = tensor_part(site, call.args[0], statement) if call.args else None
            if part is None:
                yield propose("not_in_place", statement, [edit], name=last_name(call.func))
            else:
                yield from _assigned(site, statement, call, part, [edit])


def modules_out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Make modules that write their input return a new tensor: each one alone, and all."""
    cost = site.written_bytes
    edits = {
        call: site.text.replace(flag, "False")
        for call in nodes(ast.Call, site.tree)
        if (flag := in_place_flag(call)) is not None
    }
    for call, edit in edits.items():
        path = _path(site, call)
        kind = "not_in_place" if path is None else "module_not_in_place"
        name, at = last_name(call.func), site.statement_of(call)
        yield propose(kind, at, [edit], cost=cost, name=name, path=path, line=call.lineno)
    if len(edits) > 1:
        first = site.statement_of(next(iter(edits)))
        yield propose("none_in_place", first, edits.values(), cost=cost)


def _path(site: FaultSite, call: ast.Call) -> str | None:
    """Return what a module is called from where it is made: `self.reduce[2]`; None if nothing."""
    path, node = "", site.parent(call)
    child: ast.AST = call
    while isinstance(node, ast.Call | ast.List):
        if isinstance(node, ast.Call) and last_name(node.func) not in CONTAINERS:
            return None
        parts = node.args if isinstance(node, ast.Call) else node.elts
        is_list = len(parts) == 1 and isinstance(parts[0], ast.List)
        if child not in parts:
            return None
        if not is_list:
            path = f"[{parts.index(child)}]{path}"
        child, node = node, site.parent(node)
    match node:
        case ast.Assign(targets=[target]):
            return f"{site.text.of(target)}{path}"
        case _:
            return None


def flags_not_set(site: FaultSite) -> Iterator[Proposal]:
    """Leave `inplace` off where a loop, or a line, sets it on modules that are there."""
    for statement, module, flag in flags_set(site.tree):
        edits, name = [site.text.replace(flag, "False")], site.text.of(module)
        yield propose("flag_not_set", statement, edits, cost=site.written_bytes, name=name)


def arguments_out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Ask a class or function of the program, whose `inplace` is on by default, for `False`."""
    cost = site.written_bytes
    for definition in nodes(ast.FunctionDef, site.tree):
        if (flag := _on_by_default(definition, "inplace")) is None:
            continue
        above = site.parent(definition)
        name = above.name if isinstance(above, ast.ClassDef) else definition.name
        for call in calls_of(site, name):
            if keyword(call, "inplace") is None:
                values = {"cost": cost, "name": name}
                yield set_option(site, "asked_in_place", [call], "inplace", "False", **values)
        edit = site.text.replace(flag, "False")
        yield propose("asked_in_place", definition, [edit], cost=cost, name=name)


def options_off(site: FaultSite) -> Iterator[Proposal]:
    """Switch off, where an object is made, an option without which a write is left out.

    Only where the write leaves the values that were there: buffers that are sent to who has them.
    """
    if not all(map(site.leaves_values, site.writes)):
        return
    for culprit in site.culprits:
        for statement in (culprit, *site.callers(culprit)):
            for above in site.around(statement):
                match above:
                    case ast.If(test=ast.Attribute(value=ast.Name(), attr=option), orelse=[]):
                        yield from _option_off(site, above, option)
                    case _:
                        continue


def _option_off(site: FaultSite, inside: ast.If, option: str) -> Iterator[Proposal]:
    owner = next((each for each in site.around(inside) if isinstance(each, ast.ClassDef)), None)
    for method in [] if owner is None else owner.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__":
            continue
        if owner is not None and _on_by_default(method, option):
            for call in calls_of(site, owner.name):
                values = {"name": owner.name, "option": option}
                yield set_option(site, "option_off", [call], option, "False", **values)


def _on_by_default(function: ast.FunctionDef, option: str) -> ast.expr | None:
    """Return the `True` that an argument of a function is where nobody says otherwise."""
    arguments = function.args
    behind = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    positional = zip(behind, arguments.defaults, strict=True)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found = {each.arg: value for each, value in (*positional, *named)}.get(option)
    return found if isinstance(found, ast.Constant) and found.value is True else None
