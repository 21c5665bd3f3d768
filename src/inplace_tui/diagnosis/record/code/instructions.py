"""Which instructions of a code object may write a tensor, what they are called, where they stand.

Python keeps lines and columns from 3.11 on; 3.10 keeps lines alone. There, the program is
compiled once more from its syntax tree, each node of which is given a line number of its own:
what has the line of a node was compiled from that node. The two differ in jumps and in what
does nothing, so the rest is compared, and where that differs, lines are all that is known.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import sys
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

import torch

from inplace_tui.common.syntax import compiled
from inplace_tui.diagnosis.record import compat
from inplace_tui.diagnosis.record.compat import KEEPS_COLUMNS, Placed, Position, placed

FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""Flags of a code object that `compile` takes."""

_Node: TypeAlias = Any
"""A node of a syntax tree that has a place."""


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


WRITES = 1
"""Flag: a version counter may have moved after it."""

HIDES = 2
"""Flag: and memory may have been written that no counter shows."""

STARTS = 4
"""Flag: another statement of the same line begins with it."""

JUMPS_BACK = 8
RERAISES = 16
ENDS = 32
"""Flag: a StopIteration is an end there, and no error."""

Expression = ast.Call | ast.AugAssign | ast.Subscript | ast.Attribute

_METHODS = frozenset(
    name for name in dir(torch.Tensor) if not name.endswith("_") or name.startswith("__")
) - {*dir(torch.nn.Module), "backward", "numpy", "register_hook", "data"}
_FUNCTIONS = frozenset(name for name in dir(torch) if not name.endswith("_")) - {"compile"}
_OF_TENSORS_ALONE = frozenset(dir(torch.Tensor)) - {
    *dir(list), *dir(dict), *dir(set), *dir(deque), *dir(OrderedDict), *dir(torch.nn.Module),
    *("apply_", "backward", "map_", "map2_", "numpy", "register_hook"),
    *("detach_", "requires_grad_", "retain_grad", "set_", "share_memory_"),
}  # fmt: skip
"""Methods that are a tensor's wherever they are written in C, and change nothing that no counter
shows; those in Python are seen to run."""

_BUILTINS = frozenset(
    name
    for name, value in vars(builtins).items()
    if callable(value) and name not in {"exec", "eval"}
) - {"next", "map", "filter", "setattr", "__import__"}


class Instruction(NamedTuple):
    """One that may write."""

    position: Position
    node: Expression | None
    """What was written there; None where the source says nothing simple."""

    statement: tuple[int, int]
    """First and last line of the statement that it belongs to."""

    stores: bool | ast.expr = True
    """Whether C code that it runs may change what a container holds; an expression: if that
    is one."""


def line_only(line: int) -> Instruction:
    """Return a place of which only the line is known."""
    return Instruction(Position(line), None, (line, line))


class StraightLineCode(NamedTuple):
    """A line of which every instruction runs once, in order."""

    writer: int
    """Offset of the only one that may write; -1 if there is none."""

    last: int


_LEAVES = frozenset({"POP_TOP", "JUMP_BACKWARD"})


