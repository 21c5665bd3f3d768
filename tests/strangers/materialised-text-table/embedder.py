import torch
from torch import nn


class HashTextEmbedder:
    """Embed each sentence by the hash of its characters, for tests without a language model."""

    def __init__(self, channels=6, bins=64):
        self.bins = bins
        self.embedding = nn.Embedding(bins, channels)

    def __call__(self, sentences):
        index = torch.tensor([sum(map(ord, s)) % self.bins for s in sentences])
        return self.embedding(index)
