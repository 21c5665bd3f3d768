"""With `values=True` gradients that are silently wrong are found, and nothing else is."""

from __future__ import annotations

import pytest

from blame.interpreter import Programs
from inplace_tui.blame import report
from support.catalogue import PROGRAMS

START = """\
import torch
a = torch.ones(2, requires_grad=True)
x = a * 1
y = x.exp()
"""


@pytest.mark.parametrize(
    ("write", "writers"),
    [("y.data.mul_(2)", [5]), ("y.detach().numpy()[0] = 3", []), ("y.data[0] = 3", [5])],
)
def test_a_change_that_torch_does_not_count_is_found(
    programs: Programs, write: str, writers: list[int]
) -> None:
    if "numpy" in write and programs.run("import numpy", watched=False).end["raised"]:
        pytest.skip("this Python has no NumPy")
    run = programs.run(f"{START}{write}\ny.sum().backward()\n", watched=True, values=True)

    (finding,) = run.findings
    assert (finding["category"], finding["saved"]["line"]) == ("silently-wrong", 4)
    assert [each["line"] for each in finding["writes"]] == writers
    assert finding["reader"]["line"] == 6
    assert ("no version check saw it" in report.text(finding)) is bool(writers)


@pytest.mark.parametrize(
    "write",
    [
        "y.data.add_(0)",
        "x.data.mul_(2)",  # exp saved its result
        "y = y * 2",
        "norm = torch.nn.BatchNorm1d(2); norm(y.view(1, 2).repeat(3, 1)).sum().backward()",
        "norm = torch.nn.BatchNorm1d(2); t = y.view(1, 2).repeat(3, 1); y = norm(t) + norm(t)",
    ],
)
def test_what_is_no_change_of_a_saved_value_is_not_reported(programs: Programs, write: str) -> None:
    source = f"{START}{write}\ny.sum().backward(retain_graph=True)\n"
    assert programs.run(source, watched=True, values=True).findings == []


@pytest.mark.whole
def test_programs_that_are_right_are_not_called_wrong(programs: Programs) -> None:
    wrong = {
        known.id
        for known in PROGRAMS
        if known.ending == "right" and "compile" not in known.source
        for finding in programs.run(known.source, watched=True, values=True).findings
        if finding["category"] == "silently-wrong"
    }
    assert wrong == set()


NAMED = (
    *("alias-data-index-silent", "alias-apply-silent", "optim-fused-sgd-silent"),
    *(
        "optim-fused-adam-silent",
        "optim-swap-data-tensor-silent",
        "data-write-through-linear-silent",
    ),
    *("seed000-data-zero-silent", "seed003-data-zero-silent", "seed003-data-scale-silent"),
    *("dispatch-mode-hides-foreach-write", "custom-op-undeclared-silent"),
)
"""Programs whose saved values change through a call that is watched."""

FOUND = (
    *("alias-numpy-write-silent", "alias-storage-write-silent", "alias-dlpack-write-silent"),
    *("alias-ctypes-write-silent", "alias-frombuffer", "nn-batchnorm-eval-then-train-silent"),
)
"""Programs whose saved values change in a way that no call of torch's is part of."""


@pytest.mark.parametrize("name", [*NAMED, *FOUND])
@pytest.mark.whole(every=8)
def test_silently_wrong_programs_are_found(programs: Programs, name: str) -> None:
    (known,) = (each for each in PROGRAMS if each.id == name)
    run = programs.run(known.source, watched=True, values=True)

    if run.end["raised"] is not None:
        pytest.skip(f"not with this torch, or without NumPy: {run.end['raised'][1]}")
    (finding, *_) = run.findings
    assert finding["category"] == "silently-wrong"
    if name in NAMED:
        assert known.culprit in [each["line"] for each in finding["writes"]]


@pytest.mark.parametrize("values", [0, 1])
@pytest.mark.whole
def test_a_deep_graph_is_freed_as_without_the_witness(programs: Programs, values: int) -> None:
    source = """\
import torch
def scope():
    x = torch.ones(1, requires_grad=True)
    y = z = x.exp()
    for _ in range(40000):
        y = y + 1
    z.add_(1)
    try:
        y.backward()
    except RuntimeError:
        print("caught")
scope()
print("done")
"""
    run = programs.run(source, watched=True, values=values)

    assert run.end["out"] == "caught\ndone\n"
    assert [each["saved"]["line"] for each in run.findings] == [4]


COMPILED = """\
import torch
from torch.overrides import TorchFunctionMode
w = torch.ones(3, 3, requires_grad=True)
sizes = []
def count(graph, inputs):
    sizes.append(len(graph.graph.nodes))
    return graph
norm = torch.compile(torch.nn.BatchNorm1d(3), backend=count, fullgraph=True)
norm(torch.rand(2, 3)).sum().backward()
def broken(x):
    y = x @ w
    print("between")
    return y * y
broken = torch.compile(broken, backend=count)
broken(torch.ones(2, 3)).sum().backward()
class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
with torch.device("cpu"), Mode():
    try:
        torch.compile(lambda x: x @ w, backend=count)(torch.ones(4))
    except RuntimeError as error:
        print(type(error).__name__)
w.grad = None
f = torch.compile(lambda x: x @ w, backend="aot_eager")
for visit in range(2):
    x = torch.ones(2, 3)
    loss = f(x).sum()
    x.data.mul_(2)
    loss.backward()
print(sizes, w.grad.tolist())
"""