class Code:
    """The instructions of one code object, by offset."""

    __slots__ = ("_offsets", "flags", "straight", "writers")

    def __init__(self, code: CodeType, source: Source, shift: int) -> None:
        flags = bytearray(len(code.co_code) // 2 + 1)
        self.writers: dict[int, Instruction] = {}
        line, before, seen = -1, "", set[tuple[int, int]]()
        instructions = source.instructions(code, shift)
        for found in instructions:
            at, name = found.offset // 2, found.opname
            enters, before = before == compat.ENTERS, name
            place = None if found.place is None else found.place.below(shift)
            if "JUMP_BACKWARD" in name and not source.is_in_comprehension(place):
                flags[at] |= JUMPS_BACK
            flags[at] |= RERAISES * (name == "RERAISE")
            flags[at] |= ENDS * (name in ("FOR_ITER", "SEND", "END_ASYNC_FOR"))
            if place is None:
                continue
            number = place.line
            start = (number, place.column or 0)
            if start in source.starts and start not in seen:
                seen.add(start)
                flags[at] |= STARTS * (line == number)
                line = number
            if name in compat.WRITERS:
                node = None if enters else source.node(name, place)
                if name == "BINARY_OP" and not isinstance(node, ast.AugAssign):
                    continue
                flags[at] |= WRITES | HIDES * _may_hide(node)
                lines = source.lines(number)
                stores = name != "FOR_ITER" or start not in source.counting
                self.writers[found.offset] = Instruction(
                    place, node, lines, stores and _stores(node)
                )
        self.flags = bytes(flags)
        """By offset // 2: `WRITES`, `HIDES`, `STARTS` and so on."""

        self._offsets = [found.offset for found in instructions]
        self.straight = self._straight(instructions)
        """By where they begin, the lines that can be looked at when they are through."""

    def at(self, offset: int) -> int:
        """Return the offset of the instruction that one in it, or in its cache, belongs to."""
        return self._offsets[bisect_right(self._offsets, offset) - 1]

    def _straight(self, instructions: list[compat.Placed]) -> dict[int, StraightLineCode]:
        """Find what has at most one writer, and after it nothing that could hide the write."""
        found: dict[int, StraightLineCode] = {}
        lines = [list(run) for _, run in groupby(instructions, _line)]
        for run, after in zip(lines, [*lines[1:], []], strict=True):
            *inner, last = run
            goes_on = bool(after) and _line(after[0]) is not None
            names = {each.opname for each in inner}
            if not goes_on or _line(last) is None or not names <= compat.STRAIGHT:
                continue
            if last.opname not in compat.STRAIGHT | {"JUMP_BACKWARD"}:
                continue
            writers = [each.offset for each in run if each.offset in self.writers]
            if len(writers) > 1 or any(self.flags[each.offset // 2] & STARTS for each in run):
                continue
            writer = writers[0] if writers else -1
            rest = [each for each in run if each.offset > writer] if writers else []
            node = self.writers[writer].node if writers else None
            is_kept = isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
            harmless = _LEAVES | (compat.NAMES if is_kept or _computes(node) else frozenset())
            if all(each.opname in harmless for each in rest):
                found[run[0].offset] = StraightLineCode(writer, last.offset)
        return found


def _line(instruction: compat.Placed) -> int | None:
    return None if instruction.place is None else instruction.place.line


_STEPS = (ast.stmt, ast.ExceptHandler, ast.match_case)


@dataclass(frozen=True, slots=True)
class Statement:
    """What runs as one step."""

    line: int
    end_line: int
    exits: bool = False
    """A `with` or `except` header: an exception may leave it without being
    raised in it."""


class Source:
    """The statements of one source text, and its expressions that may write, by where they are.

    Python reports physical lines; a reader steps over statements. Several statements on one line
    are one step, and so is one statement on several lines.
    """

    def __init__(self, tree: ast.Module, before: Iterable[int] = (0,)) -> None:
        """Take the tree of all files, and how many of its lines stand before each."""
        self._tree = tree
        self._before = sorted(before)
        self._numbered: dict[int, dict[tuple[object, ...], list[Position | None]]] = {}
        self.starts: set[tuple[int, int]] = set()
        """Line and column (in bytes) where a statement begins."""

        ranges: list[Statement] = []
        self._calls: dict[tuple[int, int], ast.Call] = {}
        self._others: dict[Position, Expression] = {}
        self._codes: dict[CodeType, Code] = {}
        self.counting: set[tuple[int, int]] = set()
        """Where loops over a `range` begin."""

        self._comprehensions: list[ast.ListComp | ast.SetComp | ast.DictComp] = []
        for node in ast.walk(tree):
            if isinstance(node, _STEPS):
                ranges.append(_range(node))
            if isinstance(node, ast.stmt):
                self.starts.add((node.lineno, node.col_offset))
            if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
                self._comprehensions.append(node)
            elif isinstance(node, ast.Call):
                # Every call ends with a parenthesis of its own; where it begins,
                # the compiler says differently for methods over several lines.
                self._calls[node.end_lineno or 0, node.end_col_offset or 0] = node
            elif isinstance(node, ast.For):
                match node.iter:
                    case ast.Call(func=ast.Name(id="range")) as counted:
                        self.counting.add((node.lineno, node.col_offset))
                        self.counting.add((counted.lineno, counted.col_offset))
                    case _:
                        pass
            elif isinstance(node, ast.AugAssign) or (
                isinstance(node, (ast.Subscript, ast.Attribute))
                and not isinstance(node.ctx, ast.Load)
            ):
                self._others[position(node)] = node
        self._statements: dict[int, Statement] = {}
        for statement in _merged(sorted(ranges, key=lambda s: (s.line, s.end_line))):
            for line in range(statement.line, statement.end_line + 1):
                self._statements[line] = statement
        self.first = self.statement(_range(tree.body[0]).line) if tree.body else None

    def statement(self, line: int) -> Statement:
        found = self._statements.get(line)
        return Statement(line, line) if found is None else found

    def instructions(self, code: CodeType, shift: int) -> list[Placed]:
        """Return those of a code object, in whose file so many lines stand before."""
        found = list(placed(code))
        if KEEPS_COLUMNS:
            return found
        if shift not in self._numbered:
            self._numbered[shift] = self._number(shift, code.co_flags & FUTURES)
        first = 0 if code.co_name == "<module>" else code.co_firstlineno
        ours = [at for at, each in enumerate(found) if _counts(each)]
        key = (code.co_name, first, *(found[at].opname for at in ours))
        for at, place in zip(ours, self._numbered[shift].get(key, ()), strict=False):
            found[at] = found[at]._replace(place=place)
        return found

    def _number(self, shift: int, flags: int) -> dict[tuple[object, ...], list[Position | None]]:
        """Compile a file with a number for each node; return places by name, line and content."""
        end = next((each for each in self._before if each > shift), sys.maxsize)
        body = [each for each in self._tree.body if shift < each.lineno <= end]
        nodes: list[_Node] = [
            node for each in body for node in ast.walk(each) if hasattr(node, "lineno")
        ]
        kept = [(node.lineno, node.end_lineno) for node in nodes]
        for number, node in enumerate(nodes, 1):
            node.lineno = node.end_lineno = number
        for node in nodes:  # a method is called at the line where its name ends
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                node.func.end_lineno = node.lineno
        try:
            module = ast.Module(body=body, type_ignores=[])
            root = compiled(module, flags=flags)
        except SyntaxError:  # it was compiled in another way
            return {}
        finally:
            for node, (line, end_line) in zip(nodes, kept, strict=True):
                node.lineno, node.end_lineno = line, end_line
        found: dict[tuple[object, ...], list[Position | None]] = {}
        places = [None, *(position(node).below(-shift) for node in nodes)]
        for code in _all(root):
            first = 0 if code is root else nodes[code.co_firstlineno - 1].lineno - shift
            ours = [each for each in placed(code) if _counts(each)]
            lines = [0 if each.place is None else each.place.line for each in ours]
            key = (code.co_name, first, *(each.opname for each in ours))
            found.setdefault(key, [places[line] if line < len(places) else None for line in lines])
        return found

    def code(self, code: CodeType, shift: int) -> Code:
        """Return the instructions of a code object, in whose file so many lines stand before."""
        found = self._codes.get(code)
        if found is None:
            found = self._codes[code] = Code(code, self, shift)
        return found

    def is_in_comprehension(self, place: Position | None) -> bool:
        """Whether an instruction of a statement's own code belongs to a comprehension."""
        if not compat.INLINES_COMPREHENSIONS or place is None:
            return False
        at = (place.line, place.column or 0)
        return any(
            (each.lineno, each.col_offset) <= at < (each.end_lineno or 0, each.end_col_offset or 0)
            for each in self._comprehensions
        )

    def node(self, name: str, place: Position) -> Expression | None:
        if name in compat.CALLS:
            return self._calls.get((place.end_line or 0, place.end_column or 0))
        return self._others.get(place)

    def lines(self, line: int) -> tuple[int, int]:
        statement = self.statement(line)
        return statement.line, statement.end_line

    def in_place(
        self, first: int, last: int, excludes: Callable[[Expression], bool] = lambda _: False
    ) -> Instruction | None:
        """Return the last expression of some lines that looks like a write."""
        found: Instruction | None = None
        for node in (*self._calls.values(), *self._others.values()):
            place = position(node)
            if not first <= place.line <= last or not _looks_in_place(node) or excludes(node):
                continue
            if found is None or place[2:] > found.position[2:]:
                found = Instruction(place, node, (first, last))
        return found


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


def _merged(ranges: list[Statement]) -> list[Statement]:
    merged: list[Statement] = []
    for found in ranges:
        if merged and found.line <= merged[-1].end_line:
            before = merged.pop()
            last = max(before.end_line, found.end_line)
            merged.append(Statement(before.line, last, exits=before.exits or found.exits))
        else:
            merged.append(found)
    return merged


def _looks_in_place(node: Expression) -> bool:
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        name = node.func.id if isinstance(node.func, ast.Name) else name
        keywords = {keyword.arg for keyword in node.keywords}
        if name is None or name[:1].isupper():
            return False  # `nn.ReLU(inplace=True)` only makes a module
        ends = name.endswith("_") and not name.startswith("__")
        return ends or not keywords.isdisjoint({"out", "inplace"})
    return not isinstance(node, ast.Attribute) or node.attr == "data"


def _computes(node: Expression | None) -> bool:
    """Whether an expression calls what writes no tensor: names need not be read before it."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return not node.func.attr.startswith("__") and not _may_hide(node)


def _stores(node: ast.expr | ast.AugAssign | None) -> bool | ast.expr:
    match node:
        case ast.AugAssign(target=target):
            return target
        case ast.Subscript(value=value):
            return value
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name)):
            return name not in _FUNCTIONS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name not in _OF_TENSORS_ALONE
        case ast.Call(func=ast.Name(id=name)):
            return name not in ("float", "int", "isinstance", "len", "print", "range", "type")
        case _:
            return True


def _may_hide(node: Expression | None) -> bool:
    """Whether an expression may write what no version counter sees."""
    if isinstance(node, ast.Attribute):
        return node.attr == "data"
    if not isinstance(node, ast.Call):
        return node is not None
    if any(keyword.arg in ("out", None) for keyword in node.keywords):
        return True
    if isinstance(node.func, ast.Name):
        return node.func.id not in _BUILTINS
    if not isinstance(node.func, ast.Attribute):
        return True
    of_torch = isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"
    return node.func.attr not in (_FUNCTIONS if of_torch else _METHODS)
