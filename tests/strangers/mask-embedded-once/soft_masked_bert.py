import torch
from torch import nn


class Embedded(nn.Module):
    def __init__(self, embedding):
        super().__init__()
        self.word = embedding
        self.norm = nn.LayerNorm(embedding.embedding_dim)

    def forward(self, ids):
        return self.norm(self.word(ids))


class SoftMaskedBert(nn.Module):
    """A detector says how wrong each character is; that much of it is masked."""

    def __init__(self, embedding, mask_token_id):
        super().__init__()
        hidden = embedding.embedding_dim
        self.embedding = Embedded(embedding)
        self.detector = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.prob = nn.Sequential(nn.Linear(2 * hidden, 1), nn.Sigmoid())
        self.corrector = nn.TransformerEncoderLayer(hidden, 2, 16, 0.0, batch_first=True)
        self.linear = nn.Linear(hidden, embedding.num_embeddings)
        self.mask_e = self.embedding(torch.tensor([[mask_token_id]]))

    def forward(self, input_ids):
        e = self.embedding(input_ids)
        p = self.prob(self.detector(e)[0])
        e_ = p * self.mask_e + (1 - p) * e
        h = self.corrector(e_) + e
        return self.linear(h).log_softmax(-1), p
