"""Modules are named as a reader finds them: path, class, and the line that made them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from inplace_tui.common.command.settings import Leads
from inplace_tui.common.run.lookup import step_of
from inplace_tui.common.run.outcome import Unverified
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.diagnosis.blame.modules import modules_of
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.explain.explanation import NamedModule, explanation
from inplace_tui.diagnosis.explain.report import rows
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = "import torch\nfrom torch import nn\n"
RUN = "Net()(torch.randn(2, 3, 4)).square().sum().backward()\n"


class Case(NamedTuple):
    """A program, and what it is to be told of the modules in it."""

    name: str
    source: str
    writer: NamedModule
    saver: NamedModule | None
    said: str


def named(path: str, name: str, line: int, *, is_hooked: bool = False) -> NamedModule:
    return NamedModule(path=path, name=name, file="train.py", line=line, is_hooked=is_hooked)


CASES = (
    Case(
        "a sequence",
        "net = nn.Sequential(\n"
        "    nn.Linear(4, 4),\n"
        "    nn.ReLU(),\n"
        "    nn.Dropout(0.5, inplace=True),\n"
        ")\n"
        "net(torch.randn(2, 4)).sum().backward()\n",
        named("net[2]", "Dropout(inplace=True)", 6),
        named("net[1]", "ReLU", 5),
        "by net[2], the Dropout(inplace=True) made on line 6.",
    ),
    Case(
        "a block of the library",
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.block = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)\n"
        "        for each in self.modules():\n"
        "            if isinstance(each, nn.Dropout):\n"
        "                each.inplace = True\n"
        "    def forward(self, x):\n"
        f"        return self.block(x)\n{RUN}",
        named("self.block", "TransformerEncoderLayer", 6),
        None,
        "by self.block, the TransformerEncoderLayer made on line 6.",
    ),
    Case(
        "a list of modules that a loop runs",
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layers = nn.ModuleList([\n"
        "            nn.Linear(4, 4),\n"
        "            nn.Sigmoid(),\n"
        "            nn.ReLU(inplace=True),\n"
        "        ])\n"
        "    def forward(self, x):\n"
        "        for layer in self.layers:\n"
        "            x = layer(x)\n"
        f"        return x\n{RUN}",
        named("self.layers[2]", "ReLU(inplace=True)", 9),
        named("self.layers[1]", "Sigmoid", 8),
        "by self.layers[2], the ReLU(inplace=True) made on line 9.",
    ),
    Case(
        "two lists that a loop runs together",
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.blocks = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])\n"
        "        self.acts = nn.ModuleList([nn.Sigmoid(), nn.Tanh()])\n"
        "        self.drop = nn.Dropout(0.5, inplace=True)\n"
        "    def forward(self, x):\n"
        "        for block, act in zip(self.blocks, self.acts):\n"
        "            x = self.drop(act(block(x)))\n"
        f"        return x\n{RUN}",
        named("self.drop", "Dropout(inplace=True)", 8),
        named("self.acts[1]", "Tanh", 7),
        "by self.drop, the Dropout(inplace=True) made on line 8.",
    ),
    Case(
        "a hook that writes",
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.first, self.act = nn.Linear(4, 4), nn.Tanh()\n"
        "        self.act.register_forward_hook(self.scale)\n"
        "    def scale(self, module, inputs, output):\n"
        "        output.mul_(2)\n"
        "    def forward(self, x):\n"
        f"        return self.act(self.first(x))\n{RUN}",
        named("self.act", "Tanh", 6, is_hooked=True),
        named("self.act", "Tanh", 6),
        "by a hook on self.act, the Tanh made on line 6.",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda each: each.name)
@pytest.mark.whole(every=5)
async def test_the_module_that_wrote_is_named(worker: Worker, case: Case) -> None:
    program = Program(source=HEAD + case.source, origin=Origin.OWN, seed=0)

    found = await explain(worker, program, Options(budget=120.0))

    told = explanation(found, file="train.py", lesson=None)
    assert told.victim is not None
    assert told.culprits[0].module == case.writer
    assert told.victim.module == case.saver
    page = rows(found, file="train.py", leads=Leads(), language="en", room=400)
    assert any(case.said in row.text for row in page)


async def test_where_a_backward_hook_stands_the_module_that_may_not_write_is_to_be_mended(
    worker: Worker,
) -> None:
    """The hook makes the output a view of a custom Function's, which nobody may write."""
    source = (
        "net = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(inplace=True)))\n"
        "net[0].register_full_backward_hook(lambda *_: None)\n"
        "net(torch.randn(2, 4)).sum().backward()\n"
    )
    program = Program(source=HEAD + source, origin=Origin.OWN, seed=0)

    found = await explain(worker, program, Options(budget=120.0))

    assert [each.title.en for each in found.fixes[:1]] == [
        "Let `ReLU` (line 3) return a new tensor: no `inplace=True`"
    ]


