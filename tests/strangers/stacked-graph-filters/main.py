"""Classify the nodes of a small graph with parallel stacks of recursive filters."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class FilterStacks(nn.Module):
    """Several stacks, each of several propagation layers with a skip from the input."""

    def __init__(self, width_in, width_out, stacks=3, layers=2):
        super().__init__()
        self.stacks, self.layers = stacks, layers
        self.first = nn.ModuleList(nn.Linear(width_in, width_out, bias=False) for _ in range(stacks))
        self.later = nn.ModuleList(nn.Linear(width_out, width_out, bias=False) for _ in range(stacks))
        self.skip = nn.ModuleList(nn.Linear(width_in, width_out) for _ in range(stacks))

    def forward(self, adjacency, x):
        output = None
        for k in range(self.stacks):
            feats = x
            for layer in range(self.layers):
                weight = self.first[k] if layer == 0 else self.later[k]
                feats = F.relu(adjacency @ weight(feats) + self.skip[k](x))
            if output is None:
                output = feats
            else:
                output += feats
        return output / self.stacks


def ring_of_communities(nodes=24):
    labels = torch.arange(nodes) // (nodes // 3)
    same = (labels[:, None] == labels[None, :]).float()
    adjacency = ((torch.rand(nodes, nodes) < 0.15 + 0.4 * same).float() + torch.eye(nodes)).clamp(max=1)
    adjacency = torch.maximum(adjacency, adjacency.T)
    scale = adjacency.sum(dim=1).rsqrt()
    return scale[:, None] * adjacency * scale[None, :], labels


def main():
    adjacency, labels = ring_of_communities()
    x = torch.randn(24, 6) + F.one_hot(labels, 6)
    hidden, final = FilterStacks(6, 8), FilterStacks(8, 3)
    optimizer = torch.optim.Adam([*hidden.parameters(), *final.parameters()], lr=1e-2)
    for step in range(20):
        scores = final(adjacency, hidden(adjacency, x))
        loss = F.cross_entropy(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
