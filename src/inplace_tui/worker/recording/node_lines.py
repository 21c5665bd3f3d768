"""Which line made a node, by its sequence number."""

from __future__ import annotations

from bisect import bisect_right

import torch

from inplace_tui.worker.recording.activation import Line
from inplace_tui.worker.state.records import MadeAt


class NodeLines:
    """The number that the next node will get, recorded whenever a line begins or goes on."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._marks: list[MadeAt] = []

    def add(self, line: int, owner: Line | None) -> None:
        """Assign the nodes made from here on to a line."""
        start = torch._C._autograd._get_sequence_nr()
        mark = MadeAt(line, owner)
        if self._starts and self._starts[-1] == start:
            self._marks[-1] = mark
        else:
            self._starts.append(start)
            self._marks.append(mark)

    def made_at(self, number: int) -> MadeAt:
        index = bisect_right(self._starts, number) - 1
        return _NOBODY if index < 0 else self._marks[index]


_NOBODY = MadeAt(None, None)
