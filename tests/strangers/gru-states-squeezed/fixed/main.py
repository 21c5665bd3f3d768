import torch
from quantizable.gru import QuantizableGRU
from torch import nn
from torch.nn import functional as F


class KeywordSpotter(nn.Module):
    def __init__(self, mels=6, hidden=8, words=4, layers=2):
        super().__init__()
        self.speaker = nn.Linear(3, layers * hidden)
        self.rnn = QuantizableGRU(mels, hidden, num_layers=layers)
        self.head = nn.Linear(hidden, words)

    def forward(self, frames, speaker):
        start = self.speaker(speaker).view(len(speaker), self.rnn.num_layers, -1)
        output, _ = self.rnn(frames, start.transpose(0, 1))
        return self.head(output[-1])


torch.manual_seed(0)
model = KeywordSpotter()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(3):
    frames, speaker = torch.randn(10, 5, 6), torch.randn(5, 3)
    loss = F.cross_entropy(model(frames, speaker), torch.randint(4, (5,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.3f}")
