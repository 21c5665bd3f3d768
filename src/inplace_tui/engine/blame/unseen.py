"""Wrong gradients of which no saved tensor that can be read tells.

A node may keep a tensor where no version check looks: behind hooks, on `ctx`,
in what a checkpoint closes over. Its storage is found by what led to the node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from inplace_tui.engine.blame.evidence import (
    delivering_to,
    in_order_of_engine,
    names_in,
    tensor_named,
)
from inplace_tui.model.event import Mutation
from inplace_tui.model.outcome import Wrong
from inplace_tui.model.snapshot import Node, SlotState, Snapshot, Tensor
from inplace_tui.model.step import Step
from inplace_tui.model.timeline import Timeline

ON_CTX = "ctx"
INSIDE = "inside"
"""Slots that are none: an attribute of a custom Function's, and what a node wraps."""


class Way(StrEnum):
    """How a gradient came to be wrong without an error."""

    UNSEEN = "unseen"
    """A saved tensor was written, and no version number moved."""

    UNCHECKED = "unchecked"
    """It was kept where torch checks no version."""

    UNRECORDED = "unrecorded"
    """The write is not in the graph, or not as it was executed."""

    GRADIENT = "gradient"
    """A hook or a backward of the program's own wrote a gradient that others needed too."""


@dataclass(frozen=True)
class Keeper:
    """A node that keeps a tensor out of sight."""

    node: Node
    slot: str
    is_output: bool = False
    leaves: frozenset[int] = frozenset()
    """Those that were its very inputs."""


def keepers(snapshot: Snapshot, *, leaf: Tensor | None = None) -> list[Keeper]:
    """Return the nodes that hide what they keep, the one backward meets first, first.

    Args:
        snapshot: as it was before backward.
        leaf: only those that deliver to it, if there are such.
    """
    found = [
        _keeper(snapshot, snapshot.nodes[slot.node], slot.slot, is_output=slot.is_output)
        for slot in snapshot.saved.values()
        if slot.state is SlotState.HOOKED
    ]
    for node in snapshot.nodes.values():
        if _is_custom(node):
            found.append(_keeper(snapshot, node, ON_CTX))
        elif node.opaque:
            found.append(_keeper(snapshot, node, INSIDE))
    if leaf is not None:
        through = delivering_to(snapshot, leaf)
        found = [keeper for keeper in found if keeper.node.id in through] or found
    nodes = in_order_of_engine(snapshot, [keeper.node.id for keeper in found])
    order = {node: place for place, node in enumerate(nodes)}
    return sorted(found, key=lambda keeper: order[keeper.node.id])


def _keeper(snapshot: Snapshot, node: Node, slot: str, *, is_output: bool = False) -> Keeper:
    ends = [snapshot.nodes.get(edge.node) for edge in node.inputs if edge is not None]
    leaves = frozenset(end.leaf for end in ends if end is not None and end.leaf is not None)
    return Keeper(node, slot, is_output, leaves)


def _is_custom(node: Node) -> bool:
    """Whether a class of the program's made it: torch numbers the names of its own."""
    return node.name.endswith("Backward")


def near(timeline: Timeline, source: str, keeper: Keeper) -> Iterator[frozenset[int]]:
    """Yield the storages that a node may keep, the likeliest first.

    Those of its inputs or its result, then those that its line names.
    """
    step = keeper.node.step
    if step is None:
        return
    snapshots = [timeline.at(timeline.steps[step].began - 1), timeline.at(step)]
    yield frozenset().union(*(_led_to(snapshot, keeper) for snapshot in snapshots))
    names = names_in(source, keeper.node.line)
    named = [tensor_named(snapshot, name) for snapshot in snapshots for name in names]
    inside = [
        tensor
        for snapshot in snapshots
        for tensor in snapshot.tensors.values()
        if any(each.startswith(f"{name}.") for name in names for each in tensor.names)
        and not any(each.endswith(".grad") for each in tensor.names)
    ]
    yield frozenset(
        tensor.storage
        for tensor in (*named, *inside)
        if tensor is not None and tensor.storage is not None
    )


