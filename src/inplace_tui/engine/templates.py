"""Small whole programs to start from. What each does is stated here, and run by a test."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.model.lesson import ClaimedEnd, Grads


@dataclass(frozen=True)
class Template:
    """One program; what it is called stands in `texts/templates.py`."""

    id: str
    source: str
    ends: ClaimedEnd = ClaimedEnd.RUNS
    grads: Grads | None = Grads.RIGHT
    """None where it raises."""

    match: str = ""
    """Part of torch's message, where it raises."""


TEMPLATES = (
    Template(
        "leaf",
        """\
import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()

with torch.no_grad():
    w -= 0.1 * w.grad

print(w, w.is_leaf, w._version)
w.mul_(2)
""",
        ClaimedEnd.RAISES_BEFORE,
        None,
        "a leaf Variable that requires grad is being used in an in-place operation",
    ),
    Template(
        "saved",
        """\
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
print(x.grad)
""",
        ClaimedEnd.RAISES_IN_BACKWARD,
        None,
        "is at version 1; expected version 0",
    ),
    Template(
        "view",
        """\
import torch

x = torch.arange(6.0, requires_grad=True)
base = x * 1
row = base.view(2, 3)[0]
row.mul_(10)
print(base, base._version, row._base is base)

base.sum().backward()
print(x.grad)
""",
    ),
    Template(
        "data",
        """\
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.exp()
y.data.add_(1)
print(y._version)
y.sum().backward()
print(x.grad)
""",
        grads=Grads.WRONG,
    ),
    Template(
        "detach",
        """\
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.sigmoid()
copy = y.detach()
copy.zero_()
print(y, y._version)
y.sum().backward()
""",
        ClaimedEnd.RAISES_IN_BACKWARD,
        None,
        "is at version 1; expected version 0",
    ),
    Template(
        "sgd",
        """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(8, 2)
targets = inputs.sum(1, keepdim=True)

for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
""",
    ),
    Template(
        "gan",
        """\
import torch
from torch import nn

make = nn.Linear(2, 2)
judge = nn.Linear(2, 1)
make_step = torch.optim.SGD(make.parameters(), lr=0.1)
judge_step = torch.optim.SGD(judge.parameters(), lr=0.1)

real = torch.randn(4, 2)
fake = make(torch.randn(4, 2))
judge_loss = judge(fake.detach()).mean() - judge(real).mean()
make_loss = -judge(fake).mean()

judge_loss.backward()
judge_step.step()
make_step.zero_grad()
make_loss.backward()
make_step.step()
""",
        ClaimedEnd.RAISES_IN_BACKWARD,
        None,
        "modified by an inplace operation",
    ),
    Template(
        "hooks",
        """\
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.register_hook(lambda grad: grad.clamp(max=0.5))
y.retain_grad()
z = (y * y).sum()
z.backward()
print(y.grad, x.grad)
""",
    ),
    Template(
        "function",
        """\
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.clone()
z = Double.apply(y)
z.sum().backward()
print(y, x.grad)
""",
    ),
    Template(
        "checkpoint",
        """\
import torch
from torch.utils.checkpoint import checkpoint


def block(x):
    h = x.exp()
    return h.sin()


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = checkpoint(block, x, use_reentrant=False)
y.sum().backward()
print(x.grad)
""",
    ),
    Template(
        "modes",
        """\
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)

with torch.no_grad():
    a = x * 2
print(a.requires_grad, a.is_leaf)

with torch.inference_mode():
    b = x * 2
print(b.requires_grad, b.is_inference())

c = x * b
c.sum().backward()
""",
        ClaimedEnd.RAISES_BEFORE,
        None,
        "Inference tensors cannot be saved for backward",
    ),
    Template("empty", "import torch\n\n"),
)
"""In the order in which they are offered; the empty one is the last."""
