import torch
import torch.nn.functional as F
from encoder import SpeechEncoder
from torch import nn

torch.manual_seed(5)


class KeywordNet(nn.Module):
    def __init__(self, keywords=3, width=16):
        super().__init__()
        self.waves = nn.Sequential(nn.Conv1d(1, width, 8, stride=4), nn.GELU(), nn.Conv1d(width, width, 4, stride=2))
        self.projection = nn.Linear(width, width)
        self.encoder = SpeechEncoder(width)
        self.classifier = nn.Linear(width, keywords)

    def forward(self, audio):
        frames = self.waves(audio.unsqueeze(1)).transpose(1, 2)
        features = self.encoder.extract_features(self.projection(frames))
        return self.classifier(features.mean(dim=1))


def tones(count, samples=160):
    label = torch.randint(3, (count,))
    time = torch.linspace(0, 1, samples)
    pitch = (label + 1).float().unsqueeze(1) * 12
    return torch.sin(2 * torch.pi * pitch * time) + 0.1 * torch.randn(count, samples), label


model = KeywordNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(10):
    audio, label = tones(12)
    loss = F.cross_entropy(model(audio), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")
