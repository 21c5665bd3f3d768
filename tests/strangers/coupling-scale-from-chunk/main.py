import math

import torch
from torch import nn
from transforms import Coupling

torch.manual_seed(11)


class Flow(nn.Module):
    def __init__(self, features=4, depth=4):
        super().__init__()
        self.steps = nn.ModuleList(Coupling(features, swap=bool(i % 2)) for i in range(depth))

    def log_prob(self, x):
        total = x.new_zeros(len(x))
        for step in self.steps:
            x, log_det = step(x)
            total = total + log_det
        base = -0.5 * (x.pow(2) + math.log(2 * math.pi)).sum(1)
        return base + total


def rings(count):
    angle = torch.rand(count, 2) * 2 * math.pi
    points = torch.cat([angle.cos(), angle.sin()], dim=1)
    return 2 * points + 0.1 * torch.randn(count, 4)


flow = Flow()
optimizer = torch.optim.Adamax(flow.parameters(), lr=0.01)
for step in range(30):
    negative = -flow.log_prob(rings(64)).mean()
    optimizer.zero_grad()
    negative.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 1.0)
    optimizer.step()
    if step % 10 == 9:
        print(f"step {step}: {negative.item():.4f}")
