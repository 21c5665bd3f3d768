"""Parsing programs of strangers: what Python can't parse, for whatever reason, is a SyntaxError."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

MAX_DEPTH = 200
"""Levels of a tree below which `ast.unparse`, four calls for each, would come to Python's limit."""


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
