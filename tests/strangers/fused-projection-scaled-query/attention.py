"""Multi-head self-attention with one fused projection, time first."""
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.head_dim = width // heads
        self.scaling = self.head_dim ** -0.5
        self.in_proj = nn.Linear(width, 3 * width)
        self.out_proj = nn.Linear(width, width)

    def split_heads(self, x):
        steps, batch, _ = x.shape
        return x.contiguous().view(steps, batch * self.heads, self.head_dim).transpose(0, 1)

    def forward(self, x):
        steps, batch, width = x.shape
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        q *= self.scaling
        q, k, v = self.split_heads(q), self.split_heads(k), self.split_heads(v)
        weights = torch.bmm(q, k.transpose(1, 2)).softmax(dim=-1)
        mixed = torch.bmm(weights, v).transpose(0, 1).reshape(steps, batch, width)
        return self.out_proj(mixed)
