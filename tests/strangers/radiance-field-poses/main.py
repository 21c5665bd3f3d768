"""Fit a small radiance field and refine the camera poses, in mixed precision."""
import random

import torch
from torch import nn

from rays import RayData, rays_from

torch.manual_seed(0)
random.seed(0)


class Field(nn.Module):
    def __init__(self, poses, directions):
        super().__init__()
        self.register_buffer("poses", poses)
        self.register_buffer("directions", directions)
        self.turn = nn.Parameter(torch.zeros(len(poses), 3))
        self.shift = nn.Parameter(torch.zeros(len(poses), 3))
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3), nn.Sigmoid())

    def correction(self, images):
        v = self.turn[images]
        x, y, z = v[..., 0], v[..., 1], v[..., 2]
        zero = torch.zeros_like(x)
        skew = torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], dim=-1)
        return torch.eye(3) + skew.view(*v.shape[:-1], 3, 3)

    def forward(self, batch):
        poses = self.poses[batch["images"]]
        directions = self.directions[batch["pixels"]]
        poses[..., :3] = self.correction(batch["images"]) @ poses[..., :3]
        poses[..., 3] += self.shift[batch["images"]]
        origins, turned = rays_from(directions, poses)
        return self.net(torch.cat([origins + turned, turned], dim=-1))


poses = torch.eye(3, 4).repeat(5, 1, 1)
poses[..., 3] = torch.randn(5, 3) * 0.2
directions = nn.functional.normalize(torch.randn(100, 3), dim=-1)
colours = directions.abs()
data = RayData(poses, directions, strategy="same_image")
field = Field(poses.clone(), directions)
optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
for step in range(20):
    batch = data.sample()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        predicted = field(batch)
    loss = nn.functional.mse_loss(predicted.float(), colours[batch["pixels"]])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}, largest shift {field.shift.abs().max().item():.4f}")
