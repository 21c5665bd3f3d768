"""A chart that holds a vector and a score for every span of a sentence."""
import torch
from torch import nn


def cell(start, length, n):
    """The place of a span in the chart: shorter spans come first."""
    return sum(n - shorter for shorter in range(1, length)) + start


class InsideChart(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.compose = nn.Sequential(nn.Linear(2 * size, size), nn.Tanh())
        self.score = nn.Bilinear(size, size, 1)

    def forward(self, words):
        batch, n, size = words.shape
        vectors = words.new_zeros(batch, n * (n + 1) // 2, size)
        scores = words.new_zeros(batch, n * (n + 1) // 2, 1)
        vectors[:, :n] = torch.tanh(words)
        for length in range(2, n + 1):
            for start in range(n - length + 1):
                cuts = range(1, length)
                left = torch.tensor([cell(start, c, n) for c in cuts])
                right = torch.tensor([cell(start + c, length - c, n) for c in cuts])
                a, b = vectors.index_select(1, left), vectors.index_select(1, right)
                s = self.score(a, b) + scores.index_select(1, left) + scores.index_select(1, right)
                share = torch.softmax(s, dim=1)
                here = cell(start, length, n)
                vectors[:, here] = (share * self.compose(torch.cat([a, b], dim=-1))).sum(dim=1)
                scores[:, here] = (share * s).sum(dim=1)
        return vectors, scores
