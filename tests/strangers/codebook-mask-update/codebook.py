"""Vector quantisation with a codebook that is learned by gradients and counts its use."""
import torch
from torch import nn


class Codebook(nn.Module):
    def __init__(self, codes, width, decay=0.9):
        super().__init__()
        self.decay = decay
        self.embed = nn.Parameter(torch.randn(codes, width))
        self.register_buffer("usage", torch.ones(codes))

    def forward(self, x, mask):
        flat, mask = x.flatten(0, 1), mask.flatten()
        distance = torch.cdist(flat.detach(), self.embed.detach())
        index = distance.argmin(dim=-1)
        one_hot = nn.functional.one_hot(index, self.embed.size(0)).to(x.dtype)
        quantized = one_hot @ self.embed
        if self.training:
            one_hot[~mask] = 0.0
            self.usage.lerp_(one_hot.sum(dim=0), 1 - self.decay)
        commitment = (flat - quantized).square().mean(dim=-1)[mask].mean()
        passed = flat + (quantized - flat).detach()
        return passed.view_as(x), index.view(x.shape[:2]), commitment
