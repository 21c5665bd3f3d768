"""What `t.sum().backward()` would do from here, as far as the graph shows it.

Where the graph does not show it, the forecast is `Unknown`, never a guess. The graph is
walked once for all tensors of a step: each obstacle is a bit, and a node has the bits of
all nodes that backward would reach from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.forecast import wrong_gradients
from inplace_tui.engine.forecast.obstacles import (
    CertainError,
    Obstacle,
    Uncertain,
    UnknownReason,
    obstacles,
)
from inplace_tui.model.snapshot import Node, Snapshot, Tensor, Unreadable
from inplace_tui.model.timeline import Timeline

DTYPES = frozenset({"float32", "float64", "bfloat16", "complex64", "complex128"})
"""Dtypes for which `sum` and every backward known here are implemented."""


@dataclass(frozen=True)
class NotNeeded:
    """There is no graph to run backward through."""

    leaf: bool
    """It is a leaf that requires grad: backward would only fill its own `.grad`."""


@dataclass(frozen=True)
class Runs:
    """Backward returns, and every gradient is what the graph says."""


@dataclass(frozen=True)
class Raises:
    """Backward raises."""

    verdict: Verdict | None
    node: int | None = None
    slot: str | None = None
    saved: int | None = None
    """The version that the slot was saved with."""

    now: int | None = None
    first: bool = True
    """False where a node that can't be inspected comes before: that one may raise first."""


@dataclass(frozen=True)
class RunsWrong:
    """Backward returns, and a gradient is not what the graph says."""

    node: int | None = None
    slot: str | None = None


@dataclass(frozen=True)
class Unknown:
    """The graph does not show it."""

    why: UnknownReason
    node: int | None = None
    slot: str | None = None


Forecast = NotNeeded | Runs | Raises | RunsWrong | Unknown


class StepForecasts:
    """All forecasts of one step. The graph is walked once, at the first request."""

    def __init__(self, timeline: Timeline, index: int) -> None:
        self.index = index
        self._timeline = timeline
        self._snapshot: Snapshot = timeline.at(index)
        self._obstacles: list[Obstacle] | None = None
        self._below: dict[int, int] = {}
        self._in_order = True

    def of(self, tensor: int) -> Forecast:
        row = self._snapshot.tensors.get(tensor)
        if row is None or row.grad_fn is None:
            return NotNeeded(leaf=row is not None and row.requires_grad)
        why = self._unknown_reason(row)
        if why is not None:
            return Unknown(why)
        if row.dtype.startswith("complex"):
            return Raises(Verdict.NOT_A_SCALAR)
        assert isinstance(row.grad_fn, int)
        return self._from_node(row.grad_fn)

    def _unknown_reason(self, row: Tensor) -> UnknownReason | None:
        """Return why this tensor has no forecast, whatever its graph; None if it may have one."""
        if self.index < 0 or self._timeline.steps[self.index].unpredictable:
            return UnknownReason.PROGRAM
        if isinstance(row.grad_fn, Unreadable):
            return UnknownReason.VIEW
        return UnknownReason.TENSOR if _is_unusual(row) else None

    def _from_node(self, root: int) -> Forecast:
        """Return the forecast of a backward that starts at a node."""
        if self._obstacles is None:
            self._obstacles = obstacles(self._timeline, self.index)
            self._collect()
        bits = self._below.get(root)
        if bits is None:
            return Unknown(UnknownReason.UNRECORDED)
        met = [self._obstacles[bit] for bit in _bits(bits)]
        if not met:
            return Runs()
        unsure: Uncertain | None = None
        for obstacle in met:
            match obstacle:
                case CertainError(verdict=verdict, node=node, slot=slot):
                    return Raises(
                        verdict,
                        node,
                        slot.slot,
                        slot.version,
                        slot.now,
                        first=unsure is None and self._in_order,
                    )
                case Uncertain():
                    unsure = unsure or obstacle
        assert unsure is not None
        proven = wrong_gradients.proven_wrong(self._timeline, self.index, root, met)
        if proven is not None:
            return RunsWrong(proven.node, proven.slot)
        return Unknown(unsure.why, unsure.node, unsure.slot)

    def _collect(self) -> None:
        assert self._obstacles is not None
        own: dict[int, int] = {}
        for bit, obstacle in enumerate(self._obstacles):
            own[obstacle.node] = own.get(obstacle.node, 0) | 1 << bit
        nodes = self._snapshot.nodes
        for start in nodes:
            waiting = [start]
            while waiting:
                node = nodes[waiting[-1]]
                inputs = [edge.node for edge in node.inputs if edge is not None]
                missing = [i for i in inputs if i not in self._below and i in nodes]
                if node.id in self._below:
                    waiting.pop()
                elif missing:
                    waiting += missing
                else:
                    waiting.pop()
                    self._below[node.id] = self._bits_of(node, inputs, own.get(node.id, 0))

    def _bits_of(self, node: Node, inputs: list[int], bits: int) -> int:
        nodes = self._snapshot.nodes
        for below in inputs:
            bits |= self._below.get(below, 0)
            # Where each node is newer than its inputs, the engine runs them by age alone.
            if below not in nodes or nodes[below].order >= max(node.order, 1):
                self._in_order = False
        return bits


def _bits(mask: int) -> Iterable[int]:
    """Yield the positions of the bits that are set, the lowest first.

    >>> list(_bits(0b1010))
    [1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _is_unusual(row: Tensor) -> bool:
    return (
        row.layout != "strided"
        or row.device != "cpu"
        or row.is_subclass
        or row.is_inference
        or row.dtype not in DTYPES
        or isinstance(row.values, Unreadable)
    )
