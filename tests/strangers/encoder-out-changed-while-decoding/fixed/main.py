from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F


class EncoderOut(NamedTuple):
    encoder_out: torch.Tensor  # time, batch, channels
    lengths: torch.Tensor


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)

    def forward(self, tokens, lengths):
        x = self.embed(tokens).transpose(1, 2)
        return EncoderOut(torch.tanh(self.conv(x)).permute(2, 0, 1), lengths)


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.forget = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, previous, encoder_out):
        state = encoder_out[0].mean(0)
        logits = []
        for t in range(previous.shape[1]):
            state = self.cell(self.embed(previous[:, t]), state)
            scores = torch.softmax((encoder_out[0] * state).sum(-1), dim=0)
            context = (scores.unsqueeze(-1) * encoder_out[0]).sum(0)
            logits.append(self.out(context + state))
            keep = torch.sigmoid(self.forget(state))
            changed = encoder_out[0].clone()
            for j in range(encoder_out[0].shape[2]):
                changed[:, :, j] = encoder_out[0][:, :, j] * keep[:, j]
            encoder_out = encoder_out._replace(encoder_out=changed)
        return torch.stack(logits, dim=1)


torch.manual_seed(0)
encoder, decoder = Encoder(15, 6), Decoder(15, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
source, target = torch.randint(15, (3, 7)), torch.randint(15, (3, 5))
logits = decoder(target[:, :-1], encoder(source, torch.full((3,), 7)))
loss = F.cross_entropy(logits.transpose(1, 2), target[:, 1:])
loss.backward()
optimizer.step()
print(f"{loss.item():.4f}")
