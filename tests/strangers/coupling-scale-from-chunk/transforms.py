import torch
from torch import nn


class AffineScale:
    """Turns the output of a network into a shift and a bounded scale."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def parameters_from(self, output):
        shift, log_scale = output.chunk(2, dim=1)
        scale = log_scale.mul_(0.5).tanh_().mul(self.alpha).add(1.0)
        return shift, scale

    def apply(self, values, shift, scale):
        return values * scale + shift, scale.log().sum(1)


class Coupling(nn.Module):
    def __init__(self, features, hidden=16, swap=False):
        super().__init__()
        self.half = features // 2
        self.swap = swap
        self.transform = AffineScale(alpha=0.9)
        self.net = nn.Sequential(nn.Linear(self.half, hidden), nn.ELU(), nn.Linear(hidden, 2 * self.half))

    def forward(self, x):
        first, second = x[:, : self.half], x[:, self.half :]
        if self.swap:
            first, second = second, first
        shift, scale = self.transform.parameters_from(self.net(first))
        second, log_det = self.transform.apply(second, shift, scale)
        parts = (second, first) if self.swap else (first, second)
        return torch.cat(parts, dim=1), log_det
