"""Learn to read the pose of a body from the places of a few markers."""
import torch
from torch import nn

from body import PARENTS, Body

torch.manual_seed(0)


def rotations_from(six):
    """Two predicted columns, made orthonormal, and their cross product."""
    first, second = six[..., :3], six[..., 3:]
    x = nn.functional.normalize(first, dim=-1)
    y = nn.functional.normalize(second - (x * second).sum(-1, keepdim=True) * x, dim=-1)
    return torch.stack([x, y, torch.linalg.cross(x, y)], dim=-1)


body = Body()
with torch.no_grad():
    true_pose = rotations_from(torch.tensor([1.0, 0, 0, 0, 1, 0]) + 0.3 * torch.randn(32, len(PARENTS), 6))
    target = body(true_pose)
markers = target[:, ::6].flatten(1)

network = nn.Sequential(nn.Linear(markers.shape[1], 64), nn.ReLU(), nn.Linear(64, 6 * len(PARENTS)))
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
for step in range(20):
    vertices = body(rotations_from(network(markers).view(-1, len(PARENTS), 6)))
    loss = (vertices - target).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"vertex error {loss.item():.4f}")
