import torch
from torch import nn


def block(width_in, width_out, *rest):
    return [nn.Linear(width_in, width_out), nn.LeakyReLU(0.2, inplace=True), *rest]


class Discriminator(nn.Module):
    def __init__(self, pixels=16):
        super().__init__()
        drops = (nn.Dropout(0.3, inplace=True) for _ in range(2))
        self.main = nn.Sequential(
            *block(pixels, 32, next(drops)), *block(32, 16, next(drops)), nn.Linear(16, 1), nn.Sigmoid()
        )

    def forward(self, x):
        return self.main(x.view(len(x), -1)).squeeze(1)


torch.manual_seed(1)
G = nn.Sequential(*block(4, 24), nn.Linear(24, 16), nn.Tanh())
D = Discriminator()
criterion = nn.BCELoss()
D_optimizer, G_optimizer = (torch.optim.Adam(m.parameters(), lr=2e-3) for m in (D, G))
for epoch in range(3):
    x_real = torch.rand(8, 4, 4) * 2 - 1
    x_fake = G(torch.randn(8, 4)).detach()
    D_loss = criterion(D(x_real), torch.ones(8)) + criterion(D(x_fake), torch.zeros(8))
    D.zero_grad()
    D_loss.backward()
    D_optimizer.step()
    G_loss = criterion(D(G(torch.randn(8, 4))), torch.ones(8))
    G.zero_grad()
    G_loss.backward()
    G_optimizer.step()
    print(f"epoch {epoch}: D {D_loss.item():.3f}, G {G_loss.item():.3f}")
