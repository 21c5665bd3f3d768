"""Where the nodes of a graph stand: one row a node, its edges drawn beside it.

A chain goes straight down, so a graph of 5,000 nodes is no wider than one of
five. A node with several inputs opens a rail for each; the one that is drawn
last goes straight on, so that short edges are beside it. Rows are laid out when they
are read, from the top, and again only where something moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MAX_RAILS = 12
"""Edges beyond this many side by side are counted instead of drawn."""

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
STROKES = " │││─╯╮┤─╰╭├─┴┬┼"
"""The glyph of a cell from which strokes go to the sides whose sum is its place."""

Rails = tuple[int | None, ...]
"""The node that each rail leads to; None for a free rail."""


@dataclass(frozen=True)
class NodePosition:
    """One row of a drawing that a node stands in."""

    rail: int
    """The rail it stands on; rails are two cells apart."""

    above: Rails
    """What the rails lead to when they come from above; its own is there unless it is a root."""

    below: Rails
    """The same when they leave the row."""

    ends: tuple[int, ...] = ()
    """The rails that lead to its inputs, in the order of these."""

    undrawn: tuple[int, ...] = ()
    """Inputs to which there was no room to draw an edge."""

    @property
    def strokes(self) -> tuple[str, str]:
        cells = [0] * (2 * max(len(self.above), len(self.below), self.rail + 1))
        for place, rail in enumerate(self.above):
            if rail is not None and place != self.rail:
                cells[2 * place] = UP | DOWN
        here, aside = 2 * self.rail, [2 * end for end in self.ends if end != self.rail]
        for side, back, on in ((1, LEFT, RIGHT), (-1, RIGHT, LEFT)):
            there = [cell for cell in aside if (cell - here) * side > 0]
            far = max(there, key=lambda cell: cell * side, default=here)
            for cell in range(here + side, far + side if there else here + side, side):
                if cell in there:
                    cells[cell] |= DOWN | back | (on if cell != far else 0)
                elif not cells[cell]:  # a rail that is crossed is not joined
                    cells[cell] = LEFT | RIGHT
        drawn = "".join(STROKES[cell] for cell in cells)
        return drawn[:here], drawn[here + 1 :]


def passing(rails: Rails) -> str:
    """Return the cells of a row that no node stands in.

    >>> passing((7, None, 3))
    '│   │'
    """
    return "".join("  " if rail is None else "│ " for rail in rails).rstrip()


class RailLayout:
    """The rails of a sequence of nodes.

    Args:
        keys: what is drawn, from above; a negative number is a row without a node.
        targets: what a key sends gradients to, by keys that come later.
        most: rails side by side at most.
        before: a drawing that may have had the same end, which is then not laid out again.
    """

    def __init__(
        self,
        keys: Sequence[int],
        targets: Callable[[int], Sequence[int]],
        *,
        most: int = MAX_RAILS,
        before: RailLayout | None = None,
    ) -> None:
        self.keys = keys
        self._targets = targets
        self._most = most
        self._states: list[Rails] = [()]
        self._rails: list[int] = [-1]
        """The rail of the row before, by row: no root may stand right below another's end."""

        self._known: RailLayout | None = None
        self._moved = 0
        if before is not None and before._most == most:
            self._moved = len(keys) - len(before.keys)
            if self._moved >= 0 and keys[self._moved :] == before.keys:
                self._known, before._known = before, None
        self.layouts = 0
        """How many rows were laid out, not reused."""

    def place(self, index: int) -> NodePosition:
        above, below = self.rails(index), self.rails(index + 1)
        key = self.keys[index]
        rail = self._rails[index + 1]
        targets = self._targets(key) if key >= 0 else ()
        ends = [below.index(target) if target in below else -1 for target in targets]
        return NodePosition(
            rail=rail,
            above=above,
            below=below,
            ends=tuple(end for end in ends if end >= 0),
            undrawn=tuple(t for t, end in zip(targets, ends, strict=True) if end < 0),
        )

    def rails(self, index: int) -> Rails:
        while len(self._states) <= index:
            if not self._reuse():
                self._lay_out_row()
        return self._states[index]

    def _reuse(self) -> bool:
        """Take the remaining rows from the drawing before, once the rails are the same."""
        known, place = self._known, len(self._states) - 1 - self._moved
        if known is None or not 0 <= place < len(known._states) - 1:
            return False
        same = known._states[place] == self._states[-1] and known._rails[place] == self._rails[-1]
        if same:
            self._states += known._states[place + 1 :]
            self._rails += known._rails[place + 1 :]
        return same

    def _lay_out_row(self) -> None:
        self.layouts += 1
        above, key = self._states[-1], self.keys[len(self._states) - 1]
        if key < 0:
            self._states.append(above)
            self._rails.append(-1)
            return
        targets = self._targets(key)
        if len(targets) == 1 and key in above and targets[0] not in above:
            here = above.index(key)
            self._states.append((*above[:here], targets[0], *above[here + 1 :]))
        else:
            rails = list(above)
            here = rails.index(key) if key in rails else _free(rails, but=self._blocked_rail())
            rails[here] = None
            self._open_rails(rails, here, targets)
            while rails and rails[-1] is None:
                rails.pop()
            self._states.append(tuple(rails))
        self._rails.append(here)

    def _blocked_rail(self) -> int:
        """Return the rail on which a root would seem to go on from the node above.

        Below a leaf a row is left free, and every rail will do.
        """
        row = len(self._states) - 2
        above = self.keys[row] if row >= 0 else -1
        return self._rails[-1] if above >= 0 and self._targets(above) else -1

    def _open_rails(self, rails: list[int | None], here: int, targets: Sequence[int]) -> None:
        new = [target for target in targets if target not in rails]
        if not new:
            return
        inner = [target for target in new if self._targets(target)]
        straight = min(inner) if inner else new[-1]
        rails[here] = straight
        for target in new:
            if target == straight:
                continue
            if None in rails or len(rails) < self._most:
                rails[_free(rails)] = target


def _free(rails: list[int | None], *, but: int = -1) -> int:
    for place, rail in enumerate(rails):
        if rail is None and place != but:
            return place
    rails.append(None)
    if len(rails) - 1 == but:
        rails.append(None)
    return len(rails) - 1
