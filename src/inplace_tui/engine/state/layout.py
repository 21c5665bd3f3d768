"""Where the nodes of a graph stand: every node once, its edges drawn beside it.

The form is that of `git log --graph`. A chain goes straight down, so a graph of
5,000 nodes is no wider than one of five; a node with several inputs opens a
rail for each, and rails join where inputs meet.
"""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.model.snapshot import Node

MOST_RAILS = 12
"""Edges beyond this many side by side are counted instead of drawn."""

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
_STROKES = {
    0: " ",
    UP: "│",
    DOWN: "│",
    UP | DOWN: "│",
    LEFT: "─",
    RIGHT: "─",
    LEFT | RIGHT: "─",
    UP | LEFT: "╯",
    UP | RIGHT: "╰",
    DOWN | LEFT: "╮",
    DOWN | RIGHT: "╭",
    UP | DOWN | LEFT: "┤",
    UP | DOWN | RIGHT: "├",
    UP | LEFT | RIGHT: "┴",
    DOWN | LEFT | RIGHT: "┬",
    UP | DOWN | LEFT | RIGHT: "┼",
}


@dataclass(frozen=True)
class Placed:
    """One node, with the rails that pass it."""

    node: int
    rail: int
    """The rail it stands on; rails are two cells apart."""

    beside: tuple[bool, ...]
    """Which rails run through its row; its own is among them."""

    below: tuple[bool, ...]
    """Which rails run through the rows under it, where it shows what it saved."""

    links: str
    """The row that leads to its inputs; empty where its one input is next on its rail."""

    root: bool = False
    """Whether no edge leads to it; what stands above it is then apart from it."""

    undrawn: int = 0
    """How many of its edges there was no room to draw."""


def strokes(rails: tuple[bool, ...]) -> str:
    """Return the cells of a row on which rails pass."""
    return "".join("│ " if rail else "  " for rail in rails).rstrip()


def order(nodes: dict[int, Node]) -> list[int]:
    """Return the nodes so that each comes before its inputs, newest roots first.

    A branch is followed to its end before the next one begins, which keeps the
    number of rails small.
    """
    users = dict.fromkeys(nodes, 0)
    for node in nodes.values():
        for target in _targets(node, nodes):
            users[target] += 1
    waiting = sorted(number for number, count in users.items() if not count)
    found = []
    while waiting:
        number = waiting.pop()
        found.append(number)
        for target in reversed(_targets(nodes[number], nodes)):
            users[target] -= 1
            if not users[target]:
                waiting.append(target)
    return found


def lay_out(nodes: dict[int, Node]) -> list[Placed]:
    """Return every node with its place, in the order in which to draw them."""
    rails: list[int | None] = []
    return [_place(nodes[number], nodes, rails) for number in order(nodes)]


def _targets(node: Node, nodes: dict[int, Node]) -> list[int]:
    """Return the nodes that it sends gradients to, each once."""
    return list(dict.fromkeys(edge.node for edge in node.inputs if edge and edge.node in nodes))


def _place(node: Node, nodes: dict[int, Node], rails: list[int | None]) -> Placed:
    """Take the node's rail, give it to an input, and open rails for the others.

    `rails` holds the node that each rail leads to; it is brought up to date.
    """
    root = node.id not in rails
    if root:
        _open(rails, node.id)
    here = rails.index(node.id)
    beside = tuple(rail is not None for rail in rails)
    rails[here] = None
    ends: list[int] = []
    opened: set[int] = set()
    undrawn = 0
    for target in _targets(node, nodes):
        if target in rails:
            ends.append(rails.index(target))
        elif here not in opened and rails[here] is None:
            rails[here] = target
            opened.add(here)
            ends.append(here)
        elif None in rails or len(rails) < MOST_RAILS:
            ends.append(_open(rails, target))
            opened.add(ends[-1])
        else:
            undrawn += 1
    below = tuple(
        (rail is not None and place not in opened) or (place == here and bool(ends))
        for place, rail in enumerate(rails)
    )
    links = "" if ends in ([], [here]) else _links(here, ends, opened, rails)
    while rails and rails[-1] is None:
        rails.pop()
    return Placed(node.id, here, beside, below, links, root, undrawn)


def _open(rails: list[int | None], target: int) -> int:
    """Put `target` on the first free rail."""
    if None in rails:
        place = rails.index(None)
        rails[place] = target
        return place
    rails.append(target)
    return len(rails) - 1


def _links(here: int, ends: list[int], opened: set[int], rails: list[int | None]) -> str:
    """Draw the row between a node's rail and those of its inputs."""
    cells = [0] * (2 * len(rails))
    for place, rail in enumerate(rails):
        if rail is not None:
            cells[2 * place] |= DOWN if place in opened else UP | DOWN
    cells[2 * here] |= UP
    for end in ends:
        low, high = sorted((2 * here, 2 * end))
        if low == high:
            continue
        cells[low] |= RIGHT
        cells[high] |= LEFT
        for cell in range(low + 1, high):
            cells[cell] |= LEFT | RIGHT
    return "".join(_STROKES[cell] for cell in cells).rstrip()
