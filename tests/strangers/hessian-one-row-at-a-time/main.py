import torch
from derivatives import hessian
from torch import nn


class Energy(nn.Module):
    """A molecule's energy: springs along the chain, and a learned pull on each atom."""

    def __init__(self, atoms):
        super().__init__()
        self.stiffness = nn.Parameter(torch.full((atoms - 1,), 1.5))
        self.pull = nn.Parameter(torch.ones(atoms))

    def forward(self, x):
        stretch = x[1:] - x[:-1] - 1
        return (self.stiffness * stretch**2).sum() + (self.pull * x**4).sum()


torch.manual_seed(9)
energy = Energy(atoms=4)
x = torch.randn(4, requires_grad=True)
wanted = torch.diag(torch.tensor([4.0, 5.0, 6.0, 7.0]))
optimizer = torch.optim.SGD(energy.parameters(), lr=1e-3)
for step in range(3):
    H = hessian(energy(x), x, create_graph=True)
    loss = (H - wanted).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
