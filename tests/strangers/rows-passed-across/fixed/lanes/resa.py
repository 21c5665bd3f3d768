import torch
from torch import nn
from torch.nn import functional as F


class RESA(nn.Module):
    """Each row (then each column) gets something of the rows at growing distances."""

    def __init__(self, channels, size, iterations=2, alpha=2.0, kernel=3):
        super().__init__()
        self.iterations, self.alpha = iterations, alpha
        self.length = dict(zip("dr", size))
        pads = {"d": (1, kernel), "r": (kernel, 1)}
        self.convs = nn.ModuleDict()
        for direction, shape in pads.items():
            padding = tuple(side // 2 for side in shape)
            for i in range(iterations):
                conv = nn.Conv2d(channels, channels, shape, padding=padding, bias=False)
                self.convs[f"{direction}{i}"] = conv

    def shifted(self, direction, i):
        length = self.length[direction]
        return (torch.arange(length) + length // 2 ** (self.iterations - i)) % length

    def forward(self, x):
        for i in range(self.iterations):
            idx = self.shifted("d", i)
            x = x.add(self.alpha * F.relu(self.convs[f"d{i}"](x[..., idx, :])))
        for i in range(self.iterations):
            idx = self.shifted("r", i)
            x = x.add(self.alpha * F.relu(self.convs[f"r{i}"](x[..., idx])))
        return x
