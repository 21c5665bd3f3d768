import torch
from odesolver.adaptive import odesolve
from torch import nn


class ODEFunc(nn.Module):
    def __init__(self, channels=6):
        super().__init__()
        self.norm1, self.norm2 = nn.BatchNorm1d(channels), nn.BatchNorm1d(channels)
        self.layer1, self.layer2 = nn.Linear(channels, channels), nn.Linear(channels, channels)

    def forward(self, t, x):
        out = torch.tanh(self.layer1(self.norm1(x)) + t)
        return self.layer2(self.norm2(out))


torch.manual_seed(21)
odefunc, head = ODEFunc(), nn.Linear(6, 3)
optimizer = torch.optim.SGD([*odefunc.parameters(), *head.parameters()], lr=0.05)
for batch in range(3):
    x, y = torch.randn(12, 6), torch.randint(3, (12,))
    state = odesolve(odefunc, x, options={"t0": 0.0, "t1": 1.0, "h": 0.5, "rtol": 5e-2})
    loss = nn.functional.cross_entropy(head(state), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"batch {batch}: {loss.item():.4f}")
