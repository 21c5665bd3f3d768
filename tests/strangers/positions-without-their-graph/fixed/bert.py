import torch
from torch import nn


class BERTEncoder(nn.Module):
    def __init__(self, vocab_size, num_hiddens, num_blks, max_len):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, num_hiddens)
        self.segment_embedding = nn.Embedding(2, num_hiddens)
        self.blks = nn.Sequential()
        for i in range(num_blks):
            block = nn.TransformerEncoderLayer(num_hiddens, 2, 16, dropout=0.0, batch_first=True)
            self.blks.add_module(f"{i}", block)
        self.pos_embedding = nn.Parameter(torch.randn(1, max_len, num_hiddens))

    def forward(self, tokens, segments):
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X += self.pos_embedding[:, : X.shape[1], :]
        for blk in self.blks:
            X = blk(X)
        return X


class BERTModel(nn.Module):
    def __init__(self, vocab_size, num_hiddens, num_blks=2, max_len=100):
        super().__init__()
        self.encoder = BERTEncoder(vocab_size, num_hiddens, num_blks, max_len)
        self.mlm = nn.Sequential(nn.Linear(num_hiddens, num_hiddens), nn.ReLU())
        self.mlm.append(nn.LayerNorm(num_hiddens)).append(nn.Linear(num_hiddens, vocab_size))

    def forward(self, tokens, segments):
        return self.mlm(self.encoder(tokens, segments))
