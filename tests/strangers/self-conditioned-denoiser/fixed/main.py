import random

import torch

from diffusion import Denoiser, Diffusion

random.seed(3)
torch.manual_seed(3)

diffusion = Diffusion(Denoiser())
optimizer = torch.optim.Adam(diffusion.parameters(), lr=2e-3)
data = torch.sin(torch.linspace(0, 6, 64).unsqueeze(1) + torch.arange(6.0))

history = []
for step in range(60):
    batch = data[torch.randperm(64)[:16]]
    loss = diffusion(batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())

print(f"first ten steps {sum(history[:10]) / 10:.3f}")
print(f"last ten steps  {sum(history[-10:]) / 10:.3f}")
