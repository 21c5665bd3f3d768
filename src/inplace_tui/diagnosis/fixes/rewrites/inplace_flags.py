"""Functions and modules with `inplace=True`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.common.syntax import nodes
from inplace_tui.diagnosis.blame.modules import CONTAINERS, flags_set, in_place_flag
from inplace_tui.diagnosis.fixes.editing import Edit
from inplace_tui.diagnosis.fixes.expressions import keyword, last_name, set_argument, tensor_part
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.out_of_place import assigned


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
                yield from assigned(site, statement, call, part, [edit])


def modules_out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Make modules that write their input return a new tensor: each one alone, and all."""
    flags = [
        (node, flag)
        for node in nodes(ast.Call, site.tree)
        if (flag := in_place_flag(node)) is not None
    ]
    for call, flag in flags:
        path = _path(site, call)
        yield propose(
            "not_in_place" if path is None else "module_not_in_place",
            site.statement_of(call),
            _replaced(site, [flag], "False"),
            cost=site.written_bytes,
            name=last_name(call.func),
            path=path,
            line=call.lineno,
        )
    if len(flags) > 1:
        yield propose(
            "none_in_place",
            site.statement_of(flags[0][0]),
            _replaced(site, [flag for _, flag in flags], "False"),
            cost=site.written_bytes,
        )


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
        name, edits = site.text.of(module), _replaced(site, [flag], "False")
        yield propose("flag_not_set", statement, edits, cost=site.written_bytes, name=name)


def arguments_out_of_place(site: FaultSite) -> Iterator[Proposal]:
    """Ask a class or function of the program, whose `inplace` is on by default, for `False`."""
    for definition in nodes(ast.FunctionDef, site.tree):
        flag = dict(_defaults(definition.args)).get("inplace")
        if not (isinstance(flag, ast.Constant) and flag.value is True):
            continue
        above = site.parent(definition)
        name = above.name if isinstance(above, ast.ClassDef) else definition.name
        for call in nodes(ast.Call, site.tree):
            if last_name(call.func) == name and keyword(call, "inplace") is None:
                yield propose(
                    "asked_in_place",
                    site.statement_of(call),
                    set_argument(site, call, "inplace", "False"),
                    cost=site.written_bytes,
                    name=name,
                )
        edits = _replaced(site, [flag], "False")
        yield propose("asked_in_place", definition, edits, cost=site.written_bytes, name=name)


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
        default = dict(_defaults(method.args)).get(option)
        if not (isinstance(default, ast.Constant) and default.value is True):
            continue
        for call in nodes(ast.Call, site.tree):
            if owner and last_name(call.func) == owner.name:
                yield propose(
                    "option_off",
                    site.statement_of(call),
                    set_argument(site, call, option, "False"),
                    name=owner.name,
                    option=option,
                )


def _defaults(arguments: ast.arguments) -> list[tuple[str, ast.expr | None]]:
    behind = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    positional = zip((each.arg for each in behind), arguments.defaults, strict=True)
    named = zip((each.arg for each in arguments.kwonlyargs), arguments.kw_defaults, strict=True)
    return [*positional, *named]


def _replaced(site: FaultSite, nodes: list[ast.expr], text: str) -> list[Edit]:
    return [site.text.replace(node, text) for node in nodes]
