"""Writes that autograd does not record, to what is used afterwards; the oracle is the twin."""

from __future__ import annotations

import pytest
import torch

from inplace_tui.common.run.doubt import Reason
from inplace_tui.common.run.outcome import NotReproducible, Right, Truth
from inplace_tui.common.run.program import Limits, Origin, Program
from inplace_tui.diagnosis.drive.runs import verify
from inplace_tui.diagnosis.runner.worker import Worker

pytestmark = pytest.mark.asyncio(loop_scope="session")

BEGIN = """\
import torch
from torch import nn
torch.manual_seed(0)
a = torch.tensor([1., -2., 3.], dtype=torch.float64, requires_grad=True)
x = a * 3
"""


async def told(worker: Worker, source: str) -> Truth:
    return await verify(worker, Program(source=source, origin=Origin.OWN), Limits(seconds=30))


def delivered(source: str, values: list[float] | None = None) -> tuple[list[float], float]:
    """Return the gradient of `a` and the loss of a program that ends with `loss.backward()`."""
    if values is not None:
        source = source.replace("[1., -2., 3.]", str(values))
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(compile(source, "program", "exec"), namespace)
    a, loss = namespace["a"], namespace["loss"]
    assert isinstance(a, torch.Tensor)
    assert isinstance(loss, torch.Tensor)
    return ([] if a.grad is None else a.grad.tolist()), loss.item()


def by_differences(source: str) -> list[float]:
    """Return the derivative of the last loss by `a`, as the program computes it."""
    found = []
    for index in range(3):
        ends = []
        for step in (1e-5, -1e-5):
            values = [1.0, -2.0, 3.0]
            values[index] += step
            ends.append(delivered(source, values)[1])
        found.append((ends[0] - ends[1]) / 2e-5)
    return found


LOSS = "loss = ((x + 5) ** 2).sum(); loss.backward()\n"
FALSE = {
    "data": "x.data.mul_(2)\n",
    "detach": "x.detach().mul_(2)\n",
    "no_grad": "with torch.no_grad(): x.mul_(2)\n",
    "operator": "with torch.no_grad(): x *= 2\n",
    "setitem": "x.data[0] = 0\n",
    "fill": "x.data.fill_(1)\n",
    "clamp": "x.data.clamp_(0)\n",
    "assigned": "x.data = x.data * 2\n",
    "copy": "with torch.no_grad(): x.copy_(x * x)\n",
    "a view's data": "x[1:].data.mul_(2)\n",
    "a view of data": "x.data[1:].mul_(2)\n",
    "a view under no_grad": "with torch.no_grad(): x[1:].mul_(2)\n",
    "an alias of an alias": "y = x.detach().view(3, 1).data; y.exp_()\n",
    "by itself": "x.data.add_(x.data)\n",
    "by a part of itself": "x.data.sub_(0.5 * x.data)\n",
    "its view is used": "y = x.view(3, 1); x.data.mul_(2); x = y\n",
    "out": "with torch.no_grad(): torch.mul(x, 2, out=x)\n",
    "out of data": "torch.exp(x.data, out=x.data)\n",
    "a function": "torch.exp_(x.data)\n",
    "a functional": "nn.functional.relu(x.data, inplace=True)\n",
    "a parameter on its memory": "p = nn.Parameter(x.detach())\nwith torch.no_grad(): p.mul_(2)\n",
    "one of several views": "x, *_ = x.chunk(1); x.data.mul_(2)\n",
    "windows that overlap": "x.detach().unfold(0, 2, 1).mul_(2)\n",
    "apply": "x.detach().apply_(lambda each: 2 * each)\n",
    "numpy": "n = x.detach().numpy()\nn *= 2\n",
    "numpy in a function": (
        "def write(n):\n    n[0] = 7\n    n[1:] = n[:2]\nwrite(x.detach().numpy())\n"
    ),
    "numpy at once": "x.detach().numpy()[...] *= 2\n",
    "an array": "import numpy as np\nnp.asarray(x.data)[1] = 3\n",
    "dlpack": "n = torch.from_dlpack(x.data)\nn *= 2\n",
    "small beside large": (
        "x = x * torch.tensor([1e14, 1., 1.])\n"
        "x.data.mul_(torch.tensor([1., 1.01, 1.01]))\nx = x[1:]\n"
    ),
    "in a loop": "for _ in range(3): x.data.mul_(2); x = x * 1\n",
    "in forward": (
        "class Net(nn.Module):\n"
        "    def forward(self, h):\n"
        "        h.data.mul_(2)\n"
        "        return h * 1\n"
        "x = Net()(x)\n"
    ),
    "in a hook": (
        "net = nn.Identity()\n"
        "net.register_forward_hook(lambda m, i, out: [out.data.mul_(2), None][1])\n"
        "x = net(x * 1)\n"
    ),
}
ROOT = "x = x.sum(); x.data.div_(4); loss = x; loss.backward()\n"


