import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(3)


class Autoencoder(nn.Module):
    def __init__(self, pixels=36, hidden=24, code=4):
        super().__init__()
        self.hidden = nn.Linear(pixels, hidden)
        self.to_mean = nn.Linear(hidden, code)
        self.to_log_sigma = nn.Linear(hidden, code)
        self.decoder = nn.Sequential(nn.Linear(code, hidden), nn.ELU(), nn.Linear(hidden, pixels))

    def sample(self, mean, log_sigma):
        if not self.training:
            return mean
        sigma = log_sigma.exp_()
        noise = torch.randn_like(sigma)
        return noise.mul(sigma).add_(mean)

    def forward(self, images):
        features = F.elu(self.hidden(images))
        mean, log_sigma = self.to_mean(features), torch.tanh(self.to_log_sigma(features))
        code = self.sample(mean, log_sigma)
        return self.decoder(code), mean, log_sigma


def divergence(mean, log_sigma):
    return -0.5 * (1 + 2 * log_sigma - mean.pow(2) - (2 * log_sigma).exp()).sum(1).mean()


def blobs(count):
    centre = torch.rand(count, 2, 1, 1) * 5
    rows, columns = torch.meshgrid(torch.arange(6.0), torch.arange(6.0), indexing="ij")
    distance = (rows - centre[:, 0]) ** 2 + (columns - centre[:, 1]) ** 2
    return torch.exp(-distance / 3).flatten(1)


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(15):
    images = blobs(32)
    decoded, mean, log_sigma = model(images)
    likelihood = F.binary_cross_entropy_with_logits(decoded, images, reduction="none").sum(1).mean()
    loss = likelihood + 0.1 * divergence(mean, log_sigma)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch}: {loss.item():.4f}")
