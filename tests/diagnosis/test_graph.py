"""The recorded graph, against the one that torch walks and the errors it raises."""

from __future__ import annotations

import re
import sys

import pytest
import torch

from inplace_tui.common.run.snapshot import SlotState, Snapshot
from inplace_tui.diagnosis.record.state.graph import Graph
from inplace_tui.diagnosis.record.state.records import Fn, Key
from support.recording import bare, in_child, named, record, slot

START = """\
import torch
from torch import nn
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t, None)
        return t * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]
x = torch.ones(3, requires_grad=True)
w = torch.ones(3, requires_grad=True)
y = x * w
"""
LINE = START.count("\n") + 1

GRAPHS = [
    "z = y.exp()",
    "z = (y.sin() + y.exp()).sum()",
    "z = torch.cat([y, x, y]).softmax(0)",
    "y.add_(w); z = y[1:].mul_(2)",
    "z = y; z[0] = 2",
    "z = Double.apply(y)",
    "z = nn.Linear(3, 2)(y).relu().sum()",
    "z, _ = y.split([1, 2])",
    "z = x * 1\nfor _ in range(20):\n    z = z * w + x",
    "z = torch.linalg.svd(torch.outer(y, w))[0]",
    "z = y.detach().requires_grad_() * x",
]


def shape_of(root: object) -> set[tuple[str, tuple[str | None, ...]]]:
    """Return torch's own graph: every node's name with the names below it."""
    found, waiting, seen = set(), [root], set()
    while waiting:
        fn = waiting.pop()
        if fn in seen:
            continue
        seen.add(fn)
        below = [below for below, _ in fn.next_functions]  # type: ignore[attr-defined]
        found.add((type(fn).__name__, tuple(b and type(b).__name__ for b in below)))
        waiting += [b for b in below if b is not None]
    return found


def asked(source: str) -> tuple[int, set[tuple[str, tuple[str | None, ...]]]]:
    names: dict[str, torch.Tensor] = {}
    exec(source, names)
    root = names["z"].grad_fn
    waiting, seen = [root], set()
    while waiting:
        fn = waiting.pop()
        if fn is not None and fn not in seen:
            seen.add(fn)
            waiting += [below for below, _ in fn.next_functions]
    return len(seen), shape_of(root)


def below(snapshot: Snapshot, name: str) -> list[int]:
    root = named(snapshot, name).grad_fn
    assert isinstance(root, int)
    waiting, seen = [root], list[int]()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.append(node)
            waiting += [edge.node for edge in snapshot.nodes[node].inputs if edge is not None]
    return seen


@pytest.mark.parametrize("program", GRAPHS)
@pytest.mark.whole(every=4)
def test_the_graph_is_torchs_own_each_node_once(program: str) -> None:
    expected = in_child(lambda: asked(START + program))

    recorded = record(START + program + "\n")

    last = recorded.timeline.at(len(recorded.steps) - 1)
    nodes = {n: last.nodes[n] for n in below(last, "z")}
    shape = {
        (node.name, tuple(None if e is None else last.nodes[e.node].name for e in node.inputs))
        for node in nodes.values()
    }
    assert (len(nodes), shape) == expected


def test_an_accumulator_knows_its_leaf() -> None:
    after = record(START).after(LINE - 1)

    leaves = {n.leaf for n in after.nodes.values() if n.name == "AccumulateGrad"}
    assert leaves == {named(after, "x").id, named(after, "w").id}


def test_a_node_knows_its_line_and_step() -> None:
    source = (
        START
        + "def f(t):\n    u = t.sin()\n    return u.cos()\nz = (\n    f(y.tan())\n    .exp()\n)\n"
    )

    recorded = record(source)

    last = recorded.timeline.at(len(recorded.steps) - 1)
    made = {n.name: (n.line, n.step) for n in last.nodes.values() if n.line is not None}
    steps = {step.line: step.index for step in recorded.steps}
    assert made == {
        "MulBackward0": (LINE - 1, steps[LINE - 1]),
        "SinBackward0": (LINE + 1, steps[LINE + 1]),
        "CosBackward0": (LINE + 2, steps[LINE + 2]),
        "TanBackward0": (LINE + 4, steps[LINE + 3]),
        "ExpBackward0": (LINE + 5, steps[LINE + 3]),
    }


