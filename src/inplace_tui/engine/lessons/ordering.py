"""Programs with some of their statements in another order."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inplace_tui.engine.lessons.anchors import Marked, mark, with_anchors

Order = tuple[str, ...]
"""Anchors, first line first."""


@dataclass(frozen=True)
class CodeLine:
    """A line of the program that a question speaks of."""

    name: str
    """Its anchor, or the answer that it is."""

    number: int
    text: str


def orders(lines: Sequence[str], marked: Marked) -> list[Order]:
    """Return every order of these lines, the program's own first, then what differs least."""
    own = sorted(lines, key=lambda name: marked.spans[name].first)
    return [tuple(own[place] for place in places) for places in _permutations(len(own))]


def _permutations(count: int) -> list[tuple[int, ...]]:
    """Return the permutations of `range(count)`, by how many pairs have changed places.

    >>> _permutations(3)[:3]
    [(0, 1, 2), (0, 2, 1), (1, 0, 2)]
    """

    def inversions(places: tuple[int, ...]) -> int:
        return sum(first > second for first, second in itertools.combinations(places, 2))

    return sorted(itertools.permutations(range(count)), key=inversions)


def reordered(marked: Marked, order: Sequence[str]) -> Marked:
    """Return the program with these statements in this order, in the places that they have.

    Args:
        marked: the lesson's program.
        order: names of statements of one block.
    """
    lines = with_anchors(marked)
    places = sorted((marked.spans[name] for name in order), key=lambda span: span.first)
    moved = [lines[span.first - 1 : span.last] for span in map(marked.spans.__getitem__, order)]
    # From the last, so that the places before stay where they are.
    for span, statement in reversed(list(zip(places, moved, strict=True))):
        lines[span.first - 1 : span.last] = statement
    return mark("\n".join(lines))[0]


def in_one_block(marked: Marked, names: Sequence[str]) -> bool:
    """Whether the statements stand beside each other in one block, not one inside another."""
    wanted = {marked.spans[name].first for name in names}
    return any(wanted <= block for block in _blocks(ast.parse(marked.code)))


def _blocks(tree: ast.Module) -> Iterator[set[int]]:
    """Yield the first lines of the statements of every block."""
    for parent in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(parent, name, None)
            if isinstance(statements, list):  # not of a lambda or a conditional expression
                yield {statement.lineno for statement in statements}


def code_line(marked: Marked, name: str) -> CodeLine:
    """Return the first line of the statement of that name."""
    first = marked.spans[name].first
    return CodeLine(name, first, marked.code.split("\n")[first - 1].strip())


def spelled(order: Sequence[str]) -> str:
    """Return an order as an answer: anchors have no spaces."""
    return " ".join(order)
