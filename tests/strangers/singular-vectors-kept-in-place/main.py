import torch
from spectral import spectral_norm
from torch import nn


def critic(width=12):
    layers = [spectral_norm(nn.Linear(2, width)), nn.LeakyReLU(0.1)]
    layers += [spectral_norm(nn.Linear(width, 1), n_power_iterations=2)]
    return nn.Sequential(*layers)


torch.manual_seed(13)
netG = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
netD = critic()
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-2)
optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-3)
for i in range(3):
    real, fake = torch.randn(16, 2) * 0.3 + 1, netG(torch.randn(16, 3))
    errD = torch.relu(1 - netD(real)).mean() + torch.relu(1 + netD(fake.detach())).mean()
    optimizerD.zero_grad()
    errD.backward()
    optimizerD.step()
    errG = -netD(fake).mean()
    optimizerG.zero_grad()
    errG.backward()
    optimizerG.step()
    print(f"{i}: D {errD.item():.4f}, G {errG.item():.4f}")
