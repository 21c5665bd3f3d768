"""Train a classifier of rings with layers in simulated eight-bit floating point."""
import torch
from torch import nn

from lowbit import ScaledLinear

torch.manual_seed(0)

points = torch.randn(256, 2)
ring = (points.norm(dim=1) > 1.1).long()

model = nn.Sequential(ScaledLinear(2, 32), nn.ReLU(), ScaledLinear(32, 32), nn.ReLU(), ScaledLinear(32, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

for epoch in range(6):
    order = torch.randperm(len(points))
    total = 0.0
    for rows in order.split(64):
        loss = nn.functional.cross_entropy(model(points[rows]), ring[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 4:.4f}")

with torch.no_grad():
    right = (model(points).argmax(1) == ring).float().mean()
print(f"accuracy {right.item():.3f}, scale of the last layer {model[-1].weight_scale.item():.2e}")
