"""Which lines belong together: a statement, or the header of a compound one.

Python reports physical lines; a reader steps over statements. Several
statements on one line are one step, and so is one statement on several lines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_STEPS = (ast.stmt, ast.ExceptHandler, ast.match_case)


@dataclass(frozen=True, slots=True)
class Statement:
    """What runs as one step."""

    line: int
    end_line: int
    exits: bool = False
    """A `with` or `except` header: an exception may leave it without being
    raised in it."""


class Statements:
    """The steps of one source text."""

    def __init__(self, tree: ast.Module) -> None:
        self.starts: frozenset[tuple[int, int]] = frozenset(
            (node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.stmt)
        )
        """Line and column (in bytes) where a statement begins."""

        self._at: dict[int, Statement] = {}
        ranges = [_range(node) for node in ast.walk(tree) if isinstance(node, _STEPS)]
        for statement in _merged(sorted(ranges, key=lambda s: (s.line, s.end_line))):
            for line in range(statement.line, statement.end_line + 1):
                self._at[line] = statement
        self.first: Statement | None = None
        if tree.body:
            self.first = self.at(_range(tree.body[0]).line)

    def at(self, line: int) -> Statement:
        found = self._at.get(line)
        return Statement(line, line) if found is None else found


def _range(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> Statement:
    """Return the lines of a simple statement, or of a compound one's header."""
    if isinstance(node, ast.match_case):
        last = max(_end(node.pattern), _end(node.guard))
        return Statement(node.pattern.lineno, last)
    first = node.lineno
    if not hasattr(node, "body") and not isinstance(node, ast.Match):
        return Statement(first, node.end_lineno or first)
    parts = [part for part in ast.iter_child_nodes(node) if not isinstance(part, _STEPS)]
    first = min([first, *(p.lineno for p in getattr(node, "decorator_list", ()))])
    last = max([node.lineno, *(_end(part) for part in parts)])
    leaves = isinstance(node, (ast.With, ast.AsyncWith, ast.ExceptHandler))
    return Statement(first, last, exits=leaves)


def _end(part: ast.AST | None) -> int:
    if part is None:
        return 0
    own: int | None = getattr(part, "end_lineno", None)
    if own is not None:
        return own
    return max((_end(child) for child in ast.iter_child_nodes(part)), default=0)


def _merged(ranges: list[Statement]) -> Iterator[Statement]:
    current: Statement | None = None
    for found in ranges:
        if current is not None and found.line <= current.end_line:
            last = max(current.end_line, found.end_line)
            current = Statement(current.line, last, exits=current.exits or found.exits)
        else:
            if current is not None:
                yield current
            current = found
    if current is not None:
        yield current
