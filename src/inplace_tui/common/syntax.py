"""Syntax trees of strangers' programs: the nodes of a kind in them, the names they read and store.

What Python can't parse, for whatever reason, is a SyntaxError. A tree that was parsed is shared:
it is not to be changed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType
from typing import TypeAlias, TypeVar

MAX_DEPTH = 200
"""Levels of a tree below which `ast.unparse`, four calls for each, would come to Python's limit."""

N = TypeVar("N", bound=ast.AST)
S = TypeVar("S", bound=ast.stmt)

Loop: TypeAlias = ast.For | ast.While
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

DOTTED = (ast.Name, ast.Attribute, ast.Subscript)
"""What names something: `x`, `x.grad`, `x[0]`."""


def parse(source: str, *, deep: bool = False) -> ast.Module:
    """Return the tree of a program.

    Args:
        source: what may be a program.
        deep: whether a tree will do that can't be handed to functions which call themselves
            for each level, as `ast.unparse` and `ast.dump` do.

    Raises:
        SyntaxError: it is not Python, or more than Python can parse; then without a line.
    """
    with _refusals():
        tree = ast.parse(source)
    if not deep and _is_deep(tree):
        raise SyntaxError("nested too deeply")
    return tree


def compiled(source: str | ast.Module, *, flags: int = 0) -> CodeType:
    """Return the code of a program that is not to be run here.

    Raises:
        SyntaxError: Python would not run it.
    """
    with _refusals():
        code: CodeType = compile(source, "program", "exec", flags=flags, dont_inherit=True)
    return code


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is Python's to warn of when it runs
            yield
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or type(error).__name__) from error


def _is_deep(tree: ast.AST) -> bool:
    level, depth = [tree], 0
    while level and depth <= MAX_DEPTH:
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        depth += 1
    return bool(level)


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


def function_classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    """Yield the classes that are Functions of a kind: they have a `backward` of their own."""
    for node in nodes(ast.ClassDef, tree):
        if any(ast.unparse(base).endswith("Function") for base in node.bases):
            yield node


def longest(places: Iterable[ast.expr]) -> list[ast.expr]:
    """Return the places that are no part of another: `x.grad`, and not its `x`."""
    found = list(places)
    inner = {id(each.value) for each in found if isinstance(each, ast.Attribute | ast.Subscript)}
    return [each for each in found if id(each) not in inner]


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
    found = around(ast.stmt, tree, line or 0)
    return max(found, key=lambda each: (each.lineno, each.col_offset), default=None)


def around(kind: type[S], tree: ast.AST, line: int) -> list[S]:
    """Return the statements of a kind that a line belongs to, the outer ones first."""
    return [each for each in nodes(kind, tree) if each.lineno <= line <= (each.end_lineno or 0)]


def bindings(statement: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Return which value goes to which target: of `a, b = f(), g()`, both."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return list(zip(targets, values, strict=False))
        case ast.Assign(targets=[target], value=value):
            return [(target, value)]
        case _:
            return []


def loop_at(tree: ast.AST, line: int) -> Loop | None:
    """Return the loop that begins on a line."""
    loops = (each for each in ast.walk(tree) if isinstance(each, Loop))
    return next((each for each in loops if each.lineno == line), None)
