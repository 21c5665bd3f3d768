"""Every write, with the expression that did it, against torch's own versions."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
import torch

from inplace_tui.common.run.outcome import StackFrame
from inplace_tui.common.run.step import Mutation, Rebound
from inplace_tui.diagnosis.record.recording.mutations import chain
from support.recording import named, record

START = """\
import torch, ctypes
from torch import nn
from torch.nn import init
import torch.nn.functional as F
x = torch.ones(4, requires_grad=True)
y = x * 2
p = torch.arange(4.)
q = torch.ones(4)
lin = nn.Linear(4, 4)
lin.weight.grad, lin.bias.grad = torch.ones(4, 4), torch.ones(4)
bn = nn.BatchNorm1d(4)
act = nn.ReLU(inplace=True)
emb = nn.Embedding(4, 4, max_norm=1.0)
sgd = torch.optim.SGD([lin.weight], 0.1, foreach=True)
adam = torch.optim.AdamW([lin.weight], foreach=False)
fused = torch.optim.SGD([lin.weight], 0.1, fused=True)
kept = [torch.ones(4), {"a": torch.ones(4)}]
n = p.numpy()
c = y.data
v = y[1:3]
"""
LINE = START.count("\n") + 1

Row = tuple[str | None, str | None, int | None, int | None]


def written(source: str) -> list[Row]:
    """Return the writes of the line after `START`: (op, name, before, after)."""
    recorded = record(START + source + "\n")
    assert recorded.faults == ()
    assert recorded.ending.error is None
    snapshot = recorded.after(LINE)
    rows: list[Row] = []
    for event in recorded.step(LINE).events:
        if isinstance(event, Mutation):
            tensor = snapshot.tensors.get(event.tensor or 0)
            name = None if tensor is None else tensor.names[0]
            rows.append((event.op, name, event.before, event.after))
    return rows


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y.add_(1)", [("Tensor.add_", "y", 0, 1)]),
        ("y += 1", [("Tensor.add_", "y", 0, 1)]),
        ("p -= q", [("Tensor.sub_", "p", 0, 1)]),
        ("y *= 2; y **= 2", [("Tensor.mul_", "y", 0, 1), ("Tensor.pow_", "y", 1, 2)]),
        ("y /= 2; y %= 2", [("Tensor.div_", "y", 0, 1), ("Tensor.remainder_", "y", 1, 2)]),
        ("y[0] = 5", [("Tensor.__setitem__", "y", 0, 1)]),
        ("y[1:] *= 2", [("Tensor.mul_", "y", 0, 1), ("Tensor.__setitem__", "y", 1, 2)]),
        ("y[y > 9] = 0", [("Tensor.__setitem__", "y", 0, 1)]),
        ("v.add_(1)", [("Tensor.add_", "v", 0, 1)]),
        ("y.detach().zero_()", [("Tensor.zero_", "y", 0, 1)]),
        ("y.unsqueeze_(0)", [("Tensor.unsqueeze_", "y", 0, 1)]),
        ("torch.add(p, 1, out=q)", [("torch.add(out=)", "q", 0, 1)]),
        ("torch.relu_(p)", [("torch.relu_", "p", 0, 1)]),
        ("F.relu(p, inplace=True)", [("functional.relu", "p", 0, 1)]),
        ("init.normal_(p)", [("init.normal_", "p", 0, 1)]),
        ("nn.init.zeros_(lin.bias)", [("init.zeros_", "lin.bias", 1, 2)]),
        ("torch.Tensor.add_(p, 1)", [("Tensor.add_", "p", 0, 1)]),
        ("kept[0].add_(1)", [("Tensor.add_", "kept[0]", 0, 1)]),
        ("kept[1]['a'] += 1", [("Tensor.add_", "kept[1]['a']", 0, 1)]),
        ("[k.mul_(2) for k in (p, q)]", [("Tensor.mul_", "p", 0, 1), ("Tensor.mul_", "q", 0, 1)]),
        ("act(p)", [("ReLU.__call__", "p", 0, 1)]),
        ("sgd.step()", [("SGD.step", "lin.weight", 1, 2)]),
        ("lin.bias.grad.zero_()", [("Tensor.zero_", "lin.bias.grad", 0, 1)]),
        ("sgd.zero_grad(set_to_none=False)", [("SGD.zero_grad", "lin.weight.grad", 0, 1)]),
        ("adam.step()", [("AdamW.step", "lin.weight", 1, 3)]),
        ("emb(torch.tensor([0, 1]))", [("Embedding.__call__", "emb.weight", 1, 2)]),
        ("torch._foreach_add_([q], 1)", [("torch._foreach_add_", "q", 0, 1)]),
        ("lin.bias.sum().backward()", [("Tensor.backward", "lin.bias.grad", 0, 1)]),
        ("torch.autograd.backward(lin.bias.sum())", [("autograd.backward", "lin.bias.grad", 0, 1)]),
        ("with torch.no_grad(): p.add_(1)", [("Tensor.add_", "p", 0, 1)]),
        ("y = x.exp(); y.add_(1)", [("Tensor.add_", "y", 0, 1)]),
        ("z = (p * 2).add_(1)", [("Tensor.add_", "z", 0, 1)]),
        ("z = x.exp().add_(1).sin()", [("Tensor.add_", None, 0, 1)]),
        ("v = v.__setitem__(0, 5.0)\nz = 0", [("Tensor.__setitem__", None, 0, 1)]),
        ("z = x @ torch.ones(4, 4)", []),
        ("p.add(1)", []),
        ("p = p + 1", []),
        ("z = lin(p)", []),
    ],
)  # fmt: skip
@pytest.mark.whole(every=4)
def test_a_write_is_told_with_its_operation_and_versions(line: str, expected: list[Row]) -> None:
    assert written(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("y.data.add_(1)", [("Tensor.add_", "y", None, None)]),
        ("c.zero_()", [("Tensor.zero_", "c", 0, 1)]),
        ("n[0] = 9", [("ndarray.__setitem__", "p", None, None)]),
        ("n += 1", [("ndarray.__iadd__", "p", None, None)]),
        ("n.fill(3)", [("ndarray.fill", "p", None, None)]),
        ("n[::-1].sort()", [("ndarray.sort", "p", None, None)]),
        ("p.numpy()[1] = 7", [("ndarray.__setitem__", "p", None, None)]),
        ("p.apply_(lambda e: e + 1)", [("Tensor.apply_", "p", None, None)]),
        ("p.untyped_storage().fill_(1)", [("UntypedStorage.fill_", "p", None, None)]),
        ("ctypes.memset(p.data_ptr(), 1, 4)", [(None, "p", None, None)]),
        ("y.data = y.data + 1", [("Tensor.data", "y", None, None)]),
        ("setattr(y, 'data', y.data + 1)", [("setattr", "y", None, None)]),
        ("fused.step()", [("SGD.step", "lin.weight", None, None)]),
        ("bn(p.repeat(2, 1))", [
            ("BatchNorm1d.__call__", "bn.num_batches_tracked", 1, 2),
            ("BatchNorm1d.__call__", "bn.running_mean", None, None),
        ]),
        ("lin.double()", [("Linear.double", name, None, None) for name in (
            "lin.weight", "lin.weight.grad", "lin.bias", "lin.bias.grad")]),
        ("p.data.mul_(1)", []),
        ("y.data = y.data.clone()", []),
    ],
)  # fmt: skip
@pytest.mark.whole(every=4)
def test_a_write_that_no_counter_saw_is_found_by_its_bytes(line: str, expected: list[Row]) -> None:
    found = written(line)

    if line.startswith("bn"):
        # Its variances are 0 here: (1 - momentum) * 1 is another value too.
        found = [row for row in found if row[1] != "bn.running_var"]
    if line.startswith("lin.double"):
        found.sort(key=lambda row: [e[1] for e in expected].index(row[1]))
    assert found == expected


def test_a_write_to_inference_memory_has_no_version() -> None:
    source = (
        "with torch.inference_mode(): i = torch.ones(2)\nwith torch.inference_mode(): i.add_(1)"
    )

    recorded = record(f"import torch\n{source}\n")

    assert [(m.op, m.before, m.after) for m in recorded.mutations(3)] == [
        ("Tensor.add_", None, None)
    ]


def test_a_large_tensor_is_compared_by_its_ends() -> None:
    source = "import torch\np = torch.zeros(100_000)\np.data[0] = 1\np.data[-1] = 1\n"

    recorded = record(source)

    assert [(m.line, m.op) for m in recorded.mutations()] == [
        (3, "Tensor.__setitem__"),
        (4, "Tensor.__setitem__"),
    ]


@pytest.mark.parametrize(
    ("line", "expression"),
    [
        ("p.mul(2).add_(1); y.add_(1)", "y.add_(1)"),
        ("z = torch.sin(y.add_(1))", "y.add_(1)"),
        ("y[0] = p.sum()", "y[0]"),
        ("y += p.sum()", "y += p.sum()"),
        ("é = '中文'; y.add_(1)", "y.add_(1)"),
        ("z = [k.add_(1) for k in [y]]", "k.add_(1)"),
    ],
)
@pytest.mark.whole(every=3)
def test_a_write_says_where_in_its_line_it_is(line: str, expression: str) -> None:
    recorded = record(START + line + "\n")

    found = [m for m in recorded.mutations(LINE) if m.tensor == recorded.tensor("y", LINE).id]

    assert found[0].end_line == found[0].line == LINE
    assert line.encode()[found[0].column : found[0].end_column].decode() == expression


def test_a_method_over_several_lines_is_told_at_the_line_of_its_name() -> None:
    recorded = record(
        "import torch\nx = torch.ones(2)\nz = (\n    x\n    .add_(1)\n    .sin()\n)\n"
    )

    assert [(m.line, m.column, m.end_line) for m in recorded.mutations()] == [(5, 5, 5)]


def test_a_write_inside_a_function_is_told_there() -> None:
    source = START + "def f(t):\n    t.add_(1)\n    return t\nf(y)\nf(x.exp())\n"

    recorded = record(source)

    assert [m.line for m in recorded.mutations()[-2:]] == [LINE + 1, LINE + 1]
    assert recorded.mutations(LINE + 3) == recorded.mutations(LINE + 4) == []


def test_a_write_is_told_once_where_its_value_goes_through_two_functions() -> None:
    recorded = record(
        """\
