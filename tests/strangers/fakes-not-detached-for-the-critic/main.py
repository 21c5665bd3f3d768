import torch
from torch import autograd, nn


def gradient_penalty(critic, real, fake):
    between = real.lerp(fake, torch.rand(len(real), 1)).requires_grad_()
    (slope,) = autograd.grad(critic(between).sum(), between, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


torch.manual_seed(27)
generator = nn.Sequential(nn.Linear(3, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1))
optimizer_G = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))
for i in range(6):
    real_imgs = torch.randn(10, 2) * 0.2 + 1
    z = torch.randn(10, 3)
    optimizer_D.zero_grad()
    fake_imgs = generator(z)
    real_validity, fake_validity = discriminator(real_imgs), discriminator(fake_imgs)
    penalty = gradient_penalty(discriminator, real_imgs, fake_imgs.data)
    d_loss = -real_validity.mean() + fake_validity.mean() + 10 * penalty
    d_loss.backward()
    optimizer_D.step()
    optimizer_G.zero_grad()
    if i % 3 == 0:
        fake_imgs = generator(z)
        g_loss = -discriminator(fake_imgs).mean()
        g_loss.backward()
        optimizer_G.step()
        print(f"{i}: D {d_loss.item():.4f}, G {g_loss.item():.4f}")
