import torch
import torch.nn as nn
import torch.nn.functional as F

from layers import SynchronousGraphLayer


def space_time_adjacency(graph, steps=3):
    nodes = len(graph)
    adjacency = torch.block_diag(*[graph] * steps) + torch.eye(steps * nodes)
    for step in range(steps - 1):
        low, middle, high = step * nodes, (step + 1) * nodes, (step + 2) * nodes
        adjacency[low:middle, middle:high] = torch.eye(nodes)
        adjacency[middle:high, low:middle] = torch.eye(nodes)
    return adjacency / adjacency.sum(dim=1, keepdim=True)


class TrafficForecaster(nn.Module):
    def __init__(self, graph, steps=7, width=16, depth=2):
        super().__init__()
        nodes = len(graph)
        self.register_buffer("adjacency", space_time_adjacency(graph))
        self.lift = nn.Linear(1, width)
        self.layers = nn.ModuleList(
            SynchronousGraphLayer(steps - 2 * i, nodes, width) for i in range(depth))
        self.output = nn.Linear((steps - 2 * depth) * width, 1)

    def forward(self, speeds):
        data = torch.relu(self.lift(speeds))
        for layer in self.layers:
            data = layer(data, self.adjacency)
        return self.output(data.transpose(1, 2).flatten(2))


def main():
    torch.manual_seed(0)
    graph = (torch.rand(6, 6) > 0.6).float()
    model = TrafficForecaster(((graph + graph.t()) > 0).float())
    time = torch.arange(8).view(1, 8, 1, 1) + 6.0 * torch.rand(10, 1, 6, 1)
    speeds = torch.sin(0.7 * time)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(15):
        loss = F.smooth_l1_loss(model(speeds[:, :7]), speeds[:, 7])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
