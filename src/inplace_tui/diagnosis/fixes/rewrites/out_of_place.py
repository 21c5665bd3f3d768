"""Out of place instead of in place: methods, operators, `out=`, and `inplace=True`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from inplace_tui.common.syntax import nodes
from inplace_tui.diagnosis.blame.modules import flags_set, in_place_flag
from inplace_tui.diagnosis.fixes.editing import Edit, Edits
from inplace_tui.diagnosis.fixes.expressions import (
    ONLY_IN_PLACE,
    defaults,
    is_assignable,
    is_in_place,
    keyword,
    last_name,
)
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose, set_option


def out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Compute a new tensor where one was written."""
    for statement in site.culprits:
        if not site.must_write(statement):
            yield from out_of_place_statement(site, statement)


def out_of_place_statement(site: FaultSite, statement: ast.stmt) -> Iterator[Proposal]:
    """Yield one statement out of place, in the ways that its writes allow."""
    match statement:
        case ast.AugAssign() | ast.Assign(targets=[ast.Subscript()]):
            yield from _assignment(site, statement)
        case _:
            pass
    for call in site.calls(statement):
        inner = site.parent(call)
        within_chain = isinstance(inner, ast.Attribute) and is_in_place(inner.attr)
        if is_in_place(last_name(call.func)) and not within_chain:
            yield from _call(site, statement, call)
        if (out := keyword(call, "out")) is not None and is_assignable(out.value):
            # `torch.add(a, 1, out=y)` as `y = torch.add(a, 1)`.
            yield from _assigned(site, statement, call, out.value, [site.without_argument(out)])
        given = site.tensor_part(call.args[0], statement) if call.args else None
        if (flag := in_place_flag(call)) is not None and given is not None:
            yield from _assigned(site, statement, call, given, [site.text.replace(flag, "False")])


def _assignment(site: FaultSite, statement: ast.AugAssign | ast.Assign) -> Iterator[Proposal]:
    """Rewrite `y += 1` as `y = y + 1`, and `y[mask] = v` as `y = torch.where(mask, v, y)`."""
    text, value = site.text, statement.value
    target: ast.expr
    if isinstance(statement, ast.AugAssign):
        target, new = statement.target, site.new_value(statement)
    else:
        target, new = statement.targets[0], text.of(value)
    is_augmented = isinstance(statement, ast.AugAssign)
    kind, spelled = "out_of_place", text.of(target)
    place = target.slice if isinstance(target, ast.Subscript) else target
    index = site.tensor(place, statement)
    is_mask = any(nodes(ast.Compare, place)) or (index is not None and index.dtype == "bool")
    if isinstance(target, ast.Subscript) and is_mask:
        mask, target = text.of(place), target.value
        name = text.of(target)
        kind, new = "where", f"torch.where({mask}, {new.replace(spelled, name)}, {name})"
        if not is_augmented and isinstance(value, ast.Constant | ast.UnaryOp):
            kind, new = "masked_fill", f"{name}.masked_fill({mask}, {text.of(value)})"
    elif not is_augmented or _is_element(site, target, statement):
        return
    if is_assignable(target):
        name, cost = text.of(target), site.bytes_of(target, statement)
        edits = [text.replace(statement, f"{name} = {new}")]
        yield propose(kind, statement, edits, cost=cost, name=name)


def _is_element(site: FaultSite, node: ast.expr, statement: ast.stmt) -> bool:
    """Whether it is an element of a tensor: assigning to it writes, too."""
    return isinstance(node, ast.Subscript) and site.tensor(node.value, statement) is not None


def _call(site: FaultSite, statement: ast.stmt, call: ast.Call) -> Iterator[Proposal]:
    """Rewrite `y.add_(1)`, a chain of such, or `F.relu_(y)`."""
    text, methods = site.text, list[ast.Attribute]()
    place: ast.expr = call
    while isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute):
        if not is_in_place(place.func.attr):
            break
        methods.append(place.func)
        place = place.func.value
    imported = {(e.asname or e.name).partition(".")[0] for e in nodes(ast.alias, site.tree)}
    if isinstance(call.func, ast.Attribute) and text.of(place).partition(".")[0] in imported:
        place, methods = next(iter(call.args), place), [call.func]
    # Without the underscore, or where the method has no twin into a copy.
    edits = [
        Edit(end - len(name), end, f"clone().{name}" if name in ONLY_IN_PLACE else name[:-1])
        for name, (_, end) in ((each.attr, text.span(each)) for each in methods)
    ]
    if isinstance(place, ast.Attribute) and place.attr == "data":
        edits.append(text.replace(place, text.of(place.value)))
        place = place.value
    if last_name(call.func) == "copy_" and len(call.args) == 1:
        edits = [text.replace(call, text.cloned(call.args[0]))]
    is_named = site.tensor_part(place, statement) is place
    if is_named and not _is_element(site, place, statement):
        yield from _assigned(site, statement, call, place, edits)
    elif not is_named and site.had_memory(place):
        name, cost = text.of(place), site.written_bytes
        yield propose("only_here", statement, edits, cost=cost, name=name)


