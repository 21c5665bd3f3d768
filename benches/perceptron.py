"""The programs that are measured: two hundred steps of training, as people write them."""

from __future__ import annotations

WIDTHS = (32, 64, 128)

FINE = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear({width}, {width}), nn.ReLU(),
    nn.Linear({width}, {width}), nn.ReLU(),
    nn.Linear({width}, {width}),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, wanted = torch.randn({batch}, {width}), torch.randn({batch}, {width})
for step in range({steps}):
    optimizer.zero_grad()
    out = model(x)
    loss = nn.functional.mse_loss(out, wanted)
    loss.backward()
    optimizer.step()
"""

FAULT = """\
    if step == {steps} - 1:
        out.mul_(2)
"""

FAULTY = FINE.replace("    loss.backward()\n", f"{FAULT}    loss.backward()\n")
"""The last step writes what the loss has saved."""


def fine(width: int, *, batch: int = 32, steps: int = 200) -> str:
    """Return a loop that has nothing wrong with it."""
    return FINE.format(width=width, batch=batch, steps=steps)


def faulty(width: int, *, batch: int = 32, steps: int = 200) -> str:
    """Return a loop whose last backward raises."""
    return FAULTY.format(width=width, batch=batch, steps=steps)
