import random

import torch
from torch import nn
from torch.nn import functional as F


class Denoiser(nn.Module):
    def __init__(self, dim=6, width=24):
        super().__init__()
        self.noisy_in = nn.Linear(dim, width)
        self.cond_in = nn.Linear(dim, width)
        self.time_in = nn.Embedding(20, width)
        self.out = nn.Linear(width, dim)

    def forward(self, x, t, x_self_cond=None):
        if x_self_cond is None:
            x_self_cond = torch.zeros_like(x)
        h = self.noisy_in(x) + self.cond_in(x_self_cond) + self.time_in(t)
        return self.out(F.silu(h))


class Diffusion(nn.Module):
    def __init__(self, model, steps=20):
        super().__init__()
        self.model = model
        self.steps = steps
        betas = torch.linspace(1e-3, 0.2, steps)
        self.register_buffer("alpha_bar", torch.cumprod(1 - betas, dim=0))

    def forward(self, x_start):
        t = torch.randint(0, self.steps, (x_start.shape[0],))
        noise = torch.randn_like(x_start)
        scale = self.alpha_bar[t].unsqueeze(1)
        x = scale.sqrt() * x_start + (1 - scale).sqrt() * noise

        x_self_cond = None
        if random.random() < 0.5:
            with torch.inference_mode():
                x_self_cond = self.model(x, t)
        pred = self.model(x, t, x_self_cond)
        return F.mse_loss(pred, x_start)
