"""What is asked of syntax trees: the nodes of a kind in them, the names that they read and store.

A tree that was parsed is shared: it is not to be changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeVar

from inplace_tui.common.parsing import parse

N = TypeVar("N", bound=ast.AST)

DOTTED = (ast.Name, ast.Attribute, ast.Subscript)
"""What names something: `x`, `x.grad`, `x[0]`."""


@lru_cache(maxsize=8)
def parsed(source: str) -> ast.Module:
    """Return the tree of a program; an empty one if it is not Python, or too deep."""
    try:
        return parse(source)
    except SyntaxError:
        return ast.Module([], [])


def nodes(kind: type[N], *trees: ast.AST | None) -> Iterator[N]:
    """Yield the nodes of a kind in some trees, of each the outer ones first."""
    for tree in trees:
        for node in () if tree is None else ast.walk(tree):
            if isinstance(node, kind):
                yield node


def names(*trees: ast.AST) -> set[str]:
    """Return the plain names in some trees."""
    return {node.id for node in nodes(ast.Name, *trees)}


def names_read(*trees: ast.AST) -> set[str]:
    return {node.id for node in nodes(ast.Name, *trees) if isinstance(node.ctx, ast.Load)}


def names_stored(*trees: ast.AST) -> set[str]:
    return {node.id for node in nodes(ast.Name, *trees) if isinstance(node.ctx, ast.Store)}


def read_too_early(tree: ast.AST) -> set[tuple[str, str]]:
    """Return the names that a function, or the module, reads before any line of it binds them."""
    found: set[tuple[str, str]] = set()
    for scope in (tree, *nodes(ast.FunctionDef, tree)):
        given = {each.arg for each in nodes(ast.arg, scope)}
        given |= names(*(each.target for each in nodes(ast.comprehension, scope)))
        given |= {each.asname or each.name for each in nodes(ast.alias, scope)}
        given |= {name for each in nodes(ast.Global, scope) for name in each.names}
        given |= {name for each in nodes(ast.Nonlocal, scope) for name in each.names}
        augmented = {id(each.target) for each in nodes(ast.AugAssign, scope)}
        places: tuple[dict[str, tuple[int, int]], ...] = {}, {}
        waiting = [(each, (0, 0)) for each in ast.iter_child_nodes(scope)]
        while waiting:
            node, place = waiting.pop()
            if isinstance(node, ast.Name):
                known = places[isinstance(node.ctx, ast.Store) and id(node) not in augmented]
                known[node.id] = min(place, known.get(node.id, place))
            if not isinstance(
                node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
            ):
                place = (node.lineno, node.col_offset) if isinstance(node, ast.stmt) else place
                waiting += [(each, place) for each in ast.iter_child_nodes(node)]
        loads, stores = places
        # A statement reads before it binds.
        early = {name for name in loads.keys() & stores.keys() if loads[name] <= stores[name]}
        if "*" not in given:
            found |= {(getattr(scope, "name", ""), name) for name in early - given}
    return found


def innermost_statement(tree: ast.AST, line: int | None) -> ast.stmt | None:
    """Return the innermost statement that a line belongs to; None if there is none."""
    around = [
        each
        for each in nodes(ast.stmt, tree)
        if each.lineno <= (line or 0) <= (each.end_lineno or 0)
    ]
    return max(around, key=lambda each: (each.lineno, each.col_offset), default=None)


def bindings(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Return which value goes to which target: of `a, b = f(), g()`, both."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return list(zip(targets, values, strict=False))
        case ast.Assign(targets=[target], value=value):
            return [(target, value)]
        case _:
            return []
