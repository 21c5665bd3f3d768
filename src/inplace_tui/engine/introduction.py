"""The introduction: what a learner is asked to do on the screen, one thing after the other.

A task is done when what it leads to is seen, whichever key or click led there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inplace_tui.model.program import Origin, Program

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

    def __init__(self) -> None:
        self._done: set[str] = set()
        """Names of tasks, in whatever order they were done."""

        self._last = ScreenState()
        self._asked = {TASKS[0].name}
        """Names of the tasks that the learner was asked for."""

    @property
    def place(self) -> int:
        """How many of the tasks that were asked for are done."""
        return len(self._asked & self._done)

    @property
    def total(self) -> int:
        """How many tasks it takes: one that was done before its turn is not asked for."""
        return sum(task.name in self._asked or task.name not in self._done for task in TASKS)

    @property
    def task(self) -> Task | None:
        """What is to be done now; None when all is done.

        A question that waits comes first: its numbers are the keys of the panels.
        """
        if self._last.asked:
            return ANSWER
        return next((task for task in TASKS if task.name not in self._done), None)

    def update(self, now: ScreenState) -> None:
        """Notice what was done. A task that comes up already done is not asked for."""
        before, self._last = self._last, now
        self._done |= {task.name for task in TASKS if task.done(before, now)}
        if self.task is not None:
            self._asked.add(self.task.name)
