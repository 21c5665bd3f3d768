"""What an edit did to a program: lines changed, statements kept, names that came in.

All of it is read from the syntax tree, so that comments, blank lines and
spelling count for nothing.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from inplace_tui.common.syntax import parse

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class SourceStatement:
    """One statement; of a compound one, its header."""

    line: int
    end_line: int
    spelled: str
    """Its tree as text: the same for the same statement, however it is laid out."""


@dataclass(frozen=True)
class Use:
    """A name that a program has somewhere: a call, an attribute, an argument."""

    name: str
    line: int
    own: bool = False
    """It stands alone, so it may be a variable of the program's own."""


@lru_cache(maxsize=8)
def tree(source: str) -> ast.Module | None:
    """Return the program's tree; None if it is not Python, or too deep to be looked through."""
    try:
        return parse(source)
    except SyntaxError:
        return None


def _nodes(source: str) -> Iterator[ast.AST]:
    """Yield every node of a program; none if it is not Python."""
    parsed = tree(source)
    return iter(()) if parsed is None else ast.walk(parsed)


def statements(source: str) -> list[SourceStatement]:
    """Return every statement, in the order of the source; none if it is not Python."""
    found = (node for node in _nodes(source) if isinstance(node, ast.stmt))
    return [*map(_statement, sorted(found, key=lambda node: (node.lineno, node.col_offset)))]


def _statement(node: ast.stmt) -> SourceStatement:
    header = copy.copy(node)
    for name in _BLOCKS:
        if hasattr(node, name):
            setattr(header, name, [])
    below = [part.lineno for part in getattr(node, "body", ()) if isinstance(part, ast.stmt)]
    end = node.end_lineno or node.lineno
    end = max(node.lineno, min(below) - 1) if below else end
    return SourceStatement(node.lineno, end, ast.dump(header))


def deletions(source: str) -> Iterator[tuple[int, str]]:
    """Yield the program without one of its statements, with the line of it, for each."""
    lines = source.split("\n")
    for parent in _nodes(source):
        for name in _BLOCKS:
            block = getattr(parent, name, ())
            for node in block if isinstance(block, list) else ():
                if not isinstance(node, ast.stmt):
                    continue
                alone = len(block) == 1 and not isinstance(parent, ast.Module)
                left = [" " * node.col_offset + "pass"] if alone else []
                rest = lines[: node.lineno - 1] + left + lines[node.end_lineno or node.lineno :]
                yield node.lineno, "\n".join(rest)


def shared_lines(source: str) -> list[int]:
    lines = [each.line for each in statements(source)]
    return sorted({line for line in lines if lines.count(line) > 1})


def located(before: str, anchors: Mapping[str, int], after: str) -> dict[str, int]:
    """Return where statements of a program are in another; those that are gone are left out.

    What stands in it unchanged is found first where it was, then anywhere. While it can't be
    parsed, lines are compared. `anchors` are first lines, by name.
    """
    if tree(after) is None:
        here, there = ([line.strip() for line in text.split("\n")] for text in (before, after))
        moved = dict(_partners(here, there))
        return {name: moved[line - 1] + 1 for name, line in anchors.items() if line - 1 in moved}
    old, new = statements(before), statements(after)
    spelled = [each.spelled for each in new]
    partner = dict(_partners([each.spelled for each in old], spelled))
    taken = set(partner.values())
    found: dict[str, int] = {}
    for name, line in anchors.items():
        index = next((place for place, each in enumerate(old) if each.line == line), None)
        if index is None:
            continue
        if index not in partner:
            free = (
                place
                for place, text in enumerate(spelled)
                if text == old[index].spelled and place not in taken
            )
            place = next(free, None)
            if place is None:
                continue
            partner[index] = place
            taken.add(place)
        found[name] = new[partner[index]].line
    return found


def _partners(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of what is in both, in the same order."""
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            yield block.a + offset, block.b + offset


def lines_changed(before: str, after: str) -> int:
    """Return the fewest lines that must be changed, added or removed.

    A statement counts as one line, however it is broken; blank lines and comments do not count.
    """
    old, new = _lines(before), _lines(after)
    row = list(range(len(new) + 1))
    for count, line in enumerate(old, 1):
        last, row[0] = row[0], count
        for place, other in enumerate(new, 1):
            replaced = last + (line != other)
            last = row[place]
            row[place] = min(replaced, row[place] + 1, row[place - 1] + 1)
    return row[-1]


def _lines(source: str) -> list[str]:
    parsed = tree(source)
    text = source if parsed is None else ast.unparse(parsed)
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def uses(source: str) -> list[Use]:
    """Return every name that a program calls, reads, imports or passes, in its order.

    A string that is such a name counts, too: `getattr(x, "clone")`.
    """
    found = (use for node in _nodes(source) for use in _uses(node))
    return sorted(found, key=lambda use: use.line)


def _uses(node: ast.AST) -> Iterator[Use]:
    match node:
        case ast.Attribute(attr=name, end_lineno=line):
            yield Use(name, line or node.lineno)
        case ast.Name(id=name):
            yield Use(name, node.lineno, own=True)
        case ast.keyword(arg=str() as name):
            yield Use(name, node.value.lineno)
        case ast.Constant(value=str() as name) if name.isidentifier():
            yield Use(name, node.lineno)
        case ast.alias(name=name):
            for part in name.split("."):
                yield Use(part, node.lineno)
        case _:
            return


def imports(source: str) -> list[Use]:
    found = []
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            found += [Use(each.name.split(".")[0], node.lineno) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append(Use((node.module or "").split(".")[0], node.lineno))
    return found


def bound(source: str) -> set[str]:
    """Return the names under which a program knows modules and what it imports from them."""
    names: set[str] = set()
    for node in _nodes(source):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(each.asname or each.name).split(".")[0] for each in node.names}
    return names


@dataclass(frozen=True)
class Store:
    """Something that is assigned to or deleted: `x.grad[0]` has the root `x`."""

    root: str
    """Empty where there is no name at the beginning."""

    attributes: frozenset[str]
    line: int


def stores(source: str) -> list[Store]:
    """Return everything that a program assigns to, deletes or defines."""
    found = []
    for node in _nodes(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(Store(node.name, frozenset(), node.lineno))
        context = getattr(node, "ctx", None)
        if isinstance(node, ast.expr) and isinstance(context, ast.Store | ast.Del):
            found.append(_store(node))
    return found


def _store(node: ast.expr) -> Store:
    line, attributes = node.lineno, set()
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        node = node.func if isinstance(node, ast.Call) else node.value
    return Store(node.id if isinstance(node, ast.Name) else "", frozenset(attributes), line)
