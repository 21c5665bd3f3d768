"""A linear layer that rounds to a small number format with running scales."""
import torch
from torch import nn

LARGEST = 448.0
EPS = 1e-6


class ScaledLinear(nn.Module):
    def __init__(self, inputs, outputs, decay=0.9):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("input_scale", torch.tensor(EPS))
        self.register_buffer("weight_scale", torch.tensor(EPS))
        self.decay = decay

    def next_scale(self, scale, value):
        seen = value.abs().max() / LARGEST
        return torch.maximum(scale * self.decay, seen)

    @staticmethod
    def rounded(value, scale):
        """Round on the grid of the scale; the gradient passes straight through."""
        grid = value / scale
        grid = grid + (grid.round() - grid).detach()
        return grid * scale

    def forward(self, x):
        self.input_scale = self.next_scale(self.input_scale, x)
        self.weight_scale = self.next_scale(self.weight_scale, self.weight)
        x = self.rounded(x, self.input_scale)
        weight = self.rounded(self.weight, self.weight_scale)
        return nn.functional.linear(x, weight, self.bias)
