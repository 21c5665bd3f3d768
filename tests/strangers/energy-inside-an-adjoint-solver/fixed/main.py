import torch
from solver import odeint_adjoint
from torch import nn


class HamiltonianODE(nn.Module):
    """dq/dt = dH/dp, dp/dt = -dH/dq, of an energy that a network gives."""

    def __init__(self):
        super().__init__()
        self.energy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, t, x):
        with torch.enable_grad():
            x = x.clone().requires_grad_(True)
            h = self.energy(x)
            dh = torch.autograd.grad(h, x, grad_outputs=torch.ones_like(h), create_graph=True)[0]
        return torch.stack([dh[:, 1], -dh[:, 0]], dim=1)


torch.manual_seed(2)
func = HamiltonianODE()
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-3)
for itr in range(3):
    start = torch.randn(8, 2)
    angle = torch.tensor(0.5)
    turn = torch.stack([angle.cos(), angle.sin(), -angle.sin(), angle.cos()]).view(2, 2)
    optimizer.zero_grad()
    pred = odeint_adjoint(func, start, steps=10, dt=0.05)
    loss = (pred - start @ turn.T).abs().mean()
    loss.backward()
    optimizer.step()
    print(f"{itr:3d} | {loss.item():.5f}")
