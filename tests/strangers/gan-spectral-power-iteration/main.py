import torch
import torch.nn as nn
import torch.nn.functional as F

from spectral import SpectralLinear


def make_discriminator():
    return nn.Sequential(SpectralLinear(2, 16), nn.LeakyReLU(0.2), SpectralLinear(16, 1))


def main():
    torch.manual_seed(0)
    discriminator = make_discriminator()
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-2, betas=(0.0, 0.9))
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.0, 0.9))

    for step in range(10):
        real = torch.randn(32, 2) * 0.5 + 2.0
        fake = generator(torch.randn(32, 4))

        score_real = discriminator(real)
        score_fake = discriminator(fake.detach())
        loss_d = F.relu(1.0 - score_real).mean() + F.relu(1.0 + score_fake).mean()
        optimizer_d.zero_grad()
        loss_d.backward()
        optimizer_d.step()

        loss_g = -discriminator(fake).mean()
        optimizer_g.zero_grad()
        loss_g.backward()
        optimizer_g.step()
    print(f"critic {loss_d.item():.4f}, generator {loss_g.item():.4f}")


if __name__ == "__main__":
    main()