def test_nodes_are_lost_when_no_name_leads_to_them() -> None:
    source = START + "z = y.exp()\ndel z\nv = y.sin().detach()\n"

    recorded = record(source)

    made = [n.id for n in recorded.step(LINE).nodes]
    assert recorded.step(LINE + 1).lost == tuple(made)
    assert {n.name for n in recorded.timeline.at(len(recorded.steps) - 1).nodes.values()} == {
        "AccumulateGrad",
        "MulBackward0",
    }


def test_a_long_loop_describes_each_node_once() -> None:
    source = START + "for _ in range(300):\n    y = y * w\n"

    recorded = record(source)

    sent = [n.id for s in recorded.steps for n in s.nodes]
    assert len(sent) == len(set(sent)) == 303
    assert len(recorded.timeline.at(len(recorded.steps) - 1).nodes) == 303


SLOTS = [
    ("z = y.exp()", "ExpBackward0", "result", "z", True),
    ("z = y.sin()", "SinBackward0", "self", "y", False),
    ("z = y.sin(); k = y.detach()", "SinBackward0", "self", "y", False),
    ("z = y.exp(); k = z.detach()", "ExpBackward0", "result", "z", True),
    ("z = y[:2].sin()", "SinBackward0", "self", "y", False),
    ("z = y.clone().sin()", "SinBackward0", "self", None, False),
    ("z = Double.apply(y)", "DoubleBackward", "tensors[0]", "y", False),
    ("k = torch.tensor([0, 1]); z = y[k]", "IndexBackward0", "indices[0]", "k", False),
    ("k = [y.relu()]; z = k[0]", "ReluBackward0", "result", "z", True),
]


@pytest.mark.parametrize(("line", "node", "name", "tensor", "is_output"), SLOTS)
@pytest.mark.whole
def test_a_saved_tensor_is_told_under_its_node(
    line: str, node: str, name: str, tensor: str | None, is_output: bool
) -> None:
    after = record(START + line + "\n").after(LINE)

    saved = slot(after, node, name)
    assert saved.tensor == (None if tensor is None else named(after, tensor).id)
    assert (saved.is_output, saved.state) == (is_output, SlotState.FRESH)
    assert saved.version == saved.now
    if tensor is not None:
        assert saved.storage == named(after, tensor).storage


WRITES = [
    "z = y.exp(); z.add_(1)",
    "y.add_(1); z = y.exp(); z.add_(1); z.add_(1)",
    "z = y.sin(); y.mul_(2)",
    "z = y.exp().add_(1).sum()",
    "z = Double.apply(y); y.zero_()",
    "k = torch.tensor([0, 1]); z = y[k]; k[0] = 2",
    "z = x.sin()\nwith torch.no_grad(): x.add_(1)",
    "v = y[1:]; z = v.exp(); v.detach().add_(1); z[0] = 2; z = z.sum()",
    "v = y[1:]; z = v.sin(); y.add_(1)",
    "m = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU(inplace=True)); z = m(y)",
]


@pytest.mark.parametrize("program", WRITES)
@pytest.mark.whole(every=3)
def test_a_stale_slot_has_the_versions_of_torchs_message(program: str) -> None:
    recorded = record(START + program + "\nz.sum().backward()\n")

    numbers = re.search(r"is at version (\d+); expected version (\d+)", recorded.ending.error or "")
    assert numbers is not None
    before = recorded.timeline.at(len(recorded.steps) - 2)
    stale = [s for s in before.saved.values() if s.state is SlotState.STALE]
    assert (str(stale[0].now), str(stale[0].version)) == numbers.groups()


def test_a_saved_view_that_torch_will_refuse_is_stale() -> None:
    source = START + "v, u = y.split([1, 2]); z = v.sin()\ny.add_(1)\nz.sum().backward()\n"

    recorded = record(source)

    saved = slot(recorded.after(LINE + 1), "SinBackward0", "self")
    assert (saved.state, saved.version, saved.now) == (SlotState.STALE, 0, 1)
    assert "is a view and its base" in (recorded.ending.error or "")


