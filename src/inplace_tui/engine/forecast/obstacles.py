"""What in a graph may keep a backward from returning the right gradients.

A node without an obstacle computes its formula with the values that it saved.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.forecast.harmless import HARMLESS
from inplace_tui.model.enums import StrEnum
from inplace_tui.model.histories import latest
from inplace_tui.model.snapshot import (
    Node,
    Saved,
    SlotState,
    Snapshot,
    Tensor,
    Unreadable,
    ViewOrigin,
)
from inplace_tui.model.timeline import Timeline

WATCHED = 256
"""How many saved storages without a name are compared after every line: the latest ones."""

_GENERATED = re.compile(r"\w+Backward\d+")
"""Nodes of torch's own, which unpack all that they saved before they compute."""
_OF_VIEWS = {
    ViewOrigin.MULTI_OUTPUT: Verdict.MULTI_VIEW_MODIFIED,
    ViewOrigin.NO_GRAD: Verdict.NO_GRAD_VIEW_MODIFIED,
    ViewOrigin.INFERENCE: Verdict.INFERENCE_VIEW_MODIFIED,
    ViewOrigin.CUSTOM: Verdict.CUSTOM_VIEW_MODIFIED,
}


class UnknownReason(StrEnum):
    """Why the graph does not show the forecast: a key of `texts/forecast.py`."""

    PROGRAM = "program"
    """Hooks, modes, or a backward that runs already."""

    VIEW = "view"
    """Its `grad_fn` is outdated, and reading it would make another."""

    TENSOR = "tensor"
    """An unusual dtype, layout, device or class."""

    HIDDEN = "hidden"
    """CopySlices does not show what it saved."""

    CUSTOM = "custom"
    """A Function written in Python."""

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
class CertainError:
    """Backward raises when it comes to this node."""

    node: int
    slot: Saved
    verdict: Verdict


@dataclass(frozen=True)
class Uncertain:
    """What backward does at this node can't be known from the graph."""

    node: int
    why: UnknownReason
    slot: str | None = None


Obstacle: TypeAlias = CertainError | Uncertain


def obstacles(timeline: Timeline, index: int) -> list[Obstacle]:
    """Return all obstacles of the graph after step `index`, in the order of the engine.

    Those at the leaves come first: an AccumulateGrad runs as soon as it can.
    """
    return _Search(timeline, index).run()


class _Search:
    def __init__(self, timeline: Timeline, index: int) -> None:
        self._steps = timeline.steps
        self._index = index
        self._histories = timeline.histories
        self._snapshot: Snapshot = timeline.at(index)
        self._slots: dict[int, list[Saved]] = {}
        for slot in self._snapshot.saved.values():
            self._slots.setdefault(slot.node, []).append(slot)
        self._unwatched = self._find_unwatched()

    def run(self) -> list[Obstacle]:
        found: list[Obstacle] = []
        nodes = self._snapshot.nodes.values()
        for node in sorted(nodes, key=lambda n: n.priority):
            if node.fills_grad:
                if self._may_reject_grad(node):
                    found.append(Uncertain(node.id, UnknownReason.GRADIENT))
            else:
                found += self._of_node(node)
        return found

    def _of_node(self, node: Node) -> Iterator[Obstacle]:
        """Yield the obstacles of one node: certain errors before uncertainties."""
        if node.opaque:
            yield Uncertain(node.id, UnknownReason.HIDDEN)
        elif _GENERATED.fullmatch(node.name) or node.name in HARMLESS:
            slots = self._slots.get(node.id, ())
            for slot in sorted(slots, key=lambda s: (s.is_output, s.slot)):
                yield from self._of_slot(node, slot)
            if node.name not in HARMLESS:
                yield Uncertain(node.id, UnknownReason.RARE)
        else:
            yield Uncertain(node.id, UnknownReason.CUSTOM)
        known = self._snapshot.nodes
        lacking = self._histories.unrecorded.get(node.id, self._index + 1) <= self._index
        if lacking or any(e and e.node not in known for e in node.inputs):
            yield Uncertain(node.id, UnknownReason.UNRECORDED)

    def _of_slot(self, node: Node, slot: Saved) -> Iterator[Obstacle]:
        match slot.state:
            case SlotState.STALE if slot.origin is ViewOrigin.GRADLESS and self._got_graph(slot):
                yield Uncertain(node.id, UnknownReason.VIEW, slot.slot)
            case SlotState.STALE:
                yield CertainError(node.id, slot, _stale_verdict(slot))
            case SlotState.FREED:
                yield CertainError(node.id, slot, Verdict.GRAPH_FREED)
            case SlotState.HOOKED:
                yield Uncertain(node.id, UnknownReason.HOOKED, slot.slot)
            case SlotState.FRESH:
                why = self._doubt(node, slot)
                if why is not None:
                    yield Uncertain(node.id, why, slot.slot)

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

    def _got_graph(self, slot: Saved) -> bool:
        """Whether a tensor on its storage ever required grad, so that the base may by now."""
        return self._histories.requires_grad.get(slot.storage, self._index + 1) <= self._index

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
