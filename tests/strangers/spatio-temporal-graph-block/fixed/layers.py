"""A spatio-temporal block: gated convolutions over time around a graph convolution."""
import torch
from torch import nn


class TimeGate(nn.Module):
    def __init__(self, inputs, outputs, width=3):
        super().__init__()
        self.value = nn.Conv2d(inputs, outputs, (width, 1))
        self.gate = nn.Conv2d(inputs, outputs, (width, 1))

    def forward(self, x):
        x = x.permute(0, 3, 1, 2)
        h = torch.relu(self.value(x) * torch.sigmoid(self.gate(x)))
        return h.permute(0, 2, 3, 1)


class GraphConv(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x, adjacency):
        return adjacency @ self.linear(x)


class RoadBlock(nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.before = TimeGate(inputs, hidden)
        self.graph = GraphConv(hidden, hidden)
        self.after = TimeGate(hidden, outputs)

    def forward(self, x, adjacency):
        frames = self.before(x)
        mixed = torch.zeros_like(frames)
        for b in range(frames.size(0)):
            for t in range(frames.size(1)):
                mixed[b][t] = self.graph(frames[b][t], adjacency)
        return self.after(torch.relu(mixed))