def _assigned(
    site: FaultSite, statement: ast.stmt, call: ast.expr, target: ast.expr, edits: list[Edit]
) -> Iterator[Proposal]:
    """Give the new tensor the old one's name, or use it only where it is made."""
    text, name = site.text, site.text.of(target)
    start, end = text.span(call)
    ways: list[tuple[str, Edits]] = [("only_here", edits)]
    if isinstance(statement, ast.Expr) and statement.value is call:
        ways = [("out_of_place", [Edit(start, start, f"{name} = "), *edits])]
    elif text.of(site.bound_to(call)) == name:
        ways = [("out_of_place", edits)]  # `y = y.add_(1)`
    elif _runs_always(site, call):
        edited = text.applied(edits)
        new = edited[start : end + len(edited) - len(text.source)]
        before = text.before(statement, f"{name} = {new}")
        ways.insert(0, ("out_of_place", [before, Edit(start, end, name)]))
    for kind, way in ways:
        yield propose(kind, statement, way, cost=site.bytes_of(target, statement), name=name)


def _runs_always(site: FaultSite, part: ast.expr) -> bool:
    """Whether a part of a statement surely runs exactly once whenever the statement does."""
    within = takewhile(lambda each: not isinstance(each, ast.stmt), site.around(part))
    maybe = ast.IfExp | ast.BoolOp | ast.Lambda | ast.comprehension | ast.ListComp
    maybe |= ast.SetComp | ast.DictComp | ast.GeneratorExp
    return not any(isinstance(each, maybe) for each in within)


# Options of functions and modules.


def flags_off(site: FaultSite) -> Iterator[Proposal]:
    """Have what writes its input return a new tensor: wherever `inplace` is on, and all of it."""
    calls = {in_place_flag(call): last_name(call.func) for call in nodes(ast.Call, site.tree)}
    flags = {flag: name for flag, name in calls.items() if flag is not None}
    flags |= {flag: site.text.of(module) for _, module, flag in flags_set(site.tree)}
    for each in nodes(ast.FunctionDef, site.tree):
        if (flag := _on_by_default(each, "inplace")) is not None:
            above = site.parent(each)
            name = flags[flag] = above.name if isinstance(above, ast.ClassDef) else each.name
            for call in site.calls_of(name):
                if keyword(call, "inplace") is None:
                    values = {"cost": site.written_bytes, "name": name}
                    yield set_option(site, "asked_in_place", [call], "inplace", "False", **values)
    for chosen in (*([flag] for flag in flags), [*flags]) if flags else ():
        first, edits = chosen[0], [site.text.replace(flag, "False") for flag in chosen]
        kind = "not_in_place" if len(chosen) == 1 else "none_in_place"
        at, name, line = site.statement_of(first), flags[first], first.lineno
        yield propose(kind, at, edits, cost=site.written_bytes, name=name, line=line)


def options_off(site: FaultSite) -> Iterator[Proposal]:
    """Switch off, where an object is made, an option without which a write is left out.

    The judge takes it only where nothing else is left out: buffers that are sent to who has them.
    """
    wrote = (place for each in site.culprits for place in (each, *site.callers(each)))
    above = (above for each in wrote for above in site.around(each))
    options = dict.fromkeys(last_name(each.test) for each in above if isinstance(each, ast.If))
    for init in nodes(ast.FunctionDef, site.tree):
        owner = site.parent(init)
        if init.name != "__init__" or not isinstance(owner, ast.ClassDef):
            continue
        for option in options:
            for call in site.calls_of(owner.name) if _on_by_default(init, option) else ():
                values = {"name": owner.name, "option": option}
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
    is_tensor = site.tensor_part(whole, loop) is not None and is_assignable(whole)
    if not (isinstance(row, ast.Name) and is_tensor and len(targets) == len(rows)):
        return
    index, name = site.free_name("i", "j", "k", f"{row.id}_index"), text.of(whole)
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
