"""How far a backward came: torch itself is asked, by hooks in a run of its own."""

from __future__ import annotations

import pytest
import torch

from inplace_tui.diagnosis.blame.backward_progress import (
    NO_PROGRESS,
    BackwardProgress,
    backward_progress,
)
from support.recording import Recorded, in_child, record

HEAD = (
    "import torch\nw = torch.ones(3, requires_grad=True)\nv = torch.ones(3, requires_grad=True)\n"
    "w.sin()\n"  # the number 0 of the first node of a process is that of leaves here
)

FAILING = {
    "two branches": "a = w.exp()\nb = v.exp()\nc = a * 2\nb = b * v\na.add_(1)\nd = b.sin() + c\n",
    "a loop": "d = w\nfor i in range(6):\n    h = (d * v).sigmoid()\n    d = d + h\n"
    "    if i == 2:\n        h.mul_(2)\n",
    "a view": "a = w * v\nb = a.exp()\nc = b.view(3)\nc.mul_(2)\nd = b + a.sin()\n",
    "shared by both": "a = w.exp()\nb = a * v\nd = a.sin() + b.cos()\na.add_(1)\n",
}  # fmt: skip


def told(recorded: Recorded, source: str) -> BackwardProgress:
    step = next(step for step in recorded.steps if step.raised and step.in_backward)
    return backward_progress(recorded.timeline, step, source=source)


def came_to(source: str) -> tuple[set[int], list[int]]:
    """Return the sequence numbers of the nodes that ran to their end, and of all."""

    def run() -> tuple[set[int], list[int]]:
        names: dict[str, object] = {}
        exec(source, names)
        end = names["d"]
        assert isinstance(end, torch.Tensor)
        ran: set[int] = set()
        order: list[int] = []
        waiting, nodes = [end.grad_fn], []
        while waiting:
            node = waiting.pop()
            if node is not None and node not in nodes:
                nodes.append(node)
                waiting += [below for below, _ in node.next_functions]
        inner = [node for node in nodes if node is not None and node._sequence_nr() < 2**63]
        for node in inner:
            number = node._sequence_nr()
            order.append(number)
            node.register_hook(lambda *_, number=number: ran.add(number))
        with pytest.raises(RuntimeError, match="modified by an inplace"):
            end.sum().backward()
        return ran, sorted(order)

    found = in_child(run)
    assert not isinstance(found, int)
    return found


@pytest.mark.parametrize("body", FAILING.values(), ids=FAILING)
def test_what_ran_is_what_torch_ran(body: str) -> None:
    source = f"{HEAD}{body}"
    ran, every = came_to(source)
    recorded = record(f"{source}d.sum().backward()\n")

    found = told(recorded, f"{source}d.sum().backward()\n")

    nodes = recorded.timeline.at(len(recorded.steps) - 1).nodes
    inner = sorted(node.order for node in nodes.values() if node.order and node.id in {
        *found.ran, *found.unreached, found.raised})  # fmt: skip
    places = {order: place for place, order in enumerate(inner)}
    ours = {places[nodes[key].order] for key in found.ran if nodes[key].order}
    assert ours == {every.index(number) for number in ran}
    assert found.raised is not None
    assert found.path[-1] == found.raised
    assert not {found.raised} & (found.ran | found.unreached)


def test_a_second_backward_fails_at_the_first_node_that_was_freed() -> None:
    source = f"{HEAD}a = w.exp()\nd = a.sum() * 2\nd.backward()\nd.backward()\n"
    recorded = record(source)

    found = told(recorded, source)

    nodes = recorded.timeline.at(len(recorded.steps) - 1).nodes
    assert found.raised is not None
    assert nodes[found.raised].name in ("MulBackward0", "ExpBackward0")
    assert found.raised == min(
        (k for k in nodes if nodes[k].name == "ExpBackward0"), default=None
    ) or (nodes[found.raised].name == "MulBackward0")


def test_where_nothing_is_certain_nothing_is_told() -> None:
    """A backward written in Python raises: no slot says where, and nothing was freed before."""
    source = (
        "import torch\n"
        "class Bad(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x.clone()\n"
        "    @staticmethod\n    def backward(ctx, g):\n        raise ValueError('no')\n"
        "x = torch.ones(3, requires_grad=True)\ny = Bad.apply(x)\ny.sum().backward()\n"
    )
    recorded = record(source)

    assert told(recorded, source) == NO_PROGRESS