def wrapped(
    timeline: Timeline, source: str, keeper: Keeper, version: int
) -> Iterator[frozenset[int]]:
    """Yield the storages that a node which wraps another one may keep, the likeliest first.

    Its op wrote the memory of its first input: that is kept as a result, with
    the version which that write left behind, or not at all.
    """
    step = keeper.node.step
    if step is None:
        return
    written = {
        event.storage: event.after
        for event in timeline.steps[step].events
        if isinstance(event, Mutation)
    }
    results = {storage for storage, after in written.items() if after == version}
    for storages in near(timeline, source, keeper):
        yield storages - written.keys()
        yield storages & results


def _led_to(snapshot: Snapshot, keeper: Keeper) -> frozenset[int]:
    """Return the storages of the named tensors that went into a node, or came out of it."""
    ends = {edge.node for edge in keeper.node.inputs if edge is not None}
    nodes = {keeper.node.id} if keeper.is_output else ends
    leaves = frozenset[int]() if keeper.is_output else keeper.leaves
    return frozenset(
        tensor.storage
        for tensor in snapshot.tensors.values()
        if tensor.storage is not None and (tensor.grad_fn in nodes or tensor.id in leaves)
    )


@dataclass(frozen=True)
class Found:
    """Who kept what was changed, and the writes that did it."""

    way: Way
    writes: tuple[Mutation, ...]
    keeper: Keeper | None = None


def behind(
    timeline: Timeline, backward: Step, truth: Wrong, *, source: str, leaf: Tensor | None
) -> Found | None:
    """Return what falsified a backward, where no saved tensor shows it; None if nothing does.

    Args:
        timeline: a run that completed.
        backward: the step whose gradients are wrong.
        truth: what its replay showed.
        source: of the program.
        leaf: the tensor with the wrong gradient.
    """
    if truth.unrecorded:
        return Found(Way.UNRECORDED, _unrecorded(timeline, truth))
    known = keepers(timeline.at(backward.began - 1), leaf=leaf)
    hidden = [keeper for keeper in known if keeper.slot != INSIDE]
    for rank in range(2):
        for keeper in hidden:
            storages = list(near(timeline, source, keeper))[rank:]
            if storages and (writes := _after(timeline, keeper, storages[0], backward)):
                return Found(Way.UNCHECKED, writes, keeper)
    written = _during(timeline, backward)
    return Found(Way.GRADIENT, written) if written else None


def _unrecorded(timeline: Timeline, truth: Wrong) -> tuple[Mutation, ...]:
    """Return the writes that the graph lacks, as the timeline saw them."""
    writes: list[Mutation] = []
    for lacking in truth.unrecorded:
        seen = [
            event
            for step in timeline
            if step.line <= lacking.line <= step.end_line
            for inner in timeline.steps[step.began : step.index + 1]
            for event in inner.events
            if isinstance(event, Mutation)
        ]
        op = None if lacking.in_function else lacking.op
        writes += seen or [Mutation(line=lacking.line, op=op)]
    return tuple(dict.fromkeys(writes))


def _after(
    timeline: Timeline, keeper: Keeper, storages: frozenset[int], backward: Step
) -> tuple[Mutation, ...]:
    start = keeper.node.step or 0
    return tuple(
        event
        for step in timeline.steps[start + 1 : backward.index + 1]
        for event in step.events
        if isinstance(event, Mutation) and event.storage in storages
    )


def _during(timeline: Timeline, backward: Step) -> tuple[Mutation, ...]:
    """Return the writes of hooks and backwards to what was not there before: to gradients."""
    before = timeline.at(backward.began - 1)
    return tuple(
        event
        for step in timeline.steps[backward.began : backward.index]
        for event in step.events
        if isinstance(event, Mutation) and event.storage not in before.storages
    )
