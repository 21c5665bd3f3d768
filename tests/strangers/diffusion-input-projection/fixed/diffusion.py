"""Gaussian diffusion of sequences with a small denoising network."""
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, channels, steps):
        super().__init__()
        self.time = nn.Embedding(steps, channels)
        self.net = nn.Sequential(
            nn.Conv1d(channels, 8, 3, padding=1), nn.SiLU(), nn.Conv1d(8, channels, 3, padding=1)
        )

    def forward(self, x, t):
        return self.net(x + self.time(t)[:, :, None])


class Diffusion(nn.Module):
    def __init__(self, model, steps):
        super().__init__()
        self.model, self.steps = model, steps
        alphas = torch.cumprod(1 - torch.linspace(1e-3, 0.2, steps), dim=0)
        self.register_buffer("alphas", alphas)

    def forward(self, x):
        t = torch.randint(0, self.steps, (x.size(0),))
        alpha = self.alphas[t][:, None, None]
        noise = torch.randn_like(x)
        noisy = alpha.sqrt() * x + (1 - alpha).sqrt() * noise
        return nn.functional.mse_loss(self.model(noisy, t), noise)
