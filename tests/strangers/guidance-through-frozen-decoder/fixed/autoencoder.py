"""A tiny picture autoencoder, used for inference only."""
import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self, latent_channels=4):
        super().__init__()
        self.scaling = 0.18215
        self.encoder = nn.Conv2d(3, latent_channels, 4, stride=2, padding=1)
        self.decoder = nn.Sequential(nn.ConvTranspose2d(latent_channels, 8, 4, stride=2, padding=1), nn.Tanh(),
                                     nn.Conv2d(8, 3, 3, padding=1))

    @torch.no_grad()
    def encode(self, image):
        return self.encoder(image) * self.scaling

    @torch.no_grad()
    def decode(self, latents):
        with torch.enable_grad():
            return self.decoder(latents).clamp(-1, 1)
