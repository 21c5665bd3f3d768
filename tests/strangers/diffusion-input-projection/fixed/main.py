"""Train a diffusion model on signals that have another number of channels."""
import torch
from torch import nn
from diffusion import Denoiser, Diffusion

torch.manual_seed(0)
signals = torch.sin(torch.linspace(0, 6, 16) + torch.rand(8, 1, 1) * 6).repeat(1, 3, 1)

to_channels = nn.Conv1d(3, 4, 1)
diffusion = Diffusion(Denoiser(4, steps=10), steps=10)
optimizer = torch.optim.Adam(diffusion.parameters(), lr=0.01)

for step in range(5):
    data = to_channels(signals)
    loss = diffusion(data)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 4))
