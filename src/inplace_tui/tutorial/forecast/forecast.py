"""What `t.sum().backward()` would do from here, as far as the graph shows it.

Where the graph does not show it, the forecast is `Unknown`, never a guess. The graph is
walked once for all tensors of a step: each obstacle is a bit, and a node has the bits of
all nodes that backward would reach from it.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.ops.in_code import keeps_nothing
from inplace_tui.common.ops.survey import GENERATED, installed_survey
from inplace_tui.common.run import values
from inplace_tui.common.run.histories import latest
from inplace_tui.common.run.snapshot import (
    NOT_ASKED,
    Elements,
    Node,
    Saved,
    SlotState,
    Snapshot,
    Tensor,
    Unreadable,
    ViewOrigin,
)
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict

DTYPES = frozenset({"float32", "float64", "bfloat16", "complex64", "complex128"})
"""Dtypes for which `sum` and every backward known here are implemented."""


MAX_NODES = 20_000
"""Nodes that are gone through for one step: a quarter of a second."""

WATCHED = 256
"""How many saved storages without a name are compared after every line: the latest ones."""

_OF_VIEWS = {
    ViewOrigin.MULTI_OUTPUT: Verdict.MULTI_VIEW_MODIFIED,
    ViewOrigin.NO_GRAD: Verdict.NO_GRAD_VIEW_MODIFIED,
    ViewOrigin.INFERENCE: Verdict.INFERENCE_VIEW_MODIFIED,
    ViewOrigin.CUSTOM: Verdict.CUSTOM_VIEW_MODIFIED,
}


class UnknownReason(StrEnum):
    """Why the graph does not show the forecast: a key of `common/texts/forecast.py`."""

    PROGRAM = "program"
    """Hooks, modes, or a backward that runs already."""

    VIEW = "view"
    """Its `grad_fn` is outdated, and reading it would make another."""

    NOT_ASKED = "not-asked"
    """Perhaps it is, which is not seen where the recorder reads no memory."""

    TENSOR = "tensor"
    """An unusual dtype, layout, device or class."""

    HIDDEN = "hidden"
    """CopySlices does not show what it saved."""

    CUSTOM = "custom"
    """A Function written in Python."""

    DEEP = "deep"
    """More nodes than are gone through."""

    RARE = "rare"
    """A node that may raise by itself."""

    UNRECORDED = "unrecorded"
    """A write or a reshape that the graph does not record, or a part of the graph not recorded."""

    HOOKED = "hooked"
    """Packed by a hook: unpacking runs code."""

    LARGE = "large"
    """The saved storage is too large to be recorded."""

    CHANGED = "changed"
    """The saved memory has other values now, at the same version."""

    UNSEEN = "unseen"
    """The line that saved it may have written it, before it could be read."""

    GRADIENT = "gradient"
    """A `.grad` on the way is unusual, or was saved itself: backward will write it."""

    NO_VIEW = "no-view"
    """It takes a replay, which could change the user's files here."""

    NOT_REPEATED = "not-repeated"
    """A replay ran differently."""

    NOT_COMPARED = "not-compared"
    """It runs; the replays could not determine whether the gradient is right."""

    EARLIER_WRONG = "earlier-wrong"
    """An earlier backward was wrong, so the replays have different tensors by now."""


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
Obstacle = Raises | Unknown
"""What keeps a backward that comes to a node from returning, or may."""


class StepForecasts:
    """All forecasts of one step. The graph is walked once, at the first request."""

    def __init__(
        self, timeline: Timeline, index: int, source: str = "", *, most: int = MAX_NODES
    ) -> None:
        self.index = index
        self.walked = 0
        """Nodes that were gone through."""

        self.refused = False
        """Whether there were more than `most`, and a forecast was asked for."""

        self._most = most
        self._source = source
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
            is_known = row.grad_fn != NOT_ASKED
            return UnknownReason.VIEW if is_known else UnknownReason.NOT_ASKED
        usual = (row.layout, row.device) == ("strided", "cpu") and row.dtype in DTYPES
        if not usual or row.is_subclass or row.is_inference or isinstance(row.values, Unreadable):
            return UnknownReason.TENSOR
        return None

    def _from_node(self, root: int) -> Forecast:
        """Return the forecast of a backward that starts at a node."""
        if self._obstacles is None:
            if len(self._snapshot.nodes) > self._most:
                self.refused = True
                return Unknown(UnknownReason.DEEP)
            self.walked = len(self._snapshot.nodes)
            self._obstacles = _Obstacles(self._timeline, self.index, self._source).in_order()
            self._collect()
        bits = self._below.get(root)
        if bits is None:
            return Unknown(UnknownReason.UNRECORDED)
        places = reversed(f"{bits:b}")  # the lowest bit is that of the first obstacle
        met = [each for each, bit in zip(self._obstacles, places, strict=False) if bit == "1"]
        if not met:
            return Runs()
        for place, obstacle in enumerate(met):
            if isinstance(obstacle, Raises):
                return replace(obstacle, first=not place and self._in_order)
        unknown = met[0]
        assert isinstance(unknown, Unknown)
        if len(met) == 1 and _is_proven_wrong(self._timeline, self.index, root, unknown):
            return RunsWrong(unknown.node, unknown.slot)
        return unknown

    def _collect(self) -> None:
        assert self._obstacles is not None
        own: dict[int | None, int] = {}
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


