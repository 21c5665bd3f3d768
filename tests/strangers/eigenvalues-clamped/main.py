import math

import torch
from torch import nn
from lazy import KroneckerLikeTensor


class Regression(nn.Module):
    """A Gaussian process; the kernel's eigenvalues give its determinant and its solves."""

    def __init__(self):
        super().__init__()
        self.raw = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in ("length", "noise")})

    def forward(self, x):
        length, noise = (nn.functional.softplus(self.raw[k]) for k in ("length", "noise"))
        covar = torch.exp(-0.5 * ((x[:, None] - x) / length).square())
        return KroneckerLikeTensor(covar), noise

    def negative_log_marginal(self, x, y):
        covar, noise = self(x)
        fit, logdet = covar.inv_quad_logdet(y, noise)
        return 0.5 * (fit + logdet + len(y) * math.log(2 * math.pi))


torch.manual_seed(7)
x = torch.linspace(0, 3, 12, dtype=torch.double)
y = torch.sin(2 * x) + 0.1 * torch.randn(12, dtype=torch.double)
model = Regression().double()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for i in range(3):
    optimizer.zero_grad()
    loss = model.negative_log_marginal(x, y)
    loss.backward()
    optimizer.step()
    print(f"{i}: {loss.item():.4f}")