import torch
def inner(x):
    h = x.sigmoid()
    h *= 0.5
    return h + x
def outer(x):
    return inner(x) * 2
y = outer(torch.ones(3, requires_grad=True))
"""
    )

    assert [(m.line, m.op) for m in recorded.mutations()] == [(4, "Tensor.mul_")]


def test_a_write_of_a_hook_is_told_in_the_hook() -> None:
    source = START + "def hook(g):\n    q.add_(1)\ny.register_hook(hook)\ny.sum().backward()\n"

    recorded = record(source)

    assert [(m.line, m.op) for m in recorded.mutations()[-1:]] == [(LINE + 1, "Tensor.add_")]


def test_a_write_before_the_line_raises_is_told() -> None:
    recorded = record(START + "y.add_(1).no_such_thing\n")

    assert [m.op for m in recorded.mutations(LINE)] == ["Tensor.add_"]


@pytest.mark.parametrize(
    "line",
    [
        "kept += [nn.Linear(2, 2)]",
        "kept[0] = nn.Linear(2, 2)",
        "kept[1] |= {'b': nn.Linear(2, 2)}",
        "kept[1]['b'] = nn.Linear(2, 2)",
    ],
)
def test_what_a_container_takes_it_does_not_write(line: str) -> None:
    assert written(line) == []


def test_what_was_written_before_a_container_took_it_is_told_of_its_writer() -> None:
    assert written("kept += [torch.ones(2).add_(1)]") == [("Tensor.add_", "kept[2]", 0, 1)]


def test_a_refused_write_is_no_write() -> None:
    recorded = record(START + "x.add_(1)\n")

    assert recorded.mutations(LINE) == []
    assert recorded.step(LINE).raised is not None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("y = x * 1\ny = y + 1", [("y", 3)]),
        ("y = x * 1\ny += 1", []),
        ("for y in [x, x * 2, x * 3]: pass", [("y", 2), ("y", 2)]),
        ("def f(x):\n  x = x * 2\n  return x\nz = f(x)\nz = f(z)", [("x", 3), ("x", 3), ("z", 6)]),
        ("y = [x]\ny[0] = x * 2", [("y[0]", 3)]),
        ("y = x * 1\ndel y\ny = x * 2", []),
    ],
)
def test_a_name_that_means_another_tensor_is_no_write(
    source: str, expected: list[tuple[str, int]]
) -> None:
    recorded = record(f"import torch; x = torch.ones(2, requires_grad=True)\n{source}\n")

    found = [(e.name, s.line) for s in recorded.steps for e in s.events if isinstance(e, Rebound)]
    assert found == expected
    for step in recorded.steps:
        for event in step.events:
            if isinstance(event, Rebound):
                assert named(recorded.timeline.at(step.index), event.name).id == event.after


@pytest.mark.whole
def test_the_stack_of_what_a_compiled_region_does_ends_at_the_line_that_calls_it() -> None:
    stacks: list[tuple[StackFrame, ...]] = []

    def backend(made: torch.fx.GraphModule, _: object) -> Callable[..., object]:
        def run(*given: object) -> object:
            stacks.append(chain(sys._getframe(), 0))
            return made.forward(*given)

        return run

    torch.compile(lambda x: torch.exp(x * 2), backend=backend)(torch.ones(2))

    assert stacks
    assert all(each[-1].function == "compile_wrapper" for each in stacks)
