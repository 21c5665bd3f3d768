"""Normalisation of input features, sentence by sentence."""
import torch
from torch import nn


class SentenceNormaliser(nn.Module):
    def __init__(self, eps=1e-5):
        super().__init__()
        self.eps = eps

    def statistics(self, sentence):
        return sentence.mean(dim=0), sentence.std(dim=0).clamp(min=self.eps)

    def forward(self, x, lengths):
        frames = torch.round(lengths * x.shape[1]).int()
        for i in range(x.shape[0]):
            mean, std = self.statistics(x[i, : frames[i]])
            x[i] = (x[i] - mean) / std
        return x
