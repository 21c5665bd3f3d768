"""Train a decoder to give back a mel spectrogram from the embedding of its speaker."""
import torch
import torch.nn.functional as F
from torch import nn

from features import SentenceNormaliser

torch.manual_seed(7)
MELS, FRAMES = 10, 14


class SpeakerEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.normalise = SentenceNormaliser()
        self.net = nn.Sequential(nn.Conv1d(MELS, 8, 3, padding=1), nn.ReLU(), nn.Conv1d(8, 6, 3, padding=1))

    def forward(self, mels, lengths):
        x = self.normalise(mels, lengths)
        return self.net(x.transpose(1, 2)).mean(dim=2)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Linear(6, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.out = nn.Linear(16, MELS)

    def forward(self, embedding):
        steps = self.start(embedding).unsqueeze(1).expand(-1, FRAMES, -1)
        return self.out(self.rnn(steps)[0])


encoder, decoder = SpeakerEncoder(), Decoder()
mels = 3.0 * torch.randn(5, FRAMES, MELS) - 6.0
lengths = torch.tensor([1.0, 0.8, 1.0, 0.6, 0.9])
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
gradient = None
for step in range(10):
    optimizer.zero_grad()
    embedding = encoder(mels, lengths)
    loss = F.l1_loss(decoder(embedding), mels)
    loss.backward()
    if step == 0:
        gradient = decoder.out.bias.grad.clone()
    optimizer.step()
print(f"loss {loss.item():.3f}, mean of the target {mels.mean().item():.3f}")
