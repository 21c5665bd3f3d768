"""Steer the latents of a diffusion model with a loss on the decoded picture."""
import torch
from torch import nn

from autoencoder import Autoencoder

torch.manual_seed(2)


class Denoiser(nn.Module):
    def __init__(self, channels=4):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(channels, 8, 3, padding=1), nn.SiLU(),
                                 nn.Conv2d(8, channels, 3, padding=1))

    def forward(self, latents):
        return self.net(latents)


def picture_score(image, wanted):
    """Stands for the similarity that an image encoder would give."""
    return (image.mean(dim=(2, 3)) - wanted).pow(2).sum()


vae = Autoencoder().eval()
denoiser = Denoiser().eval()
for module in (vae, denoiser):
    for p in module.parameters():
        p.requires_grad_(False)

wanted = torch.tensor([[0.8, -0.2, 0.1]])
latents = torch.randn(1, 4, 6, 6)
sigmas = torch.linspace(1.0, 0.1, 8)
scores = []
for step, sigma in enumerate(sigmas):
    latents = latents.detach().requires_grad_()
    noise = denoiser(latents)
    clean = latents - sigma * noise
    image = vae.decode(clean / vae.scaling)
    score = picture_score(image, wanted)
    guide = torch.autograd.grad(score, latents)[0]
    scores.append(score.item())
    latents = latents.detach() - 2.0 * guide - 0.1 * sigma * noise.detach()
print(f"score {scores[0]:.4f} -> {scores[-1]:.4f}, last guide {guide.norm().item():.4f}")
