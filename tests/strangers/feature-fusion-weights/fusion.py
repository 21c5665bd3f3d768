"""Weighted fusion of feature maps from different levels of a pyramid."""
import torch
from torch import nn
import torch.nn.functional as F


class FuseFeatures(nn.Module):
    def __init__(self, levels, channels, eps=1e-4):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(levels))
        self.weight_relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, maps):
        weight = self.weight_relu(self.weight)
        weight = weight / (weight.sum() + self.eps)
        size = maps[0].shape[-2:]
        fused = sum(w * F.interpolate(m, size=size) for w, m in zip(weight, maps))
        return self.conv(F.silu(fused))


class Pyramid(nn.Module):
    def __init__(self, channels=4):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.down = nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        self.fuse = FuseFeatures(2, channels)
        self.head = nn.Conv2d(channels, 1, 1)

    def forward(self, images):
        fine = self.stem(images)
        coarse = self.down(F.silu(fine))
        return self.head(self.fuse([fine, coarse]))
