"""Who saved, who changed and who needed a tensor, told of programs whose answers are known."""

from __future__ import annotations

from typing import Any

import pytest

from blame.interpreter import Programs
from support.catalogue import PROGRAMS, Known

MODIFIED = [
    known
    for known in PROGRAMS
    if known.category == "saved-tensor-modified" and known.ending == "raises_in_backward"
]

NOT_SEEN = {
    "set-swaps-storage": "the storage that was written is not the saved one any more",
    "writer-out-overwrites-saved": "out=",
}
"""Programs whose writer is not seen, which is what has to be said of them."""


def lines(finding: dict[str, Any]) -> list[int]:
    return [each["line"] for each in finding["writes"]]


@pytest.mark.parametrize("known", MODIFIED, ids=lambda known: known.id)
@pytest.mark.whole(every=30)
def test_saver_and_writer_are_those_that_are_known(programs: Programs, known: Known) -> None:
    run = programs.run(known.source, watched=True)

    raised = run.end["raised"]
    if raised is None or "modified by an inplace operation" not in raised[1]:
        pytest.skip("this torch does not raise here, or not this")
    (finding, *_) = run.findings
    assert finding["saved"]["line"] == known.victim
    if known.id in NOT_SEEN:
        assert finding["unseen"]
    else:
        assert known.culprit in lines(finding)
        assert not finding["unseen"]
    assert raised[3] in {1, None}


def found(programs: Programs, source: str) -> dict[str, Any]:
    run = programs.run(source, watched=True)
    assert run.findings, run.end
    return run.findings[0]


def test_every_write_since_the_save_is_told_with_its_versions(programs: Programs) -> None:
    source = """\
import torch
a = torch.ones(2, requires_grad=True)
x = a * 1
x.add_(1)
y = x.sin()
x += 1
x[0] = 3
torch.relu_(x)
torch._foreach_mul_([x], 2)
y.sum().backward()
"""
    finding = found(programs, source)

    told = [
        (each["op"], each["line"], each["version"], each["version_after"])
        for each in finding["writes"]
    ]
    assert told == [
        ("__iadd__", 6, 1, 2),
        ("__setitem__", 7, 2, 3),
        ("relu_", 8, 3, 4),
        ("_foreach_mul_", 9, 4, 5),
    ]
    assert finding["saved"]["version"] == 1
    assert finding["saved"]["version_now"] == 5
    assert finding["reader"]["line"] == 10
    assert not finding["unseen"]


def test_a_writer_that_was_not_seen_is_said_to_be_unseen(programs: Programs) -> None:
    source = """\
import torch
a = torch.ones(2, requires_grad=True)
x = a * 1
y = x.sin()
x.detach().add_(1)
torch.add(x.detach(), 1, out=x.detach())
x.detach().add_(1)
y.sum().backward()
"""
    finding = found(programs, source)

    assert lines(finding) == [5, 7]
    assert finding["unseen"] == [[1, 2]]


LIBRARY = """\
import torch
library = {{}}
exec(compile('''
def both(tensors, between):
    for tensor in tensors:
        tensor.add_(1)
        between()
        tensor.mul_(2)
def generated(tensors):
    for tensor in tensors:
        yield tensor.add_(1)
''', "/nowhere/site-packages/library.py", "exec"), library)
a = torch.ones(2, requires_grad=True)
x, other = a * 1, a * 1
y = x.sin()
{then}
y.sum().backward()
"""


@pytest.mark.parametrize(
    ("then", "told"),
    [
        (
            "library['both']([other, x], int)\nlibrary['both']([other, x], int)",
            [(4, 16), (6, 16), (4, 17), (6, 17)],
        ),
        ("each = library['generated']([other, x])\nnext(each)\nnext(each)", [(9, 18)]),
    ],
    ids=["a function that is called twice", "a generator that is resumed elsewhere"],
)
def test_writes_in_one_library_function_are_told_apart(
    programs: Programs, then: str, told: list[tuple[int, int]]
) -> None:
    finding = found(programs, LIBRARY.format(then=then))

    frames = [each["frames"] for each in finding["writes"]]
    assert [(each[0]["line"], each[1]["line"]) for each in frames] == told