class _Obstacles:
    """What in a graph may keep a backward from returning the right gradients."""

    def __init__(self, timeline: Timeline, index: int, source: str) -> None:
        self._runs = cache(installed_survey().backward_runs)
        self._source = source
        self._steps = timeline.steps
        self._index = index
        self._histories = timeline.histories
        self._snapshot: Snapshot = timeline.at(index)
        self._slots: dict[int, list[Saved]] = {}
        for slot in self._snapshot.saved.values():
            self._slots.setdefault(slot.node, []).append(slot)
        self._unwatched = self._find_unwatched()

    def in_order(self) -> list[Obstacle]:
        """Return all of the graph after the step, in the order of the engine.

        Those at the leaves come first: an AccumulateGrad runs as soon as it can. A node without
        one computes its formula with the values that it saved.
        """
        found: list[Obstacle] = []
        nodes = self._snapshot.nodes.values()
        for node in sorted(nodes, key=lambda n: n.priority):
            if node.fills_grad:
                if self._may_reject_grad(node):
                    found.append(Unknown(UnknownReason.GRADIENT, node.id))
            else:
                found += self._of_node(node)
        return found

    def _of_node(self, node: Node) -> Iterator[Obstacle]:
        """Yield the obstacles of one node: certain errors before uncertainties."""
        runs = self._runs(node.name)
        if node.opaque:
            if not self._hides_nothing(node):
                yield Unknown(UnknownReason.HIDDEN, node.id)
        elif GENERATED.fullmatch(node.name) or runs is not None:
            slots = self._slots.get(node.id, ())
            for slot in sorted(slots, key=lambda s: (s.is_output, s.slot)):
                yield from self._of_slot(node, slot)
            if runs is False:
                yield Raises(Verdict.NO_DERIVATIVE, node.id)
            elif runs is None:
                yield Unknown(UnknownReason.RARE, node.id)
        else:
            yield Unknown(UnknownReason.CUSTOM, node.id)
        known = self._snapshot.nodes
        lacking = self._histories.unrecorded.get(node.id, self._index + 1) <= self._index
        if lacking or any(e and e.node not in known for e in node.inputs):
            yield Unknown(UnknownReason.UNRECORDED, node.id)

    def _hides_nothing(self, node: Node) -> bool:
        """Whether what a CopySlices stands for kept nothing, and no backward has freed it since."""
        backwards = self._histories.backwards
        if node.step is None or (
            bisect_left(backwards, node.step) < bisect_right(backwards, self._index)
        ):
            return False
        step = self._steps[node.step]
        bases = {row.storage for row in step.tensors if self._is_made_by(row, node)}
        writes = [each for each in step.mutations if each.storage in bases]
        return bool(writes) and all(
            each.before is not None
            and each.after == each.before + 1
            and keeps_nothing(self._source, each.op or "", each.place)
            for each in writes
        )

    def _is_made_by(self, row: Tensor, node: Node) -> bool:
        """Whether a tensor has a CopySlices as its `grad_fn`, but for later ones of the line."""
        at = self._snapshot.nodes.get(row.grad_fn) if isinstance(row.grad_fn, int) else None
        while at is not None and at.id != node.id and at.opaque and at.step == node.step:
            base = at.inputs[0]
            at = None if base is None else self._snapshot.nodes.get(base.node)
        return at is not None and at.id == node.id

    def _of_slot(self, node: Node, slot: Saved) -> Iterator[Obstacle]:
        match slot.state:
            # A tensor on its storage once required grad, so that the base may by now.
            case SlotState.STALE if slot.origin is ViewOrigin.GRADLESS and (
                self._histories.requires_grad.get(slot.storage, self._index + 1) <= self._index
            ):
                yield Unknown(UnknownReason.VIEW, node.id, slot.slot)
            case SlotState.STALE:
                yield Raises(_stale_verdict(slot), node.id, slot.slot, slot.version, slot.now)
            case SlotState.FREED:
                yield Raises(Verdict.GRAPH_FREED, node.id, slot.slot, slot.version, slot.now)
            case SlotState.HOOKED:
                yield Unknown(UnknownReason.HOOKED, node.id, slot.slot)
            case SlotState.FRESH:
                why = self._doubt(node, slot)
                if why is not None:
                    yield Unknown(why, node.id, slot.slot)

    def _doubt(self, node: Node, slot: Saved) -> UnknownReason | None:
        """Return why a fresh slot may have other values than it saved; None if it has the same."""
        storage, index, histories = slot.storage, self._index, self._histories
        contents = histories.contents.get(-1 if storage is None else storage, ())
        now = latest(contents, index)
        if storage is None or slot.version is None or now is None:
            return UnknownReason.LARGE
        if histories.grads.get(storage, index + 1) <= index:
            return UnknownReason.GRADIENT
        if any(step <= index for step in histories.replaced.get(storage, [])[:1]):
            return UnknownReason.CHANGED
        saved = None if node.step is None else latest(contents, node.step)
        if node.step is None or saved is None or storage in self._unwatched:
            return UnknownReason.UNSEEN
        if saved != now:
            return UnknownReason.CHANGED
        return None if self._was_watched(storage, node.step) else UnknownReason.UNSEEN

    def _was_watched(self, storage: int, step: int) -> bool:
        """Whether the bytes of a storage after a line are those that its nodes saved."""
        began = self._steps[step].began
        uncounted = self._histories.uncounted.get(storage, [])
        if bisect_left(uncounted, began) < bisect_right(uncounted, step):
            return False
        if not any(each.hides for each in self._steps[began : step + 1]):
            return True
        contents = self._histories.contents[storage]
        return latest(contents, began - 1) == latest(contents, step)

    def _find_unwatched(self) -> frozenset[int]:
        """Return the saved storages that may have been written unobserved."""
        named = {tensor.storage for tensor in self._snapshot.tensors.values()}
        held = {
            slot.storage
            for slot in self._snapshot.saved.values()
            if slot.storage is not None and slot.state is not SlotState.FREED
        }
        unnamed = held - named
        return frozenset(unnamed) if len(unnamed) > WATCHED else frozenset()

    def _may_reject_grad(self, node: Node) -> bool:
        """Whether accumulating into the `.grad` of a leaf may fail, or go wrong."""
        if node.leaf is None:
            return True
        if self._histories.reshaped.get(node.leaf, self._index + 1) <= self._index:
            return True
        leaf = self._snapshot.tensors.get(node.leaf)
        if leaf is None:
            return False
        if leaf.grad_fn is not None or leaf.is_subclass or leaf.layout != "strided":
            return True
        if leaf.grad is None:
            return False
        grad = self._snapshot.tensors.get(leaf.grad)
        return grad is None or not _takes_gradients(grad, leaf)


