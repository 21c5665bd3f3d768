import torch
import torch.nn as nn

from geometry import Geometry


class PairRepulsion(nn.Module):
    """Short-ranged repulsion between all pairs of atoms, with learned parameters."""

    def __init__(self, max_number=10):
        super().__init__()
        self.charge = nn.Parameter(torch.linspace(0.5, 2.0, max_number + 1))
        self.decay = nn.Parameter(torch.tensor(1.2))
        self.cutoff = 4.0

    def forward(self, geometry):
        distances = geometry.distances
        # Pairs that are not there, or too far away, are moved to the cutoff: no energy.
        distances[~geometry.pair_mask] = self.cutoff
        distances[distances > self.cutoff] = self.cutoff
        charge = self.charge[geometry.numbers]
        shape = torch.exp(-self.decay * distances) * (self.cutoff - distances).square()
        pair = charge.unsqueeze(-1) * charge.unsqueeze(-2) * shape
        return 0.5 * pair.sum(dim=(-1, -2))


def energy_and_forces(model, geometry):
    energy = model(geometry)
    gradient, = torch.autograd.grad(energy.sum(), geometry.positions, create_graph=True)
    return energy, -gradient


def main():
    torch.manual_seed(0)
    numbers = torch.tensor([[8, 1, 1], [6, 8, 0]])
    positions = torch.randn(2, 3, 3).requires_grad_()
    reference_energy = torch.tensor([3.0, 1.5])
    model = PairRepulsion()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for step in range(20):
        energy, forces = energy_and_forces(model, Geometry(numbers, positions))
        loss = (energy - reference_energy).square().mean() + 0.01 * forces.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}, largest force {forces.abs().max().item():.3f}")


if __name__ == "__main__":
    main()
