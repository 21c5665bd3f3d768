"""Which line made a node, by its sequence number."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import torch

from inplace_tui.worker.activation import Line
from inplace_tui.worker.graph import Maker


class Mark(NamedTuple):
    """Nodes from some number on belong to this line."""

    line: int
    owner: Line | None


class Marks:
    """The number that the next node will get, taken down whenever a line goes on."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._marks: list[Mark] = []

    def add(self, line: int, owner: Line | None) -> None:
        """Say that nodes made from here on belong to a line.

        Args:
            line: a physical one, so that a statement over several lines is told apart.
            owner: the statement.
        """
        start = torch._C._autograd._get_sequence_nr()
        mark = Mark(line, owner)
        if self._starts and self._starts[-1] == start:
            self._marks[-1] = mark
        else:
            self._starts.append(start)
            self._marks.append(mark)

    def maker(self, number: int) -> Maker:
        """Return the line that made the node of that sequence number."""
        index = bisect_right(self._starts, number) - 1
        if index < 0:
            return Maker(None, None)
        mark = self._marks[index]
        return Maker(mark.line, None if mark.owner is None else mark.owner.index)
