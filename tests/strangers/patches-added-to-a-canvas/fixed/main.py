import torch
from canvas import add_in_place
from torch import nn


class Painter(nn.Module):
    """A background, and patches that are added to it where each belongs."""

    def __init__(self, latent=3, size=12, patch=4):
        super().__init__()
        self.patch = patch
        self.background = nn.Linear(latent, size)
        self.patches = nn.ModuleList(nn.Linear(latent, patch) for _ in range(2))

    def forward(self, z, places=(1, 7)):
        canvas = torch.tanh(self.background(z)) + 0.1
        for start, patch in zip(places, self.patches):
            add_in_place(canvas, patch(z), start)
        return canvas


torch.manual_seed(24)
painter = Painter()
z, picture = torch.randn(6, 3), torch.rand(6, 12)
loss = (painter(z) - picture).square().mean()
loss.backward()
gradient = painter.patches[1].weight.grad
print(f"loss {loss.item():.4f}, patches {[p.weight.grad is not None for p in painter.patches]}")
