"""Fit a learned oscillator to the time at which its state stops moving downhill."""
import torch
from torch import nn

torch.manual_seed(0)
DT, HORIZON = 0.05, 60


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
        self.spring = nn.Parameter(torch.tensor(1.5))

    def forward(self, t, x):
        swing = torch.stack([x[..., 1], -self.spring * x[..., 0]], dim=-1)
        return swing + 0.1 * self.net(x)


def potential_slope(t, x):
    """Slope of the potential along the first coordinate: the event is its zero."""
    energy = (x[..., 0] ** 2).sum()
    (slope,) = torch.autograd.grad(energy, x, create_graph=True)
    return slope[0]


def step(field, t, x):
    half = x + 0.5 * DT * field(t, x)
    return x + DT * field(t + 0.5 * DT, half)


def solve_to_event(field, x, event):
    """Midpoint steps until the event changes its sign, then a linear guess inside the step."""
    t = torch.zeros(())
    with torch.no_grad():
        sign = torch.sign(event(t, x))
    for _ in range(HORIZON):
        following = step(field, t, x)
        with torch.no_grad():
            crossed = torch.sign(event(t + DT, following)) != sign
        if crossed:
            share = x[0] / (x[0] - following[0])
            return t + DT * share, torch.lerp(x, following, share)
        t, x = t + DT, following
    return t, x


field = Field()
start = torch.tensor([1.0, 0.0], requires_grad=True)
optimizer = torch.optim.Adam([*field.parameters(), start], lr=3e-2)
for epoch in range(12):
    time, state = solve_to_event(field, start, potential_slope)
    loss = (time - 1.0) ** 2 + 0.1 * (state[1] + 1.4) ** 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"event at {time.item():.3f}, loss {loss.item():.4f}")