def _stale_verdict(slot: Saved) -> Verdict:
    """Return the verdict of the error that torch raises: that of a view comes first."""
    if slot.origin in _OF_VIEWS:
        return _OF_VIEWS[slot.origin]
    moved = slot.now != slot.version and not slot.detached
    return Verdict.SAVED_TENSOR_MODIFIED if moved else Verdict.SAVED_TENSOR_DETACHED


def _takes_gradients(grad: Tensor, leaf: Tensor) -> bool:
    """Whether a gradient for `leaf` can be added to `grad` in place."""
    alike = (grad.shape, grad.dtype, grad.layout, grad.device) == (
        (leaf.shape, leaf.dtype, leaf.layout, leaf.device)
    )
    if not alike or grad.is_inference or grad.is_subclass or isinstance(grad.values, Unreadable):
        return False
    reach = 1
    for size, step in sorted(zip(grad.shape, grad.stride, strict=True), key=lambda axis: axis[1]):
        if size > 1:
            if step < reach:
                return False  # several elements share one place
            reach = step * (size - 1) + 1
    return True


CARRIERS = frozenset(
    f"{each}Backward0"
    for each in (
        "Alias", "Clone", "Neg", "Permute", "ReshapeAlias", "Squeeze", "Sum", "T", "Transpose",
        "UnsafeView", "Unsqueeze", "View",
    )
) | {"SqueezeBackward1"}  # fmt: skip
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


def _is_proven_wrong(timeline: Timeline, index: int, root: int, changed: Unknown) -> bool:
    """Whether a changed slot, with no other obstacle, makes a gradient wrong for certain.

    A saved tensor that changed unseen need not matter: `relu` only asks for signs. But
    where every element of the gradient arrives whole at a node, is multiplied by
    what changed, and goes on whole to a leaf, the leaf's gradient is wrong.
    """
    if changed.why is not UnknownReason.CHANGED or changed.node is None:
        return False
    snapshot = timeline.at(index)
    chain = _chain(snapshot, root)
    if chain is None or chain[-1].leaf is None:
        return False
    leaf = snapshot.tensors.get(chain[-1].leaf)
    if leaf is None or leaf.grad is not None:
        return False  # what is there already could swallow the difference
    if any(node.id != changed.node and node.name not in CARRIERS for node in chain[:-1]):
        return False
    slot = snapshot.saved[changed.node, changed.slot or ""]
    node = snapshot.nodes[changed.node]
    derivative = DERIVATIVES.get((node.name, slot.slot))
    if derivative is None or node.step is None:
        return False
    before = _factors(timeline, slot, node.step, derivative)
    after = _factors(timeline, slot, index, derivative)
    return bool(before and after) and _far(before, after)


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
    storage = -1 if slot.storage is None else slot.storage
    data = latest(timeline.histories.contents.get(storage, ()), index)
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
