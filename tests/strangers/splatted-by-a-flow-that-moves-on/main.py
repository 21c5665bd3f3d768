import torch
from softsplat import softsplat
from torch import nn


class Interpolator(nn.Module):
    """The frame between two, from frames that are pushed along their flow, further each time."""

    def __init__(self, levels=2):
        super().__init__()
        self.levels = levels
        self.flow = nn.Conv1d(2, 1, 3, padding=1)
        self.refine = nn.ModuleList(nn.Conv1d(2, 1, 1) for _ in range(levels))
        self.metric = nn.Conv1d(1, 1, 1)

    def forward(self, one, two):
        flow = self.flow(torch.cat([one, two], 1))
        warped = []
        for level in range(self.levels):
            warped.append(softsplat(tenIn=one, tenFlow=flow, tenMetric=self.metric(one)))
            flow += 0.5 * self.refine[level](torch.cat([warped[-1], two], 1))
        return torch.stack(warped).mean(0)


torch.manual_seed(12)
net = Interpolator()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(3):
    one = torch.rand(3, 1, 10)
    two = one.roll(2, dims=2)
    loss = (net(one, two) - one.roll(1, dims=2)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
