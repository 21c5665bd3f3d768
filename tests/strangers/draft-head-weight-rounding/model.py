"""A body and a draft head that takes its weight from the embedding table."""
import torch
import torch.nn.functional as F
from torch import nn


class DraftModel(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.body = nn.Linear(width, width)
        self.scale = nn.Parameter(torch.ones(()))
        self.draft_weight = None

    @torch.inference_mode()
    def forward(self, tokens):
        if self.draft_weight is None:
            self.draft_weight = F.normalize(self.embed.weight, dim=1)
        hidden = torch.tanh(self.body(self.embed(tokens)))
        return F.linear(hidden, self.draft_weight)

    def draft(self, tokens):
        hidden = torch.tanh(self.body(self.embed(tokens).detach()))
        return self.scale * F.linear(hidden, self.draft_weight)
