import torch
from torch import nn


def mlp(width_in, width_out):
    return nn.Sequential(nn.Linear(width_in, 16), nn.Tanh(), nn.Linear(16, width_out))


class DRIT(nn.Module):
    """Content and attributes are disentangled; a random attribute must be found again."""

    def __init__(self, pixels=10, content=5, nz=3, lr=1e-2):
        super().__init__()
        self.nz = nz
        self.enc_c, self.enc_a = mlp(2 * pixels, 2 * content), mlp(2 * pixels, 2 * nz)
        self.gen = mlp(content + nz, pixels)
        for name in ("enc_c", "enc_a", "gen"):
            optimizer = torch.optim.Adam(getattr(self, name).parameters(), lr=lr)
            setattr(self, f"{name}_opt", optimizer)

    def forward(self, a, b):
        self.real = torch.cat([a, b], 1)
        z_content = self.enc_c(self.real).chunk(2, 1)
        z_attr = self.enc_a(self.real).chunk(2, 1)
        self.z_random = torch.randn(len(a), self.nz)
        self.recon = torch.cat([self.gen(torch.cat(z, 1)) for z in zip(z_content, z_attr)], 1)
        fakes = [self.gen(torch.cat([z, self.z_random], 1)) for z in z_content]
        self.z_attr_random = self.enc_a(torch.cat(fakes, 1)).chunk(2, 1)
        self.z_attr = z_attr

    def backward_EG(self):
        l1 = (self.recon - self.real).abs().mean()
        kl = sum(z.square().mean() for z in self.z_attr)
        loss_G = 10 * l1 + 0.01 * kl
        loss_G.backward(retain_graph=True)
        self.G_loss = loss_G.item()

    def backward_G_alone(self):
        loss_z_L1 = sum((z - self.z_random).abs().mean() for z in self.z_attr_random)
        loss_z_L1.backward()
        self.l1_recon_z_loss = loss_z_L1.item()

    def optimizers(self, *names):
        return (getattr(self, f"{name}_opt") for name in names)

    def update_EG(self):
        for optimizer in self.optimizers("enc_c", "enc_a", "gen"):
            optimizer.zero_grad()
        self.backward_EG()
        self.backward_G_alone()
        for optimizer in self.optimizers("enc_c", "enc_a", "gen"):
            optimizer.step()
