import torch
import torch.nn.functional as F
from torch import nn
from trainer import Trainer

torch.manual_seed(19)


class ForceField(nn.Module):
    """Predicts forces: the negative derivative of a learned energy."""

    def __init__(self):
        super().__init__()
        self.energy = nn.Sequential(nn.Linear(3, 16), nn.Softplus(), nn.Linear(16, 1))

    def forward(self, position):
        position = position.requires_grad_()
        energy = self.energy(position).sum()
        (slope,) = torch.autograd.grad(energy, position, create_graph=True)
        return -slope

    def training_step(self, batch):
        position, force = batch
        return F.mse_loss(self(position), force)

    def validation_step(self, batch):
        torch.set_grad_enabled(True)
        position, force = batch
        return F.mse_loss(self(position), force)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)


def springs(batches, size=16):
    positions = [torch.randn(size, 3) for _ in range(batches)]
    return [(position, -2 * position) for position in positions]


Trainer(epochs=4).fit(ForceField(), springs(6), springs(2))