@pytest.mark.whole
def test_compiled_regions_are_the_same_and_what_they_saved_is_compared(programs: Programs) -> None:
    run = programs.run(COMPILED, watched=True, values=True)

    assert run.comparable == programs.run(COMPILED, watched=False).comparable
    assert run.end["raised"] is None
    assert [
        (finding["saved"]["op"], [each["line"] for each in finding["writes"]])
        for finding in run.findings
    ] == [("CompiledFunctionBackward", [29])] * 2


@pytest.mark.whole
def test_what_a_compiled_region_saved_is_of_the_line_that_calls_it(programs: Programs) -> None:
    source = """\
import torch
w = torch.ones(3, 3, requires_grad=True)
x = torch.ones(2, 3)
f = torch.compile(lambda x: x @ w, backend="aot_eager")
loss = f(x).sum()
x.mul_(2)
loss.backward()
"""
    run = programs.run(source, watched=True, values=1)

    saved = run.findings[0]["saved"]
    own = [(each["line"], each["function"]) for each in saved["frames"] if not each["library"]]
    assert own[0] == (5, "<module>")  # those that started the program follow


@pytest.mark.whole
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_module_is_told_by_the_line_that_calls_it_and_by_its_own_names(
    programs: Programs, backend: str
) -> None:
    source = f"""\
import torch
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)
    def forward(self, x):
        return torch.exp(self.fc(x))
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = torch.compile(Block(), backend="{backend}")
    def forward(self, x):
        h = self.block(x)
        h += 1
        return h
net = Net()
loss = net(torch.ones(2, 3)).sum()
loss.backward()
"""
    saved = programs.run(source, watched=True).findings[0]["saved"]

    own = [(each["line"], each["function"]) for each in saved["frames"] if not each["library"]]
    assert own[:2] == [(13, "forward"), (17, "<module>")]
    assert "_orig_mod" not in str(saved)
    assert "eval_with_key" not in str(saved)
    if backend == "aot_eager":
        assert saved["parameters"] == ["Net.block.fc.weight", "Net.block.fc.bias"]


WHERE_GRADIENTS_ARE_SWITCHED = {
    "a closure of an optimizer": """
optimizer = torch.optim.SGD([a], lr=0.1)
def closure():
    optimizer.zero_grad()
    y = a.exp()
    y.data.mul_(2)
    y.sum().backward()
optimizer.step(closure)
""",
    "an optimizer of the program's own": """
class Own(torch.optim.Optimizer):
    def __init__(self): super().__init__([a], {})
    def step(self):
        y = a.exp()
        y.data.mul_(2)
        y.sum().backward()
Own().step()
""",
    "an optimizer that is differentiated": """
optimizer = torch.optim.SGD([b := a * 1], lr=1.0, differentiable=True)
b.grad = torch.ones(2)
optimizer.step()
y = b.exp()
y.data.mul_(2)
y.sum().backward()
""",
    "a mode that was entered where there are none": """
with torch.no_grad(), Mode(), torch.enable_grad():
    y = a.exp()
    y.data.mul_(2)
    y.sum().backward()
""",
    "after a mode that outlives a switch": """
mode = Mode()
with torch.no_grad():
    mode.__enter__()
y = a.exp()
mode.__exit__(None, None, None)
y.data.mul_(2)
y.sum().backward()
""",
    "after an optimizer that failed": """
optimizer = torch.optim.SGD([a], lr=0.1)
def closure():
    raise KeyError
try:
    optimizer.step(closure)
except KeyError:
    pass
y = a.exp()
y.data.mul_(2)
y.sum().backward()
""",
    "a generator that is left in the middle": """
@torch.no_grad()
def numbers():
    yield 1
    yield 2
next(numbers())
y = a.exp()
y.data.mul_(2)
y.sum().backward()
""",
    "a function that may be called": """
@torch.set_grad_enabled(True)
def made():
    return a.exp()
with torch.inference_mode(), torch.inference_mode(False):
    y = made()
y.data.mul_(2)
y.sum().backward()
""",
}


@pytest.mark.parametrize("where", WHERE_GRADIENTS_ARE_SWITCHED)
def test_a_change_is_found_wherever_gradients_were_switched(programs: Programs, where: str) -> None:
    source = f"""\
import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {{}}))
a = torch.ones(2, requires_grad=True)
{WHERE_GRADIENTS_ARE_SWITCHED[where]}
others = {{"AfterEachCall"}}
others = {{type(each).__name__ for each in _get_current_function_mode_stack()}} - others
print(torch.is_grad_enabled(), [*others])
"""
    run = programs.run(source, watched=True, values=True)

    assert run.end["raised"] is None
    assert run.end["out"] == "True []\n"
    assert run.comparable == programs.run(source, watched=False).comparable
    (finding,) = run.findings
    assert (finding["category"], finding["saved"]["op"]) == ("silently-wrong", "ExpBackward0")


def test_that_samples_were_compared_is_said(programs: Programs) -> None:
    source = """\
import torch
from inplace_tui import blame
x = torch.ones({}, requires_grad=True)
with blame.watch(values=True):
    x.exp().sum().backward()
"""
    said = [programs.run(source.format(2**22 + more), watched=False).end for more in (0, 1)]
    assert said[0]["error_out"] == ""
    assert "above 16 MiB, samples were compared" in said[1]["error_out"]
