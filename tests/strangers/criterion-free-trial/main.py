import torch
from torch import nn

from trial import Trial, add_to_loss

torch.manual_seed(6)


class VAE(nn.Module):
    def __init__(self, width=8, latent=2):
        super().__init__()
        self.encoder = nn.Linear(width, 2 * latent)
        self.decoder = nn.Linear(latent, width)

    def forward(self, x):
        self.mean, self.log_var = self.encoder(x).chunk(2, dim=1)
        z = self.mean + torch.randn_like(self.mean) * (0.5 * self.log_var).exp()
        return self.decoder(z)


@add_to_loss
def negative_elbo(state):
    model = state["model"]
    reconstruction = nn.functional.mse_loss(state["y_pred"], state["x"])
    kl = -0.5 * (1 + model.log_var - model.mean.pow(2) - model.log_var.exp()).mean()
    return reconstruction + 0.05 * kl


basis = torch.randn(2, 8)
data = torch.randn(96, 2) @ basis
batches = [(x, x) for x in data.split(24)]

vae = VAE()
trial = Trial(vae, torch.optim.Adam(vae.parameters(), lr=2e-2), callbacks=[negative_elbo])
history = trial.run(batches, epochs=15)
print(f"first epoch {history[0]:.3f}, last epoch {history[-1]:.3f}")
