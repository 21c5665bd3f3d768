import torch
from torch import nn


class BoxCoder(nn.Module):
    """Turn predicted offsets into sampling points inside each patch of a series."""

    def __init__(self, length, patches, points):
        super().__init__()
        self.length = length
        self.register_buffer("anchor", (torch.arange(patches) + 0.5) * length / patches)
        self.register_buffer("ticks", torch.linspace(0, 1, points))
        self.half = 0.5 * length / patches

    def decode(self, offsets):
        center = self.anchor + torch.tanh(offsets[..., 0]) * self.half
        half = self.half * torch.exp(0.3 * torch.tanh(offsets[..., 1]))
        bound = torch.stack([center - half, center + half], dim=-1)
        return bound.clamp(0, self.length - 1)

    def meshgrid(self, bound):
        low, high = bound[..., :1], bound[..., 1:]
        return low + (high - low) * self.ticks

    def forward(self, offsets):
        self.bound = self.decode(offsets)
        points = self.meshgrid(self.bound)
        return points, self.bound


class DeformablePatch(nn.Module):
    def __init__(self, length=24, patches=4, points=5):
        super().__init__()
        self.offset = nn.Linear(length, patches * 2)
        self.box_coder = BoxCoder(length, patches, points)
        self.patches = patches

    def forward(self, series):
        offsets = self.offset(series).view(-1, self.patches, 2)
        points, _ = self.box_coder(offsets)
        left = points.floor().long().clamp(max=series.shape[1] - 2)
        frac = points - left
        rows = torch.arange(series.shape[0]).view(-1, 1, 1)
        return (1 - frac) * series[rows, left] + frac * series[rows, left + 1]
