"""Where the instructions of a code object stand in the source.

Python keeps lines and columns from 3.11 on; 3.10 keeps lines alone. There, the program is
compiled once more from its syntax tree, each node of which is given a line number of its own:
what has the line of a node was compiled from that node. The two differ in jumps and in what
does nothing, so the rest is compared, and where that differs, lines are all that is known.
"""

from __future__ import annotations
import __future__

import ast
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from types import CodeType
from typing import Any, TypeAlias

from inplace_tui.common.syntax import compiled
from inplace_tui.diagnosis.record.compat import KEEPS_COLUMNS, Placed, Position, placed

FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""Flags of a code object that `compile` takes."""

_Node: TypeAlias = Any
"""A node of a syntax tree that has a place."""


class Compiled:
    """The instructions of a program's code objects, with their places."""

    def __init__(self, tree: ast.Module, before: Iterable[int]) -> None:
        """Take the tree of all files, and how many of its lines stand before each."""
        self._tree = tree
        self._before = sorted(before)
        self._numbered: dict[int, dict[tuple[str, int], list[list[Placed]]]] = {}

    def instructions(self, code: CodeType, shift: int) -> list[Placed]:
        """Return those of a code object, in whose file so many lines stand before."""
        found = list(placed(code))
        if KEEPS_COLUMNS:
            return found
        if shift not in self._numbered:
            self._numbered[shift] = self._number(shift, code.co_flags & FUTURES)
        first = 0 if code.co_name == "<module>" else code.co_firstlineno
        ours = [at for at, each in enumerate(found) if _counts(each)]
        names = [found[at].opname for at in ours]
        for other in self._numbered[shift].get((code.co_name, first), ()):
            if names == [each.opname for each in other]:
                for at, each in zip(ours, other, strict=True):
                    found[at] = found[at]._replace(place=each.place)
                break
        return found

    def _number(self, shift: int, flags: int) -> dict[tuple[str, int], list[list[Placed]]]:
        """Compile a file with a number for each node; return what counts, by name and line."""
        end = next((each for each in self._before if each > shift), sys.maxsize)
        body = [each for each in self._tree.body if shift < each.lineno <= end]
        nodes: list[_Node] = [
            node for each in body for node in ast.walk(each) if hasattr(node, "lineno")
        ]
        kept = [(node.lineno, node.end_lineno) for node in nodes]
        calls: dict[ast.expr, int] = {}
        for number, node in enumerate(nodes, 1):
            node.lineno = node.end_lineno = number
            if isinstance(node, ast.Call):
                calls[node.func] = number
        for node, number in calls.items():  # a method is called at the line where its name ends
            if isinstance(node, ast.Attribute):
                node.end_lineno = number
        try:
            module = ast.Module(body=body, type_ignores=[])
            root = compiled(module, flags=flags)
        except SyntaxError:  # it was compiled in another way
            return {}
        finally:
            for node, (line, end_line) in zip(nodes, kept, strict=True):
                node.lineno, node.end_lineno = line, end_line
        found: dict[tuple[str, int], list[list[Placed]]] = {}
        for code in _all(root):
            first = 0 if code is root else nodes[code.co_firstlineno - 1].lineno - shift
            found.setdefault((code.co_name, first), []).append(
                [
                    each._replace(place=_place(nodes, each.place, shift))
                    for each in placed(code)
                    if _counts(each)
                ]
            )
        return found


def _place(nodes: list[_Node], numbered: Position | None, shift: int) -> Position | None:
    if numbered is None or numbered.line > len(nodes):
        return None
    return position(nodes[numbered.line - 1]).below(-shift)


def position(node: _Node) -> Position:
    """Return where an expression is; a method over several lines begins at its name.

    So the compiler has it, and a traceback.
    """
    line, column = node.lineno, node.col_offset
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func
        if name.end_lineno is not None and name.end_lineno != name.lineno:
            line = name.end_lineno
            column = (name.end_col_offset or 0) - len(name.attr.encode())
    return Position(line, column, node.end_lineno, node.end_col_offset)


def _all(code: CodeType) -> Iterator[CodeType]:
    yield code
    yield from chain.from_iterable(
        _all(each) for each in code.co_consts if isinstance(each, CodeType)
    )


def _counts(instruction: Placed) -> bool:
    """Whether it is there however lines are numbered."""
    return "JUMP" not in instruction.opname and instruction.opname not in ("NOP", "EXTENDED_ARG")
