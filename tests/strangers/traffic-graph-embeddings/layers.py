import torch
import torch.nn as nn


class PositionEmbedding(nn.Module):
    """Tells the layer which time step and which road sensor a feature belongs to."""

    def __init__(self, steps, nodes, width):
        super().__init__()
        self.temporal = nn.Parameter(torch.randn(1, steps, 1, width) * 0.1)
        self.spatial = nn.Parameter(torch.randn(1, 1, nodes, width) * 0.1)

    def forward(self, data):
        data += self.temporal
        data += self.spatial
        return data


class SynchronousGraphLayer(nn.Module):
    """Graph convolutions over windows of three time steps; two steps get lost."""

    def __init__(self, steps, nodes, width):
        super().__init__()
        self.nodes = nodes
        self.embedding = PositionEmbedding(steps, nodes, width)
        self.convolutions = nn.ModuleList(nn.Linear(width, width) for _ in range(steps - 2))

    def forward(self, data, adjacency):
        data = self.embedding(data)
        windows = []
        for start, convolution in enumerate(self.convolutions):
            window = data[:, start:start + 3].flatten(1, 2)
            window = torch.relu(convolution(adjacency @ window))
            windows.append(window[:, self.nodes:2 * self.nodes])
        return torch.stack(windows, dim=1)
