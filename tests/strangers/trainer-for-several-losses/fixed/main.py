import torch
import torch.nn.functional as F
from torch import nn
from trainer import Trainer

torch.manual_seed(7)


class SleepStages(nn.Module):
    """One trunk with a head for the stage and a head for the heart rate."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(20, 32), nn.Tanh())
        self.stage = nn.Linear(32, 4)
        self.rate = nn.Linear(32, 1)

    def forward(self, batch):
        features = self.trunk(batch["signal"])
        return self.stage(features), self.rate(features).squeeze(1)

    def loss(self, outputs, batch):
        stage, rate = outputs
        return F.cross_entropy(stage, batch["stage"]), F.mse_loss(rate, batch["rate"])


def recordings(batches, size=16):
    for _ in range(batches):
        signal = torch.randn(size, 20)
        stage = (signal[:, :2] > 0).long() @ torch.tensor([1, 2])
        yield {"signal": signal, "stage": stage, "rate": signal[:, 2:6].mean(1)}


model = SleepStages()
trainer = Trainer(model, torch.optim.Adam(model.parameters(), lr=5e-3))
trainer.fit(list(recordings(4)), epochs=5)
print("mean loss of every epoch:", [round(value, 4) for value in trainer.history])
