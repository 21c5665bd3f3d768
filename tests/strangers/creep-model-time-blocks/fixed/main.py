"""Fit a creep model whose implicit time steps are solved in one block of the chain."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
steps, batch, size, dt = 8, 3, 2, 0.1


class Creep(nn.Module):
    """Linear rates with a learnable stiffness and a memory of the step before."""

    def __init__(self):
        super().__init__()
        self.stiffness = nn.Parameter(torch.tensor([[-1.0, 0.2], [0.1, -0.5]]))
        self.memory = nn.Parameter(torch.eye(size) * 0.9)

    def blocks(self):
        diagonal = torch.eye(size) - dt * self.stiffness
        lower = -self.memory
        shape = (steps, batch, size, size)
        return diagonal.expand(shape), lower.expand(shape)


def solve_chain(diagonal, lower, loads):
    """Forward substitution for a block matrix with one band below the diagonal."""
    lu, pivots = torch.linalg.lu_factor(diagonal)
    v = loads.unsqueeze(-1).clone()
    v[0] = torch.linalg.lu_solve(lu[0], pivots[0], v[0])
    for i in range(1, steps):
        known = torch.bmm(lower[i], v[i - 1].clone())
        v[i] = torch.linalg.lu_solve(lu[i], pivots[i], v[i] - known)
    return v.squeeze(-1)


model = Creep()
loads = torch.rand(steps, batch, size)
measured = torch.cumsum(loads, dim=0) * 0.4
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(5):
    optimizer.zero_grad()
    strain = solve_chain(*model.blocks(), loads)
    loss = (strain - measured).square().mean()
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
