import torch
from egnn_clean import EGNN, E_GCL
from torch import nn


class Placement(nn.Module):
    """Puts the atoms of a ligand somewhere in a box, then lets messages move them."""

    def __init__(self, kinds=4, nf=8, box=2.0):
        super().__init__()
        self.box = box
        self.embedding = nn.Embedding(kinds, nf)
        self.start = nn.Sequential(nn.Linear(nf + 1, 3), nn.Tanh())
        self.egnn = EGNN([E_GCL(nf), E_GCL(nf)])

    def forward(self, atoms, edges):
        h = self.embedding(atoms)
        order = torch.linspace(-1, 1, len(atoms))[:, None]
        return self.egnn(h, self.start(torch.cat([h, order], dim=1)), edges)[1] * self.box


torch.manual_seed(6)
model = Placement()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
atoms, target = torch.randint(4, (6,)), torch.randn(6, 3)
edges = torch.combinations(torch.arange(6)).T
edges = torch.cat([edges, edges.flip(0)], dim=1)
for step in range(3):
    optimizer.zero_grad()
    loss = (model(atoms, edges) - target).square().mean()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
