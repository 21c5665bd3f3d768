"""Particles of a soft body: learn a displacement field that keeps its volume."""
import torch
from torch import nn

torch.manual_seed(0)
particles = 12


class Displacement(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, x):
        return self.net(x)


def deformation_gradient(x, displacement):
    """Identity plus the derivative of the displacement, one matrix for each particle."""
    gradient = torch.eye(2).unsqueeze(0).expand(len(x), 2, 2).clone()
    for i in range(2):
        (row,) = torch.autograd.grad(displacement[:, i].sum(), x, create_graph=True)
        gradient[:, i, :] = torch.eye(2)[i] + row
    return gradient


field = Displacement()
optimizer = torch.optim.Adam(field.parameters(), lr=0.02)
rest = torch.rand(particles, 2, requires_grad=True)
for step in range(5):
    optimizer.zero_grad()
    moved = field(rest)
    volume = torch.linalg.det(deformation_gradient(rest, moved))
    pulled = (moved[:, 0] - 0.5 * rest[:, 0]).square().mean()
    loss = pulled + (volume - 1).square().mean()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 4), round(volume.mean().item(), 4))
