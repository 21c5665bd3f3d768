"""The history of each tensor, storage and node: the steps at which it changed.

Kept up to date as steps arrive, like the index: what a snapshot can't answer
(since when, what was it before) is asked here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

from inplace_tui.common.run.event import Mutation
from inplace_tui.common.run.interning import extended
from inplace_tui.common.run.snapshot import Node, Tensor
from inplace_tui.common.run.step import Step

T = TypeVar("T")
Entries = list[tuple[int, T]] | tuple[tuple[int, T], ...]
"""(step, value from there on), in order."""


class Histories:
    """What changed in a run, by tensor, storage or node."""

    def __init__(self) -> None:
        self.rows: dict[int, Entries[Tensor]] = {}
        """Tensor -> its rows."""

        self.contents: dict[int, Entries[bytes | None]] = {}
        """Storage -> its bytes; None where they are not recorded."""

        self.nodes: dict[int, Node] = {}
        """Every node of the run, as it was last reported."""

        self.first_seen: dict[int, int] = {}
        """Node -> the step that first reported it; it may have been made before."""

        self.uncounted: dict[int, list[int]] = defaultdict(list)
        """Storage -> steps that wrote it without moving a version counter."""

        self.replaced: dict[int, list[int]] = defaultdict(list)
        """Storage -> steps at which a tensor on it got another storage (`x.data = t`)."""

        self.grads: dict[int, int] = {}
        """Storage -> the first step at which a `.grad` used it."""

        self.requires_grad: dict[int | None, int] = {}
        """Storage -> the first step at which a tensor on it required grad."""

        self.unrecorded: dict[int, int] = {}
        """Node -> the first step at which its result was written or reshaped without the
        graph recording it."""

        self.reshaped: dict[int, int] = {}
        """Leaf -> the first step at which its shape or dtype changed."""

        self._tensors_on: dict[int, set[int]] = defaultdict(set)
        self._grad_ids: set[int] = set()

    def add(self, step: Step) -> None:
        for node in step.nodes:
            self.first_seen.setdefault(node.id, step.index)
            self.nodes[node.id] = node
        for storage in step.storages:
            known = self.contents.get(storage.id, ())
            self.contents[storage.id] = extended(known, (step.index, storage.data))
        before = {row.id: self._row(row.id) for row in step.tensors}
        for row in step.tensors:
            self._add_row(row, before[row.id], step.index)
        for row in step.tensors:
            if row.id in self._grad_ids and row.storage is not None:
                self.grads.setdefault(row.storage, step.index)
        for event in step.events:
            if isinstance(event, Mutation) and event.storage is not None:
                self._add_write(event, before, step)
        for number in step.freed:
            self._tensors_on.pop(number, None)

    def row_at(self, tensor: int, index: int) -> Tensor | None:
        """Return the row of a tensor after step `index`; None before it was seen."""
        return latest(self.rows.get(tensor, ()), index)

    def _row(self, tensor: int) -> Tensor | None:
        known = self.rows.get(tensor)
        return known[-1][1] if known else None

    def _add_row(self, row: Tensor, old: Tensor | None, index: int) -> None:
        self.rows[row.id] = extended(self.rows.get(row.id, ()), (index, row))
        if row.requires_grad:
            self.requires_grad.setdefault(row.storage, index)
        if row.grad is not None:
            self._grad_ids.add(row.grad)
            grad = self._row(row.grad)
            if grad is not None and grad.storage is not None:
                self.grads.setdefault(grad.storage, index)
        if row.storage is not None:
            self._tensors_on[row.storage].add(row.id)
        if old is None:
            return
        if old.storage is not None and old.storage != row.storage:
            self._tensors_on[old.storage].discard(row.id)
            self.replaced[old.storage].append(index)
        if (old.shape, old.dtype, old.layout) == (row.shape, row.dtype, row.layout):
            return
        if isinstance(row.grad_fn, int) and row.grad_fn == old.grad_fn:
            self._unrecorded(row, index)
        elif row.grad_fn is None:
            self.reshaped.setdefault(row.id, index)

    def _add_write(self, event: Mutation, before: dict[int, Tensor | None], step: Step) -> None:
        storage = event.storage
        assert storage is not None
        if event.before is None or event.before == event.after:
            self.uncounted[storage].append(step.index)
            return
        op = event.op or ""
        logical = op.startswith("Tensor.logical_")
        in_function = step.depth > 0 and not step.grad_enabled
        if op.startswith("Tensor.") and not logical and not in_function:
            return  # recorded, or kept out of the graph on purpose: `no_grad`, `detach()`
        for tensor in self._tensors_on[storage]:
            row = self._row(tensor)
            if row is None or not isinstance(row.grad_fn, int):
                continue
            # A row that this step did not send still has the same node.
            old = before.get(tensor, row)
            if logical if old is None else old.grad_fn == row.grad_fn:
                self._unrecorded(row, step.index)

    def _unrecorded(self, row: Tensor, index: int) -> None:
        assert isinstance(row.grad_fn, int)
        self.unrecorded.setdefault(row.grad_fn, index)
        node = self.nodes.get(row.grad_fn)
        if row.is_view and node is not None:
            for edge in node.inputs:
                if edge is not None:
                    self.unrecorded.setdefault(edge.node, index)


def latest(history: Sequence[tuple[int, T]], index: int) -> T | None:
    """Return the value that a history has at a step; None before its first entry."""
    place = bisect_right(history, index, key=lambda entry: entry[0])
    return history[place - 1][1] if place else None
