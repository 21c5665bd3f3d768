import math

import torch
from torch import nn


class GaborGenerator(nn.Module):
    def __init__(self, image_size):
        super().__init__()
        self.theta = nn.Parameter(torch.rand(1) * math.pi)
        self.sigma = nn.Parameter(torch.tensor([0.4]))
        self.wavelength = nn.Parameter(torch.tensor([0.8]))
        self.center = nn.Parameter(torch.zeros(2))
        axis = torch.linspace(-1, 1, image_size)
        self.register_buffer("grid", torch.stack(torch.meshgrid(axis, axis, indexing="ij")))

    def forward(self):
        y, x = self.grid - self.center[:, None, None]
        rotated = x * torch.cos(self.theta) + y * torch.sin(self.theta)
        envelope = torch.exp(-(x**2 + y**2) / (2 * self.sigma**2))
        return envelope * torch.cos(2 * math.pi * rotated / self.wavelength)


def trainer_fn(gabor_generator, model_neuron, epochs, fixed_std=None, optimizer_cls=torch.optim.LBFGS):
    optimizer = optimizer_cls(gabor_generator.parameters(), lr=0.1, max_iter=5)
    activations = []
    for epoch in range(epochs):

        def closure():
            optimizer.zero_grad()
            gabor = gabor_generator()
            if fixed_std is not None:
                gabor = fixed_std * gabor / gabor.std()
            loss = -model_neuron(gabor)
            loss.backward()
            return loss

        loss = optimizer.step(closure)
        activations.append(-loss.item())
    return activations


torch.manual_seed(14)
receptive_field = torch.randn(8, 8)
neuron = lambda image: nn.functional.elu((image * receptive_field).sum()) + 1
for epoch, activation in enumerate(trainer_fn(GaborGenerator(8), neuron, 3, fixed_std=0.3)):
    print(f"epoch {epoch}: {activation:.4f}")