@pytest.mark.parametrize("name", FALSE)
@pytest.mark.whole(every=6)
async def test_a_write_that_is_not_recorded_before_a_use_is_a_doubt(
    worker: Worker, name: str
) -> None:
    """The derivative of what ran is another one than the graph's, and no error says so."""
    source = BEGIN + FALSE[name] + LOSS
    assert delivered(source)[0] != pytest.approx(by_differences(source), rel=1e-4)

    truth = await told(worker, source)

    assert isinstance(truth, NotReproducible)
    assert (truth.reason, truth.backward) == (Reason.WRITTEN, 1)


RIGHT = {
    "a constant is added": "x.data.add_(1)\n",
    "a constant is taken away": "with torch.no_grad(): x -= 0.5\n",
    "of an element": "x.data[0] += 1\n",
    "out of place": "x.data = x.data + 1\n",
    "a leaf's value is added": "b = torch.ones(3, requires_grad=True); x.data.add_(b.data)\n",
    "the same bytes": "x.data.copy_(x.data.clone())\n",
    "nothing to clamp": "x.data.clamp_(-100, 100)\n",
    "dead elements": "x.data[1] = 0; x = x * torch.tensor([1., 0., 1.])\n",
    "after the use": "y = x.sum(); x.data.mul_(2); x = y\n",
    "recorded": "x.mul_(2); x[0] = 0\n",
    "recorded beside an alias": "y = x.detach(); x.mul_(2)\n",
    "a copy": "y = x.detach().clone(); y.mul_(2)\n",
    "without a graph": "x = x.detach(); x.mul_(2); x = x * a\n",
    "detached in place": "h = x * 1; h.detach_(); h.mul_(0); x = x + h\n",
    "overwritten": "x.data.mul_(2); x.copy_(a * 3)\n",
    "an array is read": "n = x.detach().numpy()\nm = n * 2\n",
    "an array moves": "n = x.detach().numpy()\nn += 1\n",
    "a constant beside 1000": "x = x * torch.tensor([1e3, 1., 1.]); x.data = x.data + 1\n",
    "an array later": "n = x.detach().numpy()\ny = x.sum()\nn *= 2\nx = y\n",
    "an array of what is written": "n = x.detach().numpy()\nx.mul_(2)\nx = x + 1\n",
    "an array, and torch writes": "n = x.detach().numpy()\nx.data.add_(1)\n",
    "asked for": "y = x.sum(); x.data.add_(1); print(torch.autograd.grad(x.sum(), x))\n",
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.whole(every=3)
async def test_a_write_that_leaves_the_derivative_as_it_is_is_right(
    worker: Worker, name: str
) -> None:
    source = BEGIN + RIGHT[name] + LOSS

    if name != "without a graph":  # that writes to what is a constant: a difference sees a
        assert delivered(source)[0] == pytest.approx(by_differences(source), rel=1e-4)
    assert await told(worker, source) == Right()


@pytest.mark.parametrize(
    "asked",
    [
        "loss.backward(inputs=[x])",
        "loss.backward(inputs=[a, x])",
        "x.retain_grad(); loss.backward()",
        "a.grad, = torch.autograd.grad(loss, x)",
    ],
)
async def test_a_gradient_that_is_asked_of_what_was_written_is_never_called_wrong(
    worker: Worker, asked: str
) -> None:
    """Torch adds up what comes from before the write and from behind it."""
    loss = f"y = x * 2\nx.data.mul_(2)\nloss = (y + x * 5).sum()\n{asked}\n"

    truth = await told(worker, BEGIN + loss)

    assert isinstance(truth, NotReproducible)
    assert (truth.reason, truth.line) == (Reason.WRITTEN, 7)
