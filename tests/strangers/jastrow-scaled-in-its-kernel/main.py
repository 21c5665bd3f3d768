import torch
from jastrow import JastrowFactor
from torch import nn


class SlaterJastrow(nn.Module):
    def __init__(self):
        super().__init__()
        self.zeta = nn.Parameter(torch.tensor(1.1, dtype=torch.double))
        self.jastrow = JastrowFactor()

    def forward(self, pos):
        return self.jastrow(pos) * torch.exp(-self.zeta * pos.norm(dim=-1).sum(-1))

    def local_energy(self, pos):
        pos = pos.detach().requires_grad_()
        psi = self(pos)

        def grad(f):
            return torch.autograd.grad(f.sum(), pos, create_graph=True)[0]

        first = grad(psi)
        laplacian = sum(grad(first[..., e, i])[..., e, i] for e in range(2) for i in range(3))
        nuclear = -2 * (1 / pos.norm(dim=-1)).sum(-1)
        repulsion = 1 / (pos[:, 0] - pos[:, 1]).norm(dim=-1)
        return -0.5 * laplacian / psi + nuclear + repulsion


torch.manual_seed(19)
wave_function = SlaterJastrow().double()
optimizer = torch.optim.Adam(wave_function.parameters(), lr=1e-2)
for epoch in range(3):
    walkers = torch.randn(20, 2, 3, dtype=torch.double)
    energy = wave_function.local_energy(walkers)
    loss = energy.var()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {energy.mean().item():.4f}, variance {loss.item():.4f}")
