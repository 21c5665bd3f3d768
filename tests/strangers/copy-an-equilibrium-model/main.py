"""An equilibrium layer with weight normalisation that is computed once per forward pass."""
import copy

import torch
from torch import nn

torch.manual_seed(0)


class SharedWeightNorm:
    """Keep a direction and a length as parameters and the weight as a plain attribute."""
    def __init__(self, module):
        weight = module.weight
        del module._parameters["weight"]
        module.weight_g = nn.Parameter(weight.norm(dim=1, keepdim=True).detach())
        module.weight_v = nn.Parameter(weight.detach().clone())
        self.reset(module)

    @staticmethod
    def reset(module):
        norm = module.weight_v.norm(dim=1, keepdim=True)
        module.weight = module.weight_g * module.weight_v / norm


class Equilibrium(nn.Module):
    def __init__(self, width=8, iterations=6):
        super().__init__()
        self.inject = nn.Linear(2, width)
        self.cell = nn.Linear(width, width)
        self.read = nn.Linear(width, 1)
        self.iterations = iterations
        self.normalise = SharedWeightNorm(self.cell)

    def forward(self, x):
        self.normalise.reset(self.cell)
        u = self.inject(x)
        z = torch.zeros_like(u)
        for _ in range(self.iterations):
            z = torch.tanh(0.5 * self.cell(z) + u)
        return self.read(z)


def main():
    model = Equilibrium()
    average = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(32, 2)
    y = x.prod(dim=1, keepdim=True)
    for step in range(20):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), model.parameters()):
                slow.lerp_(fast, 0.2)
    averaged = nn.functional.mse_loss(average(x), y).item()
    print("trained", round(loss.item(), 4), "averaged", round(averaged, 4))


if __name__ == "__main__":
    main()
