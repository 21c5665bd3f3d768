"""Whether a step can be true: the one check between a child's report and all that draws it.

The types are checked when a message is decoded. Here it is what no type says: that
numbers are in their range and what is named exists, so that no panel has to doubt it.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from inplace_tui.common.run.snapshot import Node, Tensor
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.diagnosis.protocol import messages

MAX_DIMENSIONS = 64
"""As torch has it."""

MAX_NUMBER = 2**63 - 1

ITEM = 64
"""Bytes that a reported thing takes in memory; in the pipe it may have taken two."""


class StepChecker:
    """What a run has reported so far, by number."""

    def __init__(self) -> None:
        self._steps = 0
        self._nodes: dict[int, Node] = {}
        self._forward = False
        """Some node led to a number that is not smaller than its own."""

    def complaint(self, step: Step) -> str:
        """Add the next step; return why it can't be true, or nothing."""
        index = self._steps
        if step.index != index:
            return f"step {step.index} after {index} steps"
        self._steps = index + 1
        if not 0 <= step.began <= index:
            return f"step {index} began at {step.began}"
        if min(step.line, step.end_line, step.visit, step.depth) < 0:
            return f"step {index} has a negative place"
        return _of_memory(step) or self._of_nodes(step.nodes, step.lost)

    def _of_nodes(self, nodes: tuple[Node, ...], lost: tuple[int, ...]) -> str:
        for number in lost:
            self._nodes.pop(number, None)
        for node in nodes:
            self._nodes[node.id] = node
        if nodes and not self._forward:
            # Recorders number what a node leads to before it; then there is no circle.
            edges = ((node.id, edge) for node in nodes for edge in node.inputs)
            self._forward = any(edge is not None and edge.node >= id_ for id_, edge in edges)
        if self._forward and self._circular(nodes):
            return f"node {nodes[0].id} is part of a circle"
        return ""

    def _circular(self, nodes: tuple[Node, ...]) -> bool:
        """Whether one of these leads to one that leads back to itself."""
        below: dict[int, list[int]] = {}
        waiting = [node.id for node in nodes]
        while waiting:
            number = waiting.pop()
            node = self._nodes.get(number)
            if number not in below and node is not None:
                below[number] = [edge.node for edge in node.inputs if edge is not None]
                waiting += below[number]
        try:
            TopologicalSorter(below).prepare()
        except CycleError:
            return True
        return False


def weight(report: messages.Report) -> int:
    """Return how many bytes a report takes in memory beside those that it was sent in."""
    match report:
        case messages.LineRecorded(step=step):
            return ITEM * _things(step)
        case messages.BackwardRan(backward=backward):
            shapes = sum(len(each.shape) for each in backward.gradients)
            named = len(backward.moved) + len(backward.stepped or backward.without_gradient)
            return ITEM * (len(backward.gradients) + len(backward.unrecorded) + shapes + named)
        case messages.ProgramWrote(events=events):
            return ITEM * len(events)
        case messages.ProgramStarted() | messages.ProgramEnded():
            return 0


def _things(step: Step) -> int:
    things = sum(map(len, (step.gone, step.freed, step.lost, step.events, step.storages)))
    things += sum(1 + len(t.names) + len(t.shape) + len(t.stride) for t in step.tensors)
    things += sum(1 + len(node.inputs) for node in step.nodes)
    return things + sum(1 + len(saved.shape) for saved in step.saved)


def _of_memory(step: Step) -> str:
    for tensor in step.tensors:
        if found := _of_tensor(tensor):
            return f"tensor {tensor.id} {found}"
    for storage in step.storages:
        sent = storage.nbytes if storage.data is None else len(storage.data)
        if min(storage.nbytes, storage.id) < 0 or sent != storage.nbytes:
            return f"storage {storage.id} sends {sent} of {storage.nbytes} bytes"
    for saved in step.saved:
        if saved.shape and min(saved.shape) < 0:
            return f"node {saved.node} saved a shape below zero"
    for event in step.events:
        if isinstance(event, Mutation) and event.line < 0:
            return "a write on a line below zero"
    return ""


def _of_tensor(tensor: Tensor) -> str:
    shape, stride = tensor.shape, tensor.stride
    if tensor.id < 0 or not 0 <= tensor.offset <= MAX_NUMBER:
        return f"begins at {tensor.offset}"
    if len(shape) > MAX_DIMENSIONS:
        return f"has {len(shape)} dimensions"
    if shape and (min(shape) < 0 or max(shape) > MAX_NUMBER):
        return "has a shape that is none"
    if len(stride) != len(shape) and (stride or tensor.storage is not None):
        return f"has {len(stride)} strides"
    if stride and min(stride) < 0:
        return "has strides that are none"
    return ""
