"""Where in a run the questions of a lesson are asked.

A question is asked before its line runs. The gate of a question is the number
of steps that had finished when its line began: the cursor waits at gate - 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from inplace_tui.model.step import Step
from inplace_tui.model.timeline import Timeline


def place(anchor: str, anchors: dict[str, int]) -> tuple[int, int]:
    """Return the line and the visit that an anchor means.

    Raises:
        KeyError: there is no such anchor.
    """
    name, _, visit = anchor.partition("#")
    return anchors[name], int(visit or 1)


class Gates:
    """Finds the gates of one run while its steps arrive.

    A gate is known as soon as its line begins, which may be long before it
    finishes, if it ever does.
    """

    def __init__(self, places: Iterable[tuple[str, tuple[int, int]]]) -> None:
        self.before: dict[str, int] = {}
        """Id of a question -> its gate."""

        self.asked: dict[str, int] = {}
        """Id of a question -> index of the step of its line, once that finished."""

        self._waiting: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for question, (line, visit) in places:
            self._waiting[line].append((question, visit))
        self._visits: dict[int, int] = defaultdict(int)

    def begin(self, line: int | None) -> None:
        self._expect(line, gate=0)

    def add(self, step: Step) -> None:
        self._visits[step.line] = max(self._visits[step.line], step.visit)
        for question, visit in self._waiting.get(step.line, ()):
            if visit == step.visit:
                self.before[question] = step.began
                self.asked[question] = step.index
        self._expect(step.then, gate=step.index + 1)

    def _expect(self, line: int | None, *, gate: int) -> None:
        """Ask already where a line begins: it may run long, or never finish."""
        if line is None:
            return
        for question, visit in self._waiting.get(line, ()):
            if question not in self.before and visit == self._visits[line] + 1:
                self.before[question] = gate

    def end(self, timeline: Timeline) -> None:
        """Forget gates of lines that were never begun after all."""
        dying = len(timeline)
        for question in list(self.before):
            if question not in self.asked and self.before[question] != dying:
                del self.before[question]
