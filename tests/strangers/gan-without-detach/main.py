import torch
from torch import nn

torch.manual_seed(1)
LATENT, BATCH = 4, 32

G = nn.Sequential(nn.Linear(LATENT, 32), nn.ReLU(), nn.Linear(32, 2), nn.Tanh())
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1), nn.Sigmoid())

criterion = nn.BCELoss()
d_optimizer = torch.optim.Adam(D.parameters(), lr=1e-3)
g_optimizer = torch.optim.Adam(G.parameters(), lr=1e-3)


def reset_grad():
    d_optimizer.zero_grad()
    g_optimizer.zero_grad()


angle = torch.rand(512) * 6.28
ring = 0.7 * torch.stack([angle.cos(), angle.sin()], dim=1)
real_labels, fake_labels = torch.ones(BATCH, 1), torch.zeros(BATCH, 1)

for epoch in range(4):
    for images in ring[torch.randperm(512)].split(BATCH):
        real_score = D(images)
        d_loss_real = criterion(real_score, real_labels)

        fake_images = G(torch.randn(BATCH, LATENT))
        fake_score = D(fake_images)
        d_loss_fake = criterion(fake_score, fake_labels)

        d_loss = d_loss_real + d_loss_fake
        reset_grad()
        d_loss.backward()
        d_optimizer.step()

        fake_images = G(torch.randn(BATCH, LATENT))
        g_loss = criterion(D(fake_images), real_labels)
        reset_grad()
        g_loss.backward()
        g_optimizer.step()
    print(
        f"epoch {epoch}: d_loss {d_loss.item():.3f}, g_loss {g_loss.item():.3f}, "
        f"D(x) {real_score.mean().item():.2f}, D(G(z)) {fake_score.mean().item():.2f}"
    )