def test_backward_frees_what_it_used_and_nothing_else() -> None:
    source = START + "k = y.sin()\nz = y.exp()\nz.sum().backward()\n"

    recorded = record(source)

    after = recorded.timeline.at(len(recorded.steps) - 1)
    assert slot(after, "ExpBackward0", "result").state is SlotState.FREED
    assert slot(after, "SinBackward0", "self").state is SlotState.FRESH
    assert slot(after, "MulBackward0", "other").state is SlotState.FREED


def test_what_backward_freed_is_seen_where_it_ran_though_it_ran_lines_of_the_program() -> None:
    source = (
        START + "def hook(g):\n    a = g * 1\n    return a\nz = y.exp()\n"
        "z.register_hook(hook)\nz.sum().backward()\n"
    )

    after = record(source).after(LINE + 5)

    assert slot(after, "ExpBackward0", "result").state is SlotState.FREED


def test_a_retained_graph_stays_fresh() -> None:
    source = START + "z = y.exp()\nz.sum().backward(retain_graph=True)\n"

    after = record(source).after(LINE + 1)

    assert {s.state for s in after.saved.values()} == {SlotState.FRESH}


def test_a_freed_list_is_told_as_freed() -> None:
    source = START + "z = y[[0, 1]]\nz.sum().backward()\n"

    after = record(source).after(LINE + 1)

    assert slot(after, "IndexBackward0", "indices[0]").state is SlotState.FREED


def test_a_saved_input_that_is_detached_in_place_is_stale() -> None:
    source = START + "z = y.sin()\ny.detach_()\nz.sum().backward()\n"

    recorded = record(source)

    saved = slot(recorded.after(LINE + 1), "SinBackward0", "self")
    assert (saved.state, saved.version == saved.now) == (SlotState.STALE, True)
    assert "detached in-place" in (recorded.ending.error or "")


def test_a_hooked_slot_is_left_alone() -> None:
    source = (
        START
        + """\
def unpack(t):
    print("unpacked")
    return t
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
    z = y.exp()
z.add_(1)
"""
    )

    recorded = record(source)

    saved = slot(recorded.timeline.at(len(recorded.steps) - 1), "ExpBackward0", "result")
    assert saved.state is SlotState.HOOKED
    assert recorded.ending.printed == ""


def test_copy_slices_hides_what_it_saved() -> None:
    recorded = record(START + "y[1:].exp_()\n")

    nodes = recorded.after(LINE).nodes.values()
    assert [n.name for n in nodes if n.opaque] == ["CopySlices"]


def test_create_graph_adds_the_nodes_of_the_backward() -> None:
    recorded = record(START + "y.sin().sum().backward(create_graph=True)\n")

    made = {n.name: n.line for n in recorded.step(LINE).nodes}
    assert made["MulBackward0"] == LINE
    assert isinstance(recorded.tensor("x.grad", LINE).grad_fn, int)


DEEP = """\
import functools
import resource
import torch
_, hard = resource.getrlimit(resource.RLIMIT_STACK)
resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, hard))  # so that 15,000 nodes are deep
x = torch.ones(1, requires_grad=True)
y = functools.reduce(torch.add, [x] * 15000, x)
del y
print("done")
"""


@pytest.mark.whole
def test_a_deep_graph_is_freed_as_without_the_recorder() -> None:
    """Torch frees it in a loop; nodes that Python has seen free each other one within the other."""
    assert bare(DEEP).printed == "done\n"

    recorded = record(DEEP)

    assert (recorded.ending.error, recorded.ending.printed) == (None, "done\n")
    assert not recorded.faults
    assert len(recorded.timeline.histories.nodes) > 15_000


def test_nodes_of_lines_that_run_are_not_looked_at_again_at_every_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each line makes a node that is found while it runs: in all, some three visits of each."""
    source = """\
import torch
def half(t):
    return t * 0.5
x = torch.ones(2, requires_grad=True)
y = x * 1
for _ in range(300):
    y = half(y + x)
"""
    key = Graph._key

    def visited(graph: Graph, fn: Fn) -> Key:
        sys.stdout.write("visited")
        return key(graph, fn)

    monkeypatch.setattr(Graph, "_key", visited)

    recorded = record(source)

    assert not recorded.faults
    nodes = len(recorded.timeline.steps[-1].nodes) + len(recorded.timeline.histories.nodes)
    assert nodes < recorded.ending.printed.count("visited") < 12 * nodes