NET = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
STEP = (
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    "for each in net.parameters():\n"
    "    each.grad = torch.ones_like(each)\n"
)
CELL = "class Cell(nn.Module):\n    def __init__(self):\n        super().__init__()\n"

WEIGHTS = {
    "a linear layer beside a cell": (
        f"{NET}        self.message, self.cell = nn.Linear(2, 3), nn.GRUCell(3, 4)\n"
        "    def forward(self, x, h):\n"
        "        return self.cell(self.message(x), h)\n"
        "net = Net()\n"
        "h = net(torch.ones(1, 2), torch.ones(1, 4))\n"
        f"loss = net(torch.ones(1, 2), h).sum()\n{STEP}",
        ("self.cell.weight_hh", "self.cell"),
    ),
    "both weights of a cell have one shape": (
        "net = nn.GRUCell(4, 4)\n"
        "h = net(torch.ones(1, 4), torch.ones(1, 4))\n"
        f"loss = net(h, h).sum()\n{STEP}",
        ("net.weight_hh", "net"),
    ),
    "two layers of one shape": (
        f"{NET}        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)\n"
        "    def forward(self, x):\n"
        "        return self.second(torch.tanh(self.first(x)))\n"
        f"net = Net()\nloss = net(torch.ones(1, 4)).sum()\n{STEP}",
        ("self.second.weight", "self.second"),
    ),
    "what is inside is not made on a line of this class": (
        f"{CELL}        self.inner = nn.Linear(3, 3)\n"
        "    def weighed(self, x):\n"
        "        return x @ self.inner.weight.t()\n"
        f"{NET}        self.message, self.cell = nn.Linear(3, 3), Cell()\n"
        "    def forward(self, x):\n"
        "        return self.cell.weighed(self.message(x))\n"
        f"net = Net()\nloss = net(torch.ones(1, 3)).sum()\n{STEP}",
        ("self.inner.weight", None),
    ),
    "another class gives the same name to another module": (
        f"{CELL}        self.f = nn.Linear(4, 4)\n"
        "    def forward(self, x):\n"
        "        return self.f(x)\n"
        "class Net(nn.Module):\n    def __init__(self, f):\n"
        "        super().__init__()\n"
        "        self.f = f\n"
        "    def forward(self, x):\n"
        "        return self.f(x, x)\n"
        f"net = Net(nn.GRUCell(4, 4))\nh = Cell()(torch.ones(1, 4))\nloss = net(h).sum()\n{STEP}",
        ("self.f.weight_hh", None),
    ),
    "a class has it from the class above": (
        f"class Base(nn.Module):\n{NET.partition(chr(10))[2]}"
        "        self.f, self.g = nn.Linear(4, 4), nn.Linear(4, 4)\n"
        "class Net(Base):\n    def forward(self, x):\n"
        "        return self.g(self.f(x).exp())\n"
        f"net = Net()\nloss = net(torch.ones(1, 4)).sum()\n{STEP}",
        ("self.g.weight", "self.g"),
    ),
    "two weights lie in one memory": (
        f"{NET}        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)\n"
        "        flat = torch.ones(8)\n"
        "        self.a.weight.data = flat[:4].view(2, 2)\n"
        "        self.b.weight.data = flat[4:].view(2, 2)\n"
        "    def forward(self, x):\n"
        "        return self.b(self.a(x))\n"
        "net = Net()\n"
        f"loss = net(torch.ones(1, 2, requires_grad=True)).sum()\n{STEP}",
        ("self.b.weight", "self.b"),
    ),
}


@pytest.mark.parametrize("name", WEIGHTS)
async def test_the_weight_that_is_named_is_the_one_that_backward_met(
    worker: Worker, name: str
) -> None:
    """One of equal shape is another weight."""
    source, expected = WEIGHTS[name]
    source = f"{HEAD}{source}opt.step()\nloss.backward()\n"
    program = Program(source=source, origin=Origin.OWN, seed=0)
    timeline = await record(worker, program, Limits())

    found = find_blame(timeline, Unverified(), source=source)

    assert found is not None
    assert found.saver is not None
    module = modules_of(source, found).saver
    assert (found.saver.tensor, None if module is None else module.path) == expected
    step = step_of(timeline, found.writes[0])
    assert step is not None
    written = timeline.at(step.index).tensors[found.writes[0].tensor or 0]
    own = expected[0].partition(".")[2]
    assert any(each.endswith(f".{own}") for each in written.names)
