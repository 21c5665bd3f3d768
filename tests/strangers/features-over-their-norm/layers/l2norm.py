import torch
from torch import nn


class L2Norm(nn.Module):
    def __init__(self, n_channels, scale):
        super().__init__()
        self.eps = 1e-10
        self.weight = nn.Parameter(torch.full((n_channels,), float(scale)))

    def forward(self, x):
        norm = x.pow(2).sum(1, keepdim=True).sqrt() + self.eps
        x /= norm
        return self.weight[None, :, None, None] * x
