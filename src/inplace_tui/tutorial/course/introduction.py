"""The introduction: what a learner is asked to do on the screen, one thing after the other.

A task is done when what it leads to is seen, whichever key or click led there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from inplace_tui.common.run.program import Origin, Program

CRASH = Program(
    source="""\
import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y += 1
loss = y.sum()
loss.backward()
""",
    filename="welcome.py",
    origin=Origin.BUILT_IN,
)
"""What the welcome runs: nothing of it looks like an in-place operation at fault."""


@dataclass(frozen=True)
class ScreenState:
    """What can be seen of what the learner did."""

    cursor: int = -1
    """The step that is shown; -1 before the first."""

    wrote: bool = False
    """A step up to this one wrote a tensor in place."""

    panel: str | None = None
    """Name of the panel that has the keys."""

    zoomed: bool = False
    asked: bool = False
    """A question waits for an answer."""

    answered: bool = False


@dataclass(frozen=True)
class Task:
    """One thing to do."""

    name: str
    """Key of its text."""

    actions: tuple[str, ...]
    """Ids of the actions whose keys its text names, in that order."""

    done: Callable[[ScreenState, ScreenState], bool]
    """Whether what was done between two glances is it."""


ANSWER = Task("answer", ("choice.1", "choice.2", "commit"), lambda _, now: now.answered)

TASKS = (
    Task("next", ("next",), lambda _, now: now.cursor >= 0),
    Task("write", ("next",), lambda _, now: now.wrote),
    Task("back", ("back",), lambda before, now: now.cursor < before.cursor),
    Task("graph", ("panel.2",), lambda _, now: now.panel == "graph"),
    Task("zoom", ("zoom",), lambda before, now: before.zoomed and not now.zoomed),
    Task("continue", ("continue",), lambda _, now: now.asked or now.answered),
    ANSWER,
    Task("why", ("why",), lambda _, now: now.panel == "why"),
)


class Introduction:
    """Where the learner is in it."""

    total = len(TASKS)

    def __init__(self) -> None:
        self._done: set[str] = set()
        """Names of tasks, in whatever order they were done."""

        self._last = ScreenState()
        self.place = 0
        """How many tasks the counter says are done.

        One key may do several: the counter follows by one at each change, so that it never
        jumps and always comes to the end.
        """

    @property
    def task(self) -> Task | None:
        """What is to be done now; None when all is done.

        A question that waits comes first.
        """
        if self._last.asked:
            return ANSWER
        return next((task for task in TASKS if task.name not in self._done), None)

    def update(self, now: ScreenState) -> None:
        """Notice what was done. A task that comes up already done is not asked for."""
        before, self._last = self._last, now
        done = self._done | {task.name for task in TASKS if task.done(before, now)}
        # A question that opens takes the focus: its key has been counted.
        changed = replace(now, panel=None) != replace(before, panel=None)
        if changed or done != self._done:
            self.place = min(self.place + 1, len(done))
        self._done = done
