"""A graph convolutional network on a dense weighted adjacency matrix."""
import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, features, hidden, classes, do_cache=True):
        super().__init__()
        self.lin1 = nn.Linear(features, hidden)
        self.lin2 = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(0.1)
        self.do_cache = do_cache
        self.adj_cache = None

    def normalised(self, nodes, edges, weights):
        if self.training and self.do_cache and self.adj_cache is not None:
            return self.adj_cache
        adj = torch.eye(nodes).index_put((edges[0], edges[1]), weights, accumulate=True)
        scale = adj.sum(dim=1).rsqrt()
        adj = scale.unsqueeze(1) * adj * scale.unsqueeze(0)
        if self.training and self.do_cache:
            self.adj_cache = adj
        return adj

    def forward(self, x, edges, weights):
        adj = self.normalised(x.size(0), edges, weights)
        hidden = self.dropout(torch.relu(adj @ self.lin1(x)))
        return adj @ self.lin2(hidden)
