import torch
from torch import nn

from loop import TrainingLoop

torch.manual_seed(13)


class WaveGAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 24))
        self.critic = nn.Sequential(nn.Conv1d(1, 6, 5, stride=2), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(60, 1))

    def configure_optimizers(self):
        return [torch.optim.Adam(net.parameters(), lr=0.005) for net in (self.generator, self.critic)]

    def training_step(self, waves, optimizer_idx):
        fake = self.generator(torch.randn(len(waves), 4)).unsqueeze(1)
        if optimizer_idx == 0:
            return -self.critic(fake).mean()
        return torch.relu(1 - self.critic(waves)).mean() + torch.relu(1 + self.critic(fake.detach())).mean()


loop = TrainingLoop(WaveGAN(), accumulate=2)
for batch_idx in range(6):
    phase = torch.rand(8, 1, 1) * 6.28
    waves = torch.sin(torch.arange(24) * 0.5 + phase)
    print("batch", batch_idx, loop.run_batch(waves, batch_idx))
