"""What `t.sum().backward()` would do from here, as far as the graph shows it.

Where the graph does not show it, the forecast is `Unknown`, never a guess. The graph is
walked once for all tensors of a step: each obstacle is a bit, and a node has the bits of
all nodes that backward would reach from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from inplace_tui.common.run import values
from inplace_tui.common.run.histories import latest
from inplace_tui.common.run.snapshot import Elements, Node, Saved, Snapshot, Tensor, Unreadable
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.forecast.obstacles import (
    CertainError,
    Obstacle,
    Uncertain,
    UnknownReason,
    obstacles,
)

DTYPES = frozenset({"float32", "float64", "bfloat16", "complex64", "complex128"})
"""Dtypes for which `sum` and every backward known here are implemented."""


MAX_NODES = 20_000
"""Nodes that are gone through for one step: a quarter of a second."""


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

    def __init__(self, timeline: Timeline, index: int, *, most: int = MAX_NODES) -> None:
        self.index = index
        self.walked = 0
        """Nodes that were gone through."""

        self.refused = False
        """Whether there were more than `most`, and a forecast was asked for."""

        self._most = most
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
            if len(self._snapshot.nodes) > self._most:
                self.refused = True
                return Unknown(UnknownReason.DEEP)
            self.walked = len(self._snapshot.nodes)
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
        proven = proven_wrong(self._timeline, self.index, root, met)
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


CARRIERS = frozenset(
    {
        "AliasBackward0",
        "CloneBackward0",
        "NegBackward0",
        "PermuteBackward0",
        "ReshapeAliasBackward0",
        "SqueezeBackward0",
        "SqueezeBackward1",
        "SumBackward0",
        "TBackward0",
        "TransposeBackward0",
        "UnsafeViewBackward0",
        "UnsqueezeBackward0",
        "ViewBackward0",
    }
)
"""They hand on every element of a gradient, at most with another sign, whatever was saved."""

DERIVATIVES: dict[tuple[str, str], Callable[[float], float]] = {
    ("CosBackward0", "self"): lambda x: -math.sin(x),
    ("ExpBackward0", "result"): lambda y: y,
    ("LogBackward0", "self"): lambda x: 1 / x,
    ("ReciprocalBackward0", "result"): lambda y: -y * y,
    ("SigmoidBackward0", "result"): lambda y: y * (1 - y),
    ("SinBackward0", "self"): math.cos,
    ("SinhBackward0", "self"): math.cosh,
    ("SqrtBackward0", "result"): lambda y: 0.5 / y,
    ("TanhBackward0", "result"): lambda y: 1 - y * y,
}
"""What a node multiplies the gradient by, of what it saved, element by element."""

FAR = 1e-3
"""Of the largest factor: what must differ by so much can't be rounding."""


def proven_wrong(
    timeline: Timeline, index: int, root: int, met: Sequence[Obstacle]
) -> Uncertain | None:
    """Return the changed slot that makes a gradient wrong for certain; None if none does.

    A saved tensor that changed unseen need not matter: `relu` only asks for signs. But
    where every element of the gradient arrives whole at a node, is multiplied by
    what changed, and goes on whole to a leaf, the leaf's gradient is wrong.
    """
    if (
        len(met) != 1
        or not isinstance(met[0], Uncertain)
        or met[0].why is not UnknownReason.CHANGED
    ):
        return None
    snapshot = timeline.at(index)
    chain = _chain(snapshot, root)
    if chain is None or chain[-1].leaf is None:
        return None
    leaf = snapshot.tensors.get(chain[-1].leaf)
    if leaf is None or leaf.grad is not None:
        return None  # what is there already could swallow the difference
    for node in chain[:-1]:
        if node.id != met[0].node and node.name not in CARRIERS:
            return None
    changed = met[0]
    slot = snapshot.saved[changed.node, changed.slot or ""]
    node = snapshot.nodes[changed.node]
    derivative = DERIVATIVES.get((node.name, slot.slot))
    if derivative is None or node.step is None:
        return None
    before = _factors(timeline, slot, node.step, derivative)
    after = _factors(timeline, slot, index, derivative)
    return changed if before and after and _far(before, after) else None


def _chain(snapshot: Snapshot, root: int) -> list[Node] | None:
    """Return the nodes from a root to its leaf; None where the way forks."""
    chain = [snapshot.nodes[root]]
    while chain[-1].leaf is None:
        ways = [edge.node for edge in chain[-1].inputs if edge is not None]
        if len(ways) != 1 or ways[0] not in snapshot.nodes:
            return None
        chain.append(snapshot.nodes[ways[0]])
    return chain


def _factors(
    timeline: Timeline, slot: Saved, index: int, derivative: Callable[[float], float]
) -> list[float]:
    """Return what the node multiplies by, in the order of memory; nothing if that is not known."""
    data = latest(
        timeline.histories.contents.get(-1 if slot.storage is None else slot.storage, ()), index
    )
    if data is None or slot.dtype not in ("float32", "float64"):
        return []
    count = math.prod(slot.shape)
    if len(data) != count * (4 if slot.dtype == "float32" else 8):
        return []  # it is a part of its storage, and which is not known
    row = Tensor(id=0, names=(), shape=(count,), dtype=slot.dtype, values=Elements(head=data))
    read = values.flat(row, Snapshot(tensors={}, storages={}, nodes={}, saved={}))
    if isinstance(read, Unreadable):
        return []
    try:
        found = [derivative(float(element.real)) for element in read[0]]
    except (ArithmeticError, ValueError):
        return []
    return found if all(map(math.isfinite, found)) else []


def _far(before: list[float], after: list[float]) -> bool:
    largest = max(map(abs, before))
    apart = max(abs(old - new) for old, new in zip(before, after, strict=True))
    return apart > FAR * largest and apart > 1e-30
