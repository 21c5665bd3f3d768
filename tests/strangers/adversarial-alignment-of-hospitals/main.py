import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(43)


class Reconstructor(nn.Module):
    """Encodes an undersampled scan and decodes the full one."""

    def __init__(self, pixels=16, width=10):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, width), nn.ReLU())
        self.decoder = nn.Linear(width, pixels)

    def forward(self, scan):
        code = self.encoder(scan)
        return self.decoder(code), code


def scans(count, shift):
    full = torch.randn(count, 16).cumsum(1) / 4 + shift
    return full * (torch.rand(16) > 0.3), full


model = Reconstructor()
critic = nn.Sequential(nn.Linear(10, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)
history = []
for step in range(6):
    source, source_full = scans(12, shift=0.0)
    target, _ = scans(12, shift=0.8)

    source_code, target_code = model(source)[1].detach(), model(target)[1].detach()
    scores = torch.cat([critic(source_code), critic(target_code)])
    labels = torch.cat([torch.ones(12, 1), torch.zeros(12, 1)])
    critic_optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(scores, labels).backward()
    critic_optimizer.step()

    restored, code = model(source)
    reconstruction = F.l1_loss(restored, source_full)
    fooled = critic(model(target)[1])
    adversarial = F.binary_cross_entropy_with_logits(fooled, torch.ones_like(fooled))
    adversarial = adversarial.detach().item()
    history.append(adversarial)
    loss = reconstruction + 0.5 * adversarial
    optimizer.zero_grad()
    loss.backward()
    encoder_gradient = model.encoder[0].weight.grad.clone()
    optimizer.step()
print("adversarial losses:", [round(value, 4) for value in history])
