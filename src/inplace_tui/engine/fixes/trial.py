"""A candidate that was run, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from inplace_tui.engine.blame.truth import Evidence, alike
from inplace_tui.engine.fixes.histories import Content, Histories, contents, histories
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.program import Backward
from inplace_tui.model.timeline import Timeline


@dataclass(frozen=True)
class Trial:
    """A candidate that was run."""

    bare: Evidence
    cloned: Evidence
    timeline: Timeline

    @cached_property
    def histories(self) -> Histories:
        """What each name held."""
        return histories(self.timeline)

    @cached_property
    def contents(self) -> set[Content]:
        """Everything that any tensor with a name ever held."""
        return contents(self.timeline)


@dataclass(frozen=True)
class Passed:
    """All four conditions hold."""

    keeps_loss: bool
    """What backward came from has the values that it has in the original."""

    keeps_gradient: bool
    forward_changes: LocalText | None
    delivered: frozenset[str]
    """The leaves that got a gradient."""


@dataclass(frozen=True)
class Failed:
    """One condition does not hold."""

    condition: str
    """`a`, `b`, `c` or `d`."""

    reason: str


def trusted(cloned: Evidence) -> tuple[Backward, ...]:
    """Return the backwards of a replay up to the first that raised or proves nothing."""
    found: list[Backward] = []
    for backward in cloned.backwards:
        if backward.raised is not None or backward.unsure is not None:
            break
        found.append(backward)
    return tuple(found)


def unlike(got: Backward, true: Backward) -> str | None:
    """Return the first leaf whose gradient is not the true one."""
    delivered = {each.tensor: each for each in got.gradients}
    for gradient in true.gradients:
        mine = delivered.get(gradient.tensor)
        if mine is None and true.unrolled:
            continue  # a leaf that the graph of the program hides
        if mine is None or not alike(mine, gradient):
            return gradient.tensor
    return None


def delivered_by(backwards: Sequence[Backward]) -> frozenset[str]:
    """Return the leaves that got a gradient."""
    return frozenset(
        gradient.tensor
        for backward in backwards
        for gradient in backward.gradients
        if gradient.data is not None
    )
