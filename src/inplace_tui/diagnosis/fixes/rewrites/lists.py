"""Loops that write every tensor of a list: a list of new tensors instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_tui.diagnosis.fixes.editing import Edits
from inplace_tui.diagnosis.fixes.expressions import free_name, is_in_place
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Proposal, propose
from inplace_tui.diagnosis.fixes.rewrites.out_of_place import ONLY_IN_PLACE

_ATOMS = ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript


def new_list(site: FaultSite) -> Iterator[Proposal]:
    """Rewrite `p *= 2` in `for p in ps` so that `ps[i]` is new, and the like of a comprehension."""
    for statement in site.culprits:
        match statement, site.parent(statement):
            case _, ast.For(target=target, iter=iterated, body=[_], orelse=[]):
                found, edits_for = _written(site, statement), _replaced
            case (
                ast.Expr(
                    value=ast.ListComp(
                        elt=element, generators=[ast.comprehension(target, iterated, ifs=[])]
                    )
                ),
                _,
            ):
                found, edits_for = _called(site, element), _collected
            case _:
                continue
        name = None if found is None else _container(target, iterated, found[0])
        if found is not None and name is not None:
            edits = edits_for(site, statement, (target, iterated), (*found, name))
            yield propose("new_list", statement, edits, cost=site.written_bytes, name=name)


def _replaced(
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


def _written(site: FaultSite, statement: ast.stmt) -> tuple[str, str] | None:
    """Return the name that a statement writes, and the value as an expression."""
    match statement:
        case ast.Expr(value=value):
            return _called(site, value)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            source = site.text.source
            between = source[site.text.span(statement.target)[1] : site.text.span(value)[0]]
            operator = between.replace("=", "", 1).rstrip("(").strip()
            right = site.text.of(value)
            plain = isinstance(value, _ATOMS) or _binds_tighter(statement.op, value)
            return name, f"{name} {operator} {right if plain else f'({right})'}"
        case _:
            return None


def _binds_tighter(operator: ast.operator, value: ast.expr) -> bool:
    products = ast.Mult | ast.Div | ast.MatMult | ast.Pow
    return (
        isinstance(operator, ast.Add | ast.Sub)
        and isinstance(value, ast.BinOp)
        and isinstance(value.op, products)
    )


def _called(site: FaultSite, value: ast.expr) -> tuple[str, str] | None:
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
