import torch
from torch import nn


class PadeJastrowKernel(nn.Module):
    """exp of w0 r / (1 + w r) for the distance r of two electrons."""

    def __init__(self, w=0.7):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([w]))
        self.register_buffer("static_weight", torch.tensor([0.5]))

    def forward(self, r):
        denominator = 1.0 + self.weight * r
        numerator = r
        numerator *= self.static_weight
        return torch.exp(numerator / denominator)


class JastrowFactor(nn.Module):
    def __init__(self):
        super().__init__()
        self.jastrow_kernel = PadeJastrowKernel()

    def forward(self, pos):
        r = (pos[:, 0] - pos[:, 1]).norm(dim=-1)
        return self.jastrow_kernel(r)