def test_a_debugger_that_starts_in_a_library_function_sees_what_it_sees_alone(
    programs: Programs,
) -> None:
    then = """\
import sys
events = []
def trace(frame, event, argument):
    if frame.f_code.co_name == "both":
        events.append(f"{event} {frame.f_lineno}")
    return trace
def here():
    if debugged:
        sys._getframe(1).f_trace = trace
    sys.settrace(trace)
for debugged in (True, False):
    library['both']([other], here)
    sys.settrace(None)
"""
    alone, watched = (
        programs.run(LIBRARY.format(then=then), watched=watched) for watched in (False, True)
    )

    assert "line 6" in str(alone.end["values"]["events"])
    assert watched.comparable == alone.comparable


def test_writes_through_data_are_not_taken_for_those_that_count(programs: Programs) -> None:
    source = """\
import torch
a = torch.ones(2, requires_grad=True)
x = a * 1
y = x.sin()
x.data.add_(1)
x.add_(1)
x.data[0].add_(1)
y.sum().backward()
"""
    assert lines(found(programs, source)) == [6]


def test_a_method_that_is_looked_up_and_not_called_wrote_nothing(programs: Programs) -> None:
    source = """\
import torch
a = torch.ones(2, requires_grad=True)
x = a * 1
y = x.sin()
x.add_
hasattr(x, "mul_")
x.add_(1)
x.add_
y.sum().backward()
"""
    assert lines(found(programs, source)) == [7]


@pytest.mark.whole
def test_a_parameter_is_told_by_its_name(programs: Programs) -> None:
    source = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    def forward(self, x):
        return self.layers(x)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1, {how})
loss = net(torch.ones(1, 2)).sum()
loss.backward(retain_graph=True)
opt.step()
loss.backward()
"""
    for how in ("foreach=True", "foreach=False"):
        finding = found(programs, source.replace("{how}", how))

        assert finding["saved"]["name"] == "Net.layers.1.weight"
        assert finding["saved"]["line"] == 7
        assert lines(finding) == [12]
        assert finding["reader"]["line"] == 13


@pytest.mark.parametrize(
    ("setup", "write"),
    [
        ("layer = torch.nn.Embedding(4, 2, max_norm=1.0)", "layer(torch.tensor([0, 1]))"),
        ("layer = torch.nn.ReLU(inplace=True)", "layer(x)"),
        ("layer = torch.nn.Dropout(0.5, inplace=True)", "layer(x)"),
        ("layer = torch.nn.LeakyReLU(inplace=True)", "layer(x)"),
        ("layer = torch.nn.Hardtanh(inplace=True)", "layer(x)"),
    ],
)
@pytest.mark.whole(every=5)
def test_writes_inside_modules_are_seen(programs: Programs, setup: str, write: str) -> None:
    read = "layer.weight * layer.weight" if "Embedding" in setup else "x.sin()"
    source = f"""\
import torch
{setup}
x = torch.full((8, 2), 3.0, requires_grad=True) * 1
if hasattr(layer, "weight"):
    layer.weight.data.fill_(3.0)
y = {read}
{write}
y.sum().backward()
"""
    assert lines(found(programs, source)) == [7]


def test_a_graph_made_by_a_backward_is_told_by_that_backward(programs: Programs) -> None:
    source = """\
import torch
a = torch.ones(2, requires_grad=True)
x = a * 1
y = x.pow(3)
(first,) = torch.autograd.grad(y.sum(), a, create_graph=True)
x.add_(1)
first.sum().backward()
"""
    numbered = "import torch\nnumbered = hasattr(torch._C._autograd, '_get_sequence_nr')\n"
    run = programs.run(numbered, watched=False)
    finding = found(programs, source)

    told = {4, 5} if run.end["values"]["numbered"] == "True" else {None}  # before torch 2.1
    assert finding["saved"]["line"] in told
    assert lines(finding) == [6]


def test_threads_are_watched(programs: Programs) -> None:
    source = """\
import threading, torch
a = torch.ones(2, requires_grad=True)
def work():
    x = a * 1
    y = x.sin()
    x.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        pass
for _ in range(2):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
threads = [threading.Thread(target=work) for _ in range(4)]
[each.start() for each in threads]
[each.join() for each in threads]
"""
    findings = programs.run(source, watched=True).findings

    assert [lines(each) for each in findings] == [[6]] * 6
    assert [each["saved"]["line"] for each in findings[:2]] == [5, 5]
    # While a backward runs, no thread's stacks are recorded.
    assert {each["saved"]["line"] for each in findings} <= {5, None}


def test_a_write_that_torch_refuses_is_told_by_its_line(programs: Programs) -> None:
    source = "import torch\na = torch.ones(2, requires_grad=True)\n{}\n"

    for write, op in (("a.add_(1)", "add_"), ("a += 1", "__iadd__"), ("torch.relu_(a)", "relu_")):
        finding = found(programs, f"{source.format(write)}")
        assert (finding["category"], finding["writer"]["op"]) == ("leaf-modified", op)
        assert finding["writer"]["line"] == 3


@pytest.mark.parametrize(
    "line",
    [
        "out[i] = w @ v",
        "total += w @ v",
        "y = v.add_(1) @ w.T[:2]",
        "y = (v.add_(1).expand(i + 4), w @ v)",
        "out[i, :] = v.mul_(2).view(i + 3)",
        "y = v.fill_(1).expand(3).relu_().expand(4)",
        "torch.add(w, w, out=v.zero_().view(3).requires_grad_())",
        "v.add_(1), leaf.abs().sum().backward(v.mul_(2))",
        "leaf.data.add_(1); torch.ops.aten.mul_(leaf, v.relu_())",
    ],
)
@pytest.mark.whole
def test_a_write_that_succeeded_or_never_began_is_not_called_refused(
    programs: Programs, line: str
) -> None:
    source = f"""\
import torch
out, total, v = torch.zeros(2, 3), torch.zeros(3), torch.ones(3)
leaf = torch.ones(3, requires_grad=True)
for i, w in enumerate([torch.ones(3, 3), torch.ones(3, 4)]):
    {line}
"""
    run = programs.run(source, watched=True)

    assert run.end["raised"][0] == "RuntimeError"
    assert run.findings == []


@pytest.mark.parametrize(
    ("line", "op"),
    [
        ("out[:, i] = leaf.exp() if i else total", "__setitem__"),
        ("v.view(3).exp(); a = [leaf.sub_(1) if i else v.add_(1)]", "sub_"),
        ("w.mul_(2).add_(1); torch.relu_(leaf)", "relu_"),
        ("out.zero_().mul_(torch.ones(2, 2, 3))", "mul_"),
        ("count += v.add_(1) / 2", "__iadd__"),
    ],
)
@pytest.mark.whole
def test_of_several_writes_on_a_line_the_refused_one_is_told(
    programs: Programs, line: str, op: str
) -> None:
    source = f"""\
import torch
out, total, v = torch.zeros(2, 3), torch.zeros(2), torch.ones(3)
count = torch.ones(3, dtype=torch.int64)
leaf = torch.ones(3, requires_grad=True)
for i, w in enumerate([torch.ones(3, 3), torch.ones(3, 4)]):
    {line}
"""
    finding = found(programs, source)

    assert finding["writer"]["op"] == op


@pytest.mark.whole
def test_what_a_checkpoint_keeps_is_said_to_be_its_own(programs: Programs) -> None:
    source = """\
import torch
from torch.utils.checkpoint import checkpoint
def block(x):
    return x.sin().cos()
a = torch.ones(2, requires_grad=True)
x = a * 1
y = checkpoint(block, x, use_reentrant=False)
x += 1
y.sum().backward()
"""
    run = programs.run(source, watched=True)
    if run.end["raised"] is None:
        pytest.skip("this torch does not check what a checkpoint keeps")
    finding = run.findings[0]
    assert finding["saved"]["slot"] == "checkpoint"
    assert lines(finding) == [8]


@pytest.mark.whole
def test_of_two_weights_in_one_memory_the_one_that_was_saved_is_named(programs: Programs) -> None:
    source = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(2, 2, bias=False)
        self.b = torch.nn.Linear(2, 2, bias=False)
        flat = torch.ones(8)
        self.a.weight.data = flat[:4].view(2, 2)
        self.b.weight.data = flat[4:].view(2, 2)
net = Net()
x = torch.ones(1, 2, requires_grad=True)
loss = net.b(net.a(x)).sum()
with torch.no_grad():
    net.b.weight.add_(1)
loss.backward()
"""
    assert found(programs, source)["saved"]["name"] == "Net.b.weight"
